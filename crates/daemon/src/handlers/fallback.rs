//! Paths and methods that are not there.

use axum::http::{Method, Uri};
use room_protocol::ProblemKind;

use crate::refusal::Refusal;

/// 404 for an unknown path.
pub async fn no_path(uri: Uri) -> Refusal {
    Refusal::not_found(format!("there is nothing at {}", shown(uri.path())))
}

/// 405 for a method that the path does not have.
pub async fn no_such_method(method: Method, uri: Uri) -> Refusal {
    Refusal::new(
        ProblemKind::MethodNotAllowed,
        format!("{} takes no {method}", shown(uri.path())),
    )
}

fn shown(path: &str) -> &str {
    &path[..path.floor_char_boundary(200)]
}
