//! Both lanes' routers, with what holds for every request.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use room_protocol::ProblemKind;
use room_protocol::limits::HEADER_BYTES;

use crate::handlers::{lane, no_path, no_such_method, operator};
use crate::refusal::Refusal;
use crate::state::Daemon;

/// The operator lane: its own calls and the run lane's.
pub fn operator(daemon: &Arc<Daemon>) -> Router {
    finish(operator::routes().merge(lane::routes()), daemon)
}

/// The run lane.
pub fn lane(daemon: &Arc<Daemon>) -> Router {
    finish(lane::routes(), daemon)
}

fn finish(routes: Router<Arc<Daemon>>, daemon: &Arc<Daemon>) -> Router {
    routes
        .fallback(no_path)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(Arc::clone(daemon), around))
        .with_state(Arc::clone(daemon))
}

/// Bounds the header and counts the request.
async fn around(State(daemon): State<Arc<Daemon>>, request: Request, next: Next) -> Response {
    let call = match request.extensions().get::<MatchedPath>() {
        Some(path) => format!("{} {}", known(request.method()), path.as_str()),
        None => "unknown".to_owned(),
    };
    let response = if header_bytes(&request) > HEADER_BYTES {
        Refusal::new(
            ProblemKind::TooLarge,
            format!("a request's header has at most {HEADER_BYTES} bytes"),
        )
        .into_response()
    } else {
        next.run(request).await
    };
    daemon.metrics.request(call, response.status().as_u16());
    response
}

/// A method as it may stand in a counter's name: a peer can make up others without end.
fn known(method: &axum::http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        _ => "OTHER",
    }
}

/// The header section's size, as it came: the request line, and each field with its colon, blank
/// and line break.
fn header_bytes(request: &Request) -> usize {
    let path = request
        .uri()
        .path_and_query()
        .map_or(0, |p| p.as_str().len());
    let line = request.method().as_str().len() + path + " HTTP/1.1\r\n".len() + 1;
    let fields = request.headers().iter();
    line + fields
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum::<usize>()
}
