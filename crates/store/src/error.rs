//! What a store can answer instead of what was asked. The kinds map one to one to HTTP statuses.

/// A store's refusal or failure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such room, message or run.
    #[error("{0}")]
    NotFound(String),
    /// The call contradicts itself or the store's rules.
    #[error("{0}")]
    InvalidRequest(String),
    /// The name or key is in use for something else.
    #[error("{0}")]
    Conflict(String),
    /// This implementation cannot do it.
    #[error("this store cannot {operation}")]
    Unsupported {
        /// What was asked.
        operation: &'static str,
    },
    /// The disk is full or a bound is reached; nothing was half-written.
    #[error("{0}")]
    ResourceExhausted(String),
    /// The store failed.
    #[error("{0}")]
    Internal(String),
}

/// A store's answer.
pub type Result<T> = std::result::Result<T, Error>;
