//! The query's values.

use axum::extract::FromRequestParts;
use axum::extract::Query as AxumQuery;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

/// The query's values; the type denies those that it does not know.
pub struct Query<T>(pub T);

impl<S, T> FromRequestParts<S> for Query<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        match AxumQuery::try_from_uri(&parts.uri) {
            Ok(AxumQuery(value)) => Ok(Self(value)),
            Err(e) => Err(Refusal::invalid(format!(
                "the query is wrong: {}",
                e.body_text()
            ))),
        }
    }
}
