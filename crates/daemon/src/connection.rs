//! Serves one connection.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use room_protocol::ProblemKind;
use room_protocol::limits::HEADER_BYTES;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::accept::Lane;
use crate::extract::Peer;
use crate::refusal::raw;
use crate::state::Daemon;
use crate::wire::Wire;

/// What is read ahead of one connection.
const READ_AHEAD: usize = 64 * 1024;
/// A connection that is turned away is read for this long, so that its peer gets to read why.
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves requests until the peer hangs up, is too slow, or the daemon ends.
pub async fn serve(
    daemon: Arc<Daemon>,
    lane: Lane,
    router: Router,
    peer: Peer,
    stream: UnixStream,
) {
    let header_timeout = match lane {
        Lane::Operator => daemon.limits.header_timeout,
        Lane::Run => daemon.limits.lane_header_timeout,
    };
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(lane);
        TowerToHyperService::new(router.clone()).call(request)
    });
    let io = TokioIo::new(Wire::new(stream, daemon.limits.write_timeout));
    let connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(READ_AHEAD)
        .writev(false)
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    tokio::select! {
        biased;
        // How a connection ends is its peer's affair.
        _ = connection.as_mut() => {}
        () = daemon.shutdown.wait() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Turns a connection away, whatever it asks.
pub async fn turn_away(mut stream: UnixStream, kind: ProblemKind, detail: &str) {
    let farewell = async {
        let mut sink = [0; 4096];
        // A client does not expect an answer before it has asked.
        if stream.read(&mut sink).await? == 0 {
            return Ok(());
        }
        stream.write_all(&raw(kind, detail)).await?;
        stream.shutdown().await?;
        while stream.read(&mut sink).await? > 0 {}
        std::io::Result::Ok(())
    };
    // The peer may not even be there any more.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}
