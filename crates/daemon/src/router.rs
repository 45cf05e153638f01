//! Both lanes' routers, with what holds for every request.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use crate::handlers::{lane, no_path, no_such_method, operator};
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
        .layer(from_fn_with_state(Arc::clone(daemon), counted))
        .with_state(Arc::clone(daemon))
}

/// Counts the request.
async fn counted(State(daemon): State<Arc<Daemon>>, request: Request, next: Next) -> Response {
    let call = match request.extensions().get::<MatchedPath>() {
        Some(path) => format!("{} {}", known(request.method()), path.as_str()),
        None => "unknown".to_owned(),
    };
    let response = next.run(request).await;
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
