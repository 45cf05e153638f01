//! The request's JSON body: bounded in size and in time.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderValue};
use futures_util::StreamExt;
use room_protocol::ProblemKind;
use room_protocol::limits::REQUEST_BYTES;
use serde::de::DeserializeOwned;
use tokio::sync::SemaphorePermit;

use crate::accept::Lane;
use crate::bodies::SMALL_BYTES;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Read and thrown away of a body that is too large, so that its sender gets to read the refusal
/// instead of a broken pipe.
const DRAINED_BYTES: usize = 16 * REQUEST_BYTES;

/// A JSON body.
pub struct Body<T>(pub T);

/// A JSON body that may be absent.
pub struct BodyOr<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Daemon>> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, daemon: &Arc<Daemon>) -> Result<Self> {
        json_type(request.headers())?;
        let whole = whole(request, daemon).await?;
        parse(&whole.bytes).map(Self)
    }
}

impl<T: DeserializeOwned + Default> FromRequest<Arc<Daemon>> for BodyOr<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, daemon: &Arc<Daemon>) -> Result<Self> {
        let typed = json_type(request.headers());
        let whole = whole(request, daemon).await?;
        if whole.bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        typed?;
        parse(&whole.bytes).map(Self)
    }
}

fn json_type(headers: &HeaderMap) -> Result<()> {
    let name = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let essence = name.and_then(|n| n.split(|b| *b == b';').next());
    match essence.map(<[u8]>::trim_ascii) {
        Some(essence) if essence.eq_ignore_ascii_case(b"application/json") => Ok(()),
        _ => Err(Refusal::new(
            ProblemKind::UnsupportedMediaType,
            "send JSON, and say so: `Content-Type: application/json`",
        )),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| {
        let what = match e.classify() {
            serde_json::error::Category::Data => "does not fit",
            _ => "is not JSON",
        };
        Refusal::invalid(format!("the body {what}: {e}"))
    })
}

/// A body, and its place in memory.
struct Whole<'a> {
    bytes: Vec<u8>,
    _room: Option<SemaphorePermit<'a>>,
}

/// A whole body within its bounds.
async fn whole(request: Request, daemon: &Daemon) -> Result<Whole<'_>> {
    let lane = request.extensions().get::<Lane>();
    // Every connection has its lane; a request without one would be bounded like a run's.
    let lane = lane.copied().unwrap_or(Lane::Run);
    let within = match lane {
        Lane::Operator => daemon.limits.body_timeout,
        Lane::Run => daemon.limits.lane_body_timeout,
    };
    match tokio::time::timeout(within, read(request, daemon, lane)).await {
        Ok(read) => read,
        Err(_) => Err(Refusal::new(
            ProblemKind::Timeout,
            format!("the body did not come within {} s", within.as_secs_f32()),
        )),
    }
}

async fn read(request: Request, daemon: &Daemon, lane: Lane) -> Result<Whole<'_>> {
    // Nothing announced: there is none, or it comes in chunks.
    let chunked = request.headers().contains_key(TRANSFER_ENCODING);
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.parse::<usize>().ok())
        .unwrap_or(if chunked { REQUEST_BYTES } else { 0 });
    // One that is too large is not kept.
    let kept = if announced <= REQUEST_BYTES {
        announced
    } else {
        0
    };
    let room = daemon.bodies.room(lane, kept).await?;
    let mut bytes = Vec::with_capacity(kept.min(SMALL_BYTES));
    let mut seen = 0usize;
    let mut body = request.into_body().into_data_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|e| Refusal::invalid(format!("the body broke off: {e}")))?;
        seen += piece.len();
        if seen <= kept {
            bytes.extend_from_slice(&piece);
        } else if seen > DRAINED_BYTES {
            break;
        }
    }
    if seen > REQUEST_BYTES {
        return Err(Refusal::new(
            ProblemKind::TooLarge,
            format!("a request's body has at most {REQUEST_BYTES} bytes"),
        ));
    }
    Ok(Whole { bytes, _room: room })
}
