//! Server-sent events (the WHATWG HTML standard, section 9.2), as far as the daemon uses them: `id`,
//! `event`, `data` and comments.

use std::io::{self, BufRead, BufReader, Read};

use room_protocol::{Event, limits};
use serde::Deserialize;

use crate::{Client, Error, Why};

/// Events of the daemon, in order, as they come. See [`Client::events`].
pub struct Events {
    client: Client,
    lines: BufReader<Box<dyn Read + Send>>,
    cursor: Option<u64>,
    over: bool,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("client", &self.client)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

/// As much of an event as every version of the daemon sends.
#[derive(Deserialize)]
struct Place {
    cursor: u64,
    kind: String,
}

impl Events {
    pub(crate) fn new(client: Client, body: Box<dyn Read + Send>) -> Self {
        Self {
            client,
            lines: BufReader::with_capacity(8 * 1024, body),
            cursor: None,
            over: false,
        }
    }

    /// The last event's cursor; ask for what comes `after` it to follow on.
    pub fn cursor(&self) -> Option<u64> {
        self.cursor
    }

    /// One line without its end; `None` at the end of the stream.
    fn line(&mut self) -> Result<Option<String>, Error> {
        let mut line = Vec::new();
        let limit = limits::REQUEST_BYTES as u64;
        let read = (&mut self.lines).take(limit).read_until(b'\n', &mut line);
        if read.map_err(|e| self.client.io(e))? == 0 {
            return Ok(None);
        }
        if line.pop() != Some(b'\n') {
            return if line.len() as u64 + 1 >= limit {
                Err(self.client.garbage("an endless line in its event stream"))
            } else {
                Ok(None)
            };
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        String::from_utf8(line)
            .map(Some)
            .map_err(|_| self.client.garbage("its event stream is not UTF-8"))
    }

    /// One event's data; `None` at the end of the stream. What was begun and not ended by a blank
    /// line does not count, as the standard has it.
    fn data(&mut self) -> Result<Option<String>, Error> {
        let mut data: Option<String> = None;
        while let Some(line) = self.line()? {
            if line.is_empty() {
                match data.take() {
                    Some(data) => return Ok(Some(data)),
                    None => continue,
                }
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            if field == "data" {
                let value = value.strip_prefix(' ').unwrap_or(value);
                match &mut data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => data = Some(value.to_owned()),
                }
                if data
                    .as_ref()
                    .is_some_and(|d| d.len() > limits::REQUEST_BYTES)
                {
                    return Err(self.client.garbage("an endless event"));
                }
            }
        }
        Ok(None)
    }

    fn event(&mut self) -> Result<Event, Error> {
        loop {
            let Some(data) = self.data()? else {
                let end = io::Error::from(io::ErrorKind::UnexpectedEof);
                return Err(self.client.unreachable(Why::Closed, end));
            };
            match serde_json::from_str::<Event>(&data) {
                Ok(event) => {
                    self.cursor = Some(event.cursor);
                    return Ok(event);
                }
                // A newer daemon may tell of things that this version has no word for.
                Err(why) => match serde_json::from_str::<Place>(&data) {
                    Ok(place) if !is_known(&place.kind) => self.cursor = Some(place.cursor),
                    _ => return Err(self.client.garbage(format!("an event does not fit: {why}"))),
                },
            }
        }
    }
}

fn is_known(kind: &str) -> bool {
    serde_json::from_value::<room_protocol::EventKind>(kind.into()).is_ok()
}

impl Iterator for Events {
    type Item = Result<Event, Error>;

    /// The next event. After an error nothing more comes.
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.event();
        self.over = next.is_err();
        Some(next)
    }
}
