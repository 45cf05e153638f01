//! What handlers take from a request; whatever does not fit is refused as a problem.

mod body;
mod credentialed;
mod path;
mod peer;
mod query;

pub use body::{Body, BodyOr};
pub use credentialed::{Credentialed, EvenEnded};
pub use path::InPath;
pub use peer::Peer;
pub use query::Query;
