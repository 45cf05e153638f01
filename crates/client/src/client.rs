//! Calls to the daemon: JSON over HTTP over a Unix socket, blocking.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use room_protocol::{Problem, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{Request, Response, StatusCode};
use ureq::{Agent, Body, SendBody};

use crate::events::Events;
use crate::transport::{NoNames, UnixConnector};
use crate::{Error, Why};

/// How long a call may take when nothing else was said.
const DEADLINE: Duration = Duration::from_secs(10);

/// A client of one of the daemon's sockets. A connection a call.
#[derive(Clone)]
pub struct Client {
    socket: PathBuf,
    credential: Option<String>,
    deadline: Duration,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("socket", &self.socket)
            .field("credential", &self.credential.as_ref().map(|_| "…"))
            .field("deadline", &self.deadline)
            .finish()
    }
}

impl Client {
    /// A client of the daemon that listens at `socket`. Nothing is opened before a call.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            credential: None,
            deadline: DEADLINE,
        }
    }

    /// The run lane's credential, sent with every call.
    #[must_use]
    pub fn credential(mut self, credential: String) -> Self {
        self.credential = Some(credential);
        self
    }

    /// How long a whole call may take, connecting included. Without it: 10 seconds.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks. `path` begins with `/v1/` and may have a query. An answer without a body reads as
    /// JSON's `null`, so `()` will do for it.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.call("GET", path, None)
    }

    /// Asks for plain text (the metrics).
    pub fn text(&self, path: &str) -> Result<String, Error> {
        String::from_utf8(self.bytes("GET", path, None)?)
            .map_err(|_| self.garbage("its text is not UTF-8"))
    }

    /// Sends `body` as JSON.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Error> {
        let json = serde_json::to_vec(body)
            .map_err(|e| self.garbage(format!("the request cannot be written as JSON: {e}")))?;
        self.call("POST", path, Some(json))
    }

    /// Deletes.
    pub fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.call("DELETE", path, None)
    }

    /// Follows server-sent events, replay first, then live. The deadline holds until the answer
    /// begins; after that the iterator waits as long as it takes. When the connection ends it
    /// yields an error, and the caller may follow on from [`Events::cursor`].
    pub fn events(&self, path: &str) -> Result<Events, Error> {
        let agent = self.agent(false);
        let request = self.request("GET", path, "text/event-stream");
        let request = request
            .body(SendBody::none())
            .map_err(|e| self.error(e.into()))?;
        let answer = agent.run(request).map_err(|e| self.error(e))?;
        if answer.status() != StatusCode::OK {
            return Err(self.failure(answer));
        }
        if answer.body().mime_type() != Some("text/event-stream") {
            return Err(self.garbage("its answer is no event stream"));
        }
        let reader = answer
            .into_body()
            .into_with_config()
            .limit(u64::MAX)
            .reader();
        Ok(Events::new(self.clone(), Box::new(reader)))
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<T, Error> {
        let bytes = self.bytes(method, path, body)?;
        let json: &[u8] = if bytes.is_empty() { b"null" } else { &bytes };
        serde_json::from_slice(json)
            .map_err(|e| self.garbage(format!("its JSON does not fit: {e}")))
    }

    fn bytes(&self, method: &str, path: &str, body: Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
        let agent = self.agent(true);
        let mut request = self.request(method, path, "application/json");
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let answer = match body {
            Some(json) => request
                .body(json)
                .map_err(ureq::Error::from)
                .and_then(|r| agent.run(r)),
            None => request
                .body(SendBody::none())
                .map_err(ureq::Error::from)
                .and_then(|r| agent.run(r)),
        };
        let mut answer = answer.map_err(|e| self.error(e))?;
        if !answer.status().is_success() {
            return Err(self.failure(answer));
        }
        self.body(&mut answer)
    }

    fn agent(&self, whole: bool) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .max_response_header_size(limits::HEADER_BYTES);
        let all = Some(self.deadline);
        let config = if whole {
            config.timeout_global(all)
        } else {
            config
                .timeout_connect(all)
                .timeout_send_request(all)
                .timeout_recv_response(all)
        };
        let connector = UnixConnector {
            socket: self.socket.clone(),
        };
        Agent::with_parts(config.build(), connector, NoNames)
    }

    fn request(&self, method: &str, path: &str, accept: &str) -> ureq::http::request::Builder {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://room{path}"))
            .header("accept", accept)
            .header("connection", "close")
            .header(
                "user-agent",
                concat!("agent-room/", env!("CARGO_PKG_VERSION")),
            );
        match &self.credential {
            Some(credential) => request.header("authorization", format!("Bearer {credential}")),
            None => request,
        }
    }

    fn body(&self, answer: &mut Response<Body>) -> Result<Vec<u8>, Error> {
        answer
            .body_mut()
            .with_config()
            .limit(limits::ANSWER_BYTES as u64)
            .read_to_vec()
            .map_err(|e| self.error(e))
    }

    /// What an answer that is no success says.
    fn failure(&self, mut answer: Response<Body>) -> Error {
        let status = answer.status();
        let body = match self.body(&mut answer) {
            Ok(body) => body,
            Err(error) => return error,
        };
        match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) if problem.status == status.as_u16() => Error::Problem(problem),
            _ => self.garbage(format!("status {} without a problem", status.as_u16())),
        }
    }

    pub(crate) fn garbage(&self, what: impl Into<String>) -> Error {
        Error::Garbage {
            socket: self.socket.clone(),
            what: what.into(),
        }
    }

    pub(crate) fn unreachable(&self, why: Why, source: io::Error) -> Error {
        Error::Unreachable {
            socket: self.socket.clone(),
            why,
            source,
        }
    }

    pub(crate) fn error(&self, error: ureq::Error) -> Error {
        match error {
            ureq::Error::Io(e) => self.io(e),
            ureq::Error::Timeout(_) => self.unreachable(
                Why::TimedOut,
                io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("{:?} are over", self.deadline),
                ),
            ),
            ureq::Error::BodyExceedsLimit(n) => {
                self.garbage(format!("its answer is longer than {n} bytes"))
            }
            other => self.garbage(other.to_string()),
        }
    }

    pub(crate) fn io(&self, error: io::Error) -> Error {
        // A reader wraps ureq's own errors.
        if error.get_ref().is_some_and(|e| e.is::<ureq::Error>()) {
            if let Some(Ok(inner)) = error.into_inner().map(|e| e.downcast::<ureq::Error>()) {
                return self.error(*inner);
            }
            return self.garbage("an error without a cause");
        }
        use rustix::io::Errno;
        let why = match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Why::NoSocket,
            Some(Errno::CONNREFUSED) => Why::Refused,
            Some(Errno::PROTOTYPE | Errno::NOTSOCK | Errno::NOTDIR) => Why::NotASocket,
            Some(Errno::NAMETOOLONG) => Why::PathTooLong,
            Some(Errno::ACCESS | Errno::PERM) => Why::Forbidden,
            Some(Errno::PIPE | Errno::CONNRESET) => Why::Closed,
            Some(_) => Why::Io,
            None if error.kind() == io::ErrorKind::UnexpectedEof => Why::Closed,
            None => return self.garbage(error.to_string()),
        };
        self.unreachable(why, error)
    }
}
