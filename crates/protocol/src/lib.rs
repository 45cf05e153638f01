//! The words that agent-room's parts speak to each other: names, limits, wire types, the layout
//! of `$ROOM_HOME`, and the one renderer of what an agent is shown.
//!
//! Nothing here does input or output, and nothing here depends on anything but `serde`.

pub mod delivery;
pub mod event;
pub mod frame;
pub mod lane;
pub mod layout;
pub mod limits;
pub mod message;
pub mod names;
pub mod operator;
pub mod problem;
pub mod run;
pub mod runfile;
pub mod time;

pub use delivery::{Delivery, How, Proof, ProofKind};
pub use event::{Event, EventKind};
pub use message::{Author, AuthorKind, Message, MessageId, Status};
pub use names::{AuthorName, Handle, InvalidName, RoomName, RunId};
pub use problem::{Problem, ProblemKind};
pub use run::{Run, RunState};
pub use time::Timestamp;
