//! Why a request is refused, as the `application/problem+json` that goes over the wire.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use room_protocol::{Problem, ProblemKind, problem};

use crate::log::log;

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal(pub Problem);

/// A handler's answer.
pub type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    /// A refusal of a kind.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self(Problem::new(kind, detail))
    }

    /// 400.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::InvalidRequest, detail)
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::NotFound, detail)
    }

    /// 500: the reason goes to the log, not over the wire.
    pub fn internal(reason: &str) -> Self {
        log!("failed: {reason}");
        Self::new(
            ProblemKind::Internal,
            "the daemon could not do it; its log says why",
        )
    }

    /// 503.
    pub fn ending() -> Self {
        Self::new(
            ProblemKind::Unavailable,
            "the daemon is ending; ask again when it is back",
        )
    }
}

impl From<room_store::Error> for Refusal {
    fn from(error: room_store::Error) -> Self {
        use room_store::Error as E;
        match error {
            E::NotFound(why) => Self::not_found(why),
            E::InvalidRequest(why) => Self::invalid(why),
            E::Conflict(why) => Self::new(ProblemKind::Conflict, why),
            E::ResourceExhausted(why) => {
                log!("storage full: {why}");
                Self::new(ProblemKind::StorageFull, why)
            }
            E::Unsupported { .. } | E::Internal(_) => Self::internal(&format!("store: {error}")),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // A problem is two enums and three strings: it always has a JSON form.
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(problem::CONTENT_TYPE),
        );
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // Where part of the request may still be on its way, the connection is of no more use.
        if matches!(
            self.0.kind,
            ProblemKind::TooLarge | ProblemKind::Unavailable | ProblemKind::TooMany
        ) {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A whole HTTP answer as bytes, for where no request was understood.
pub fn raw(kind: ProblemKind, detail: &str) -> Vec<u8> {
    let problem = Problem::new(kind, detail);
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let reason = StatusCode::from_u16(problem.status)
        .ok()
        .and_then(|s| s.canonical_reason())
        .unwrap_or("Error");
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        problem.status,
        problem::CONTENT_TYPE,
        body.len(),
    )
    .into_bytes()
}
