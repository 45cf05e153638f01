//! Servers made for one test: a socket in a directory of its own, and a thread that does to each
//! connection what the test says.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use room_client::Client;
use tempfile::TempDir;

pub struct Server {
    pub socket: PathBuf,
    /// The requests, as they came.
    pub requests: Arc<Mutex<Vec<String>>>,
    _dir: TempDir,
}

impl Server {
    /// Serves connections one after the other, for as long as the test runs. `serve` gets the
    /// connection and the number of those before it.
    pub fn new(serve: impl Fn(UnixStream, usize) + Send + 'static) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                serve(stream.unwrap(), number);
            }
        });
        Self {
            socket,
            requests: Arc::default(),
            _dir: dir,
        }
    }

    /// Reads each request whole and gives the answer of its number; the last one again and again.
    pub fn answering(answers: Vec<String>) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let server = Self::new(move |mut stream, number| {
            let request = request(&mut stream);
            seen.lock().unwrap().push(request);
            let answer = answers.get(number).or(answers.last()).unwrap();
            // The client may have had enough of an answer that is too long.
            let _ = stream.write_all(answer.as_bytes());
        });
        Self { requests, ..server }
    }

    pub fn client(&self) -> Client {
        Client::new(&self.socket).deadline(Duration::from_secs(20))
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// One request, head and body.
pub fn request(stream: &mut UnixStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "the head ends early");
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .lines()
        .filter_map(|l| l.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, n)| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}

/// A whole answer.
pub fn answer(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
}

pub fn json(body: &str) -> String {
    answer("200 OK", "application/json", body)
}

pub fn problem(kind: room_protocol::ProblemKind, detail: &str) -> String {
    let problem = room_protocol::Problem::new(kind, detail);
    answer(
        &format!("{} x", problem.status),
        room_protocol::problem::CONTENT_TYPE,
        &serde_json::to_string(&problem).unwrap(),
    )
}
