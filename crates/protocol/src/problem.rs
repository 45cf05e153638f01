//! Errors on the wire: `application/problem+json` (RFC 9457).

use std::fmt;

use serde::{Deserialize, Serialize};

/// The media type of a [`Problem`].
pub const CONTENT_TYPE: &str = "application/problem+json";

/// What kind of problem, each with its HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The request's form is wrong (400).
    InvalidRequest,
    /// No or a wrong credential, or its run has ended (401).
    Unauthorized,
    /// The peer may not do this (403).
    Forbidden,
    /// No such room, message, run or path (404).
    NotFound,
    /// The path has no such method (405).
    MethodNotAllowed,
    /// Nothing happened in the time given (408).
    Timeout,
    /// Another holder's lease is still in force (409).
    LeaseHeld,
    /// The message was taken already (409).
    Taken,
    /// The name or key is in use for something else (409).
    Conflict,
    /// The run that is named has ended (409).
    RunEnded,
    /// The body, header or request is over its bound (413).
    TooLarge,
    /// The media type is not JSON (415).
    UnsupportedMediaType,
    /// Too many connections or files (429).
    TooMany,
    /// The daemon failed (500).
    Internal,
    /// The daemon is ending (503).
    Unavailable,
    /// The disk is full; nothing was half-written (507).
    StorageFull,
}

impl ProblemKind {
    /// The HTTP status.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Timeout => 408,
            Self::LeaseHeld | Self::Taken | Self::Conflict | Self::RunEnded => 409,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::TooMany => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
            Self::StorageFull => 507,
        }
    }

    /// A short sentence for the kind.
    pub fn title(self) -> &'static str {
        match self {
            Self::InvalidRequest => "The request is not valid",
            Self::Unauthorized => "No valid credential",
            Self::Forbidden => "Not allowed",
            Self::NotFound => "Not found",
            Self::MethodNotAllowed => "No such method here",
            Self::Timeout => "Nothing happened in time",
            Self::LeaseHeld => "Another hook is showing this run's messages",
            Self::Taken => "The message was taken already",
            Self::Conflict => "Already in use",
            Self::RunEnded => "The run has ended",
            Self::TooLarge => "Too large",
            Self::UnsupportedMediaType => "JSON is wanted",
            Self::TooMany => "Too many",
            Self::Internal => "The daemon failed",
            Self::Unavailable => "The daemon is ending",
            Self::StorageFull => "The disk is full",
        }
    }
}

/// A problem: what was wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: ProblemKind,
    /// A short sentence for the kind.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong this time, and what to do.
    pub detail: String,
}

impl Problem {
    /// A problem of a kind, with what was wrong this time.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            title: kind.title().to_owned(),
            status: kind.status(),
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}
