//! Every number of the contract, in one place, with its unit.

use std::time::Duration;

/// Least time between two questions of one run's after-tool hooks (`ROOM_INTERVAL` overrides it).
pub const INTERVAL: Duration = Duration::from_secs(2);
/// Longest `ROOM_INTERVAL` that is believed: a day.
pub const INTERVAL_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest pause after failed questions; it doubles from the interval up to this.
pub const FAILURE_PAUSE_MAX: Duration = Duration::from_secs(30);
/// An after-tool hook is done within this, connecting included.
pub const AFTER_TOOL_DEADLINE: Duration = Duration::from_millis(500);
/// Stop, prompt and session hooks are done within this, connecting included.
pub const TURN_DEADLINE: Duration = Duration::from_secs(2);
/// How long a stop, prompt or session hook waits for the run's lock.
pub const LOCK_WAIT: Duration = Duration::from_millis(300);
/// A lease that nobody acknowledged or gave back ends after this.
pub const LEASE: Duration = Duration::from_secs(5);
/// The git question of the stop gate is dropped alone after this.
pub const GIT_DEADLINE: Duration = Duration::from_millis(400);
/// The timeout that we wire into agent CLIs for each hook; far above our own deadlines.
pub const WIRED_TIMEOUT: Duration = Duration::from_secs(5);
/// No sign of life for this long makes a run `stale` (not the same as gone).
pub const STALE_AFTER: Duration = Duration::from_secs(120);
/// A run's directory is removed this long after the run ended.
pub const RUN_DIR_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// One context, in bytes of rendered text. Claude Code moves longer text than 10,000 characters to
/// a file and shows 2 kB of it; Codex cuts at about 10,000 bytes.
pub const CONTEXT_BYTES: usize = 8_000;
/// The opening text with a task, in characters.
pub const OPENING_CHARS: usize = 32_000;
/// A message's body, in bytes.
pub const BODY_BYTES: usize = 64 * 1024;
/// A request's header section, in bytes.
pub const HEADER_BYTES: usize = 8 * 1024;
/// A request's body, in bytes.
pub const REQUEST_BYTES: usize = 1024 * 1024;
/// An answer that a hook or the command line reads, in bytes; beyond it the answer is refused.
pub const ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// A run's `hooks.log`, in bytes; then it is rotated once.
pub const HOOKS_LOG_BYTES: u64 = 64 * 1024;
/// What a hook reads of its payload, in bytes; the rest is drained unread.
pub const PAYLOAD_BYTES: usize = 4 * 1024 * 1024;
/// Any file of a run's directory that we read, in bytes.
pub const RUN_FILE_BYTES: u64 = 64 * 1024;

/// How often one stop chain is blocked for room messages at most.
pub const GATE_BLOCKS: u32 = 4;
/// How often one stop chain is blocked when only agents' messages wait.
pub const GATE_AGENT_BLOCKS: u32 = 1;

/// An author's or run's name, in characters.
pub const NAME_CHARS: usize = 64;
/// A session, chain, tool or mark that a hook reports, in bytes; longer ones are cut.
pub const WORD_BYTES: usize = 256;
/// An idempotency key, in bytes.
pub const KEY_BYTES: usize = 128;
/// Quotes of one message.
pub const QUOTES: usize = 32;
/// Ids named in one acknowledgement.
pub const ITEMS: usize = 1_000;
/// Files waiting in a run's outbox.
pub const OUTBOX_FILES: usize = 256;
/// Messages in one page of a listing.
pub const PAGE: usize = 500;
/// Connections that the daemon serves at once, both lanes together.
pub const CONNECTIONS: usize = 4_096;
/// How many of them one process may have on the run lane.
pub const LANE_CONNECTIONS: usize = 64;
/// A request's header on the run lane is complete within this.
pub const LANE_HEADER_WAIT: Duration = Duration::from_secs(2);
/// A request's body on the run lane is complete within this.
pub const LANE_BODY_WAIT: Duration = Duration::from_secs(5);
/// Large request bodies in memory at once, on each lane, in bytes.
pub const BODIES_BYTES: usize = 16 * REQUEST_BYTES;
