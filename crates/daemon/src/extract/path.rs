//! The path's parts.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

/// The path's parts, in their grammar.
pub struct InPath<T>(pub T);

impl<S, T> FromRequestParts<S> for InPath<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(e) => Err(Refusal::invalid(format!(
                "the path is wrong: {}",
                e.body_text()
            ))),
        }
    }
}
