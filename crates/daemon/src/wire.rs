//! A connection's bytes: a peer that takes nothing of its answer is dropped after a while, and the
//! bare refusals of the HTTP parser (no request was understood, so no handler ran) are given the
//! form of all others.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use room_protocol::ProblemKind;
use room_protocol::limits::HEADER_BYTES;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::refusal::raw;

/// A connection's bytes.
pub struct Wire<S> {
    stream: S,
    patience: Duration,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    /// A refusal that is being written in place of the parser's.
    instead: Vec<u8>,
}

impl<S> Wire<S> {
    /// Wraps a stream; `patience`: how long the peer may take nothing.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            stalled: None,
            instead: Vec::new(),
        }
    }
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    fn write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) {
            self.stalled = None;
            return Poll::Ready(written);
        }
        let until = Instant::now() + self.patience;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer takes nothing of its answer",
        )))
    }

    fn write_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let bytes = std::mem::take(&mut self.instead);
            let written = self.write(cx, &bytes);
            self.instead = bytes;
            let written = ready!(written)?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.write_instead(cx))?;
        if let Some(kind) = bare_refusal(bytes) {
            self.instead = raw(kind, detail(kind));
            // Whether all of it goes out now or with the flush, what was handed over is dealt with.
            return match self.write_instead(cx) {
                Poll::Ready(Err(e)) => Poll::Ready(Err(e)),
                _ => Poll::Ready(Ok(bytes.len())),
            };
        }
        self.write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.write_instead(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.write_instead(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The kind of the parser's own refusal: a whole answer of status 4xx without a body. None of ours
/// is without one.
fn bare_refusal(bytes: &[u8]) -> Option<ProblemKind> {
    let status = bytes.strip_prefix(b"HTTP/1.1 4")?.get(..2)?;
    let empty = bytes.ends_with(b"\r\n\r\n") && contains(bytes, b"\r\ncontent-length: 0\r\n");
    let kind = match status {
        b"00" => ProblemKind::InvalidRequest,
        b"14" | b"31" => ProblemKind::TooLarge,
        _ => return None,
    };
    empty.then_some(kind)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn detail(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::TooLarge => {
            const { assert!(HEADER_BYTES == 8192) };
            "a request's header has at most 8192 bytes and 100 fields"
        }
        _ => "this is not an HTTP/1.1 request",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn only_a_bare_refusal_is_replaced() {
        let (ours, mut theirs) = tokio::io::duplex(4096);
        let mut wire = Wire::new(ours, Duration::from_secs(1));
        let other = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";
        wire.write_all(other).await.unwrap();
        let mut got = vec![0; other.len()];
        theirs.read_exact(&mut got).await.unwrap();
        assert_eq!(got, other);
        wire.write_all(
            b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\ndate: x\r\n\r\n",
        )
        .await
        .unwrap();
        wire.shutdown().await.unwrap();
        drop(wire);
        let mut got = String::new();
        theirs.read_to_string(&mut got).await.unwrap();
        assert!(got.starts_with("HTTP/1.1 413 "), "{got}");
        assert!(got.ends_with('}') && got.contains("\"too-large\""), "{got}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(8);
        let mut wire = Wire::new(ours, Duration::from_secs(7));
        let before = Instant::now();
        let error = wire.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed(), Duration::from_secs(7));
    }
}
