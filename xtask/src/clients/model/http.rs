//! The little of HTTP/1.1 that the agent CLIs speak to a model server on loopback.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Largest request body that is accepted, in bytes. A conversation of the suite
/// stays far below it; more means that something runs away.
const MAX_BODY: usize = 64 << 20;

/// How long a client may take between two reads of one request.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// One request as it came in.
pub struct HttpRequest {
    pub method: String,
    pub path: String,
    pub encoding: Option<String>,
    pub body: Vec<u8>,
}

/// Reads one request. `None` when the client closed without sending one.
pub fn read_request(stream: &TcpStream) -> io::Result<Option<HttpRequest>> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(io::Error::other(format!("not a request line: {line:?}")));
    };
    let (method, path) = (
        method.to_owned(),
        target.split('?').next().unwrap_or(target).to_owned(),
    );
    let (mut length, mut chunked, mut encoding) = (0usize, false, None);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(io::Error::other)?,
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "content-encoding" => encoding = Some(value.to_ascii_lowercase()),
            "expect" => (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let body = if chunked {
        read_chunked(&mut reader)?
    } else {
        bounded(length)?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        body
    };
    Ok(Some(HttpRequest {
        method,
        path,
        encoding,
        body,
    }))
}

fn read_chunked(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(io::Error::other)?;
        bounded(body.len().saturating_add(size))?;
        let start = body.len();
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..])?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn bounded(length: usize) -> io::Result<()> {
    if length > MAX_BODY {
        return Err(io::Error::other(format!("a body of {length} bytes")));
    }
    Ok(())
}

/// Answers with one JSON document and closes.
pub fn send_json(mut stream: &TcpStream, status: u16, value: &serde_json::Value) -> io::Result<()> {
    let body = value.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

/// Answers with server-sent events, each named by its own `type`, and closes.
pub fn send_events(mut stream: &TcpStream, events: &[serde_json::Value]) -> io::Result<()> {
    let mut text = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
         cache-control: no-cache\r\nconnection: close\r\n\r\n",
    );
    for event in events {
        let name = event["type"].as_str().unwrap_or("message");
        text.push_str(&format!("event: {name}\ndata: {event}\n\n"));
    }
    stream.write_all(text.as_bytes())?;
    stream.flush()
}
