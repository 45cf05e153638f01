//! What large request bodies take of memory, all together: a bound for each lane, so that no run can
//! keep the operator's out.

use std::time::Duration;

use room_protocol::ProblemKind;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::accept::Lane;
use crate::refusal::{Refusal, Result};

/// Not counted: what hooks send is smaller, and so never waits for what others send.
pub const SMALL_BYTES: usize = 16 * 1024;
/// How long a large body waits until others have gone.
const WAIT: Duration = Duration::from_secs(1);

/// What is left, in bytes.
#[derive(Debug)]
pub struct Bodies {
    operator: Semaphore,
    run: Semaphore,
}

impl Bodies {
    /// So many bytes for each lane.
    pub fn new(bytes: usize) -> Self {
        Self {
            operator: Semaphore::new(bytes),
            run: Semaphore::new(bytes),
        }
    }

    /// Room for a body of so many bytes, until it is dropped; nothing is needed for a small one.
    /// Errors: 429.
    pub async fn room(&self, lane: Lane, bytes: usize) -> Result<Option<SemaphorePermit<'_>>> {
        if bytes <= SMALL_BYTES {
            return Ok(None);
        }
        let left = match lane {
            Lane::Operator => &self.operator,
            Lane::Run => &self.run,
        };
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        match tokio::time::timeout(WAIT, left.acquire_many(bytes)).await {
            Ok(Ok(permit)) => Ok(Some(permit)),
            _ => Err(Refusal::new(
                ProblemKind::TooMany,
                "too many large requests at once; ask again in a moment",
            )),
        }
    }
}
