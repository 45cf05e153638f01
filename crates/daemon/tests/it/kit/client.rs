//! An asynchronous client over a Unix socket.

use std::path::{Path, PathBuf};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response};
use hyper_util::client::legacy::Client as HyperClient;
use hyperlocal::{UnixClientExt, UnixConnector, Uri};
use room_protocol::{Problem, ProblemKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// Speaks to one socket.
#[derive(Clone)]
pub struct Client {
    http: HyperClient<UnixConnector, Full<Bytes>>,
    socket: PathBuf,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub body: Bytes,
}

impl Client {
    pub fn new(socket: &Path) -> Self {
        Self {
            http: HyperClient::unix(),
            socket: socket.to_owned(),
            headers: Vec::new(),
        }
    }

    /// The same with one more header on every request.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut more = self.clone();
        more.headers.push((name.to_owned(), value.to_owned()));
        more
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.post_bytes(path, serde_json::to_vec(body).unwrap())
            .await
    }

    pub async fn post_bytes(&self, path: &str, body: Vec<u8>) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Vec<u8>>) -> Answer {
        let response = self.open(method, path, body).await;
        let (parts, body) = response.into_parts();
        let content_type = parts.headers.get("content-type");
        Answer {
            status: parts.status.as_u16(),
            content_type: content_type.map_or("", |v| v.to_str().unwrap()).to_owned(),
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    /// The answer with its body still to come.
    pub async fn open(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Response<Incoming> {
        let uri: hyper::Uri = Uri::new(&self.socket, path).into();
        let mut request = Request::builder().method(method).uri(uri);
        let typed = self.headers.iter().any(|(n, _)| n == "content-type");
        if body.is_some() && !typed {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = Full::from(body.unwrap_or_default());
        let request = request.body(body).unwrap();
        self.http.request(request).await.unwrap()
    }
}

impl Answer {
    /// The body, which has to have come with this status.
    #[track_caller]
    pub fn is<T: DeserializeOwned>(&self, status: u16) -> T {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The problem, which has to be of this kind and to have its status and media type.
    #[track_caller]
    pub fn problem(&self, kind: ProblemKind) -> String {
        let problem: Problem = self.is(kind.status());
        assert_eq!(self.content_type, room_protocol::problem::CONTENT_TYPE);
        assert_eq!((problem.kind, problem.status), (kind, kind.status()));
        assert_eq!(problem.title, kind.title());
        assert!(!problem.detail.is_empty());
        problem.detail
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends bytes as they are and reads until the other side closes. The answer's head and body.
pub async fn raw(socket: &Path, bytes: &[u8]) -> (String, String) {
    let mut stream = UnixStream::connect(socket).await.unwrap();
    // The other side may have closed before it took everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) => (head.to_owned(), body.to_owned()),
        None => (answer, String::new()),
    }
}
