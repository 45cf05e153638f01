//! What may happen. Picks are taken modulo what there is to pick from.

use proptest::prelude::*;
use room_protocol::{How, Proof, ProofKind};

use crate::kit::proof;

/// Who says what to whom.
#[derive(Debug, Clone)]
pub struct Saying {
    /// Which of the two rooms; the first is where runs are at work more often.
    pub room: usize,
    /// A run that was opened, else a person.
    pub author: Option<usize>,
    /// A run that was opened, else all.
    pub to: Option<usize>,
    /// Out of few, so that they meet again.
    pub key: Option<u8>,
    /// Out of few bodies, one of them with characters of several bytes.
    pub body: u8,
}

#[derive(Debug, Clone)]
pub enum Op {
    /// Takes a number and keeps the message back.
    Reserve,
    /// Takes a number and writes at once.
    Post(Saying),
    /// Writes messages that were kept back, in any order, in one call.
    Late(Vec<(usize, Saying)>),
    /// Writes under a number that is in use, or that none is.
    Clash(usize, Saying),
    /// A run says so much that the others' questions get long.
    Chatter {
        run: usize,
    },
    /// Opens a run; `below` puts its floor under what was reserved.
    Open {
        room: usize,
        below: u64,
    },
    /// Opens a run whose id or name is in use.
    OpenAgain {
        run: usize,
    },
    End {
        run: usize,
    },
    /// Shows a run the first so many that wait.
    Show {
        run: usize,
        first: usize,
        session: usize,
        how: How,
        proof: Option<Proof>,
        confirmed: bool,
    },
    /// Shows a run a piece of one of the first that wait.
    Part {
        run: usize,
        nth: usize,
        upto: u64,
        session: usize,
    },
    /// Acknowledges whatever ids, whole or up to a byte.
    Acknowledge {
        run: usize,
        items: Vec<(usize, Option<u64>)>,
        session: usize,
        introduced: bool,
        proof: Option<Proof>,
        confirmed: bool,
    },
    Withdraw {
        message: usize,
    },
    Confirm {
        run: usize,
        session: usize,
        proof: Proof,
    },
    Adopt {
        run: usize,
        session: usize,
    },
    Forget {
        run: usize,
    },
    Update {
        run: usize,
        session: usize,
    },
    /// SQLite only: opens the file anew, after closing it or just letting go of it.
    Reopen {
        close: bool,
    },
}

fn pick() -> impl Strategy<Value = usize> {
    0..1_000_usize
}

fn session() -> impl Strategy<Value = usize> {
    0..3_usize
}

fn saying() -> impl Strategy<Value = Saying> {
    (
        prop_oneof![4 => Just(0), 1 => Just(1)],
        prop::option::weighted(0.3, pick()),
        prop::option::weighted(0.3, pick()),
        prop::option::weighted(0.3, 0..4_u8),
        0..3_u8,
    )
        .prop_map(|(room, author, to, key, body)| Saying {
            room,
            author,
            to,
            key,
            body,
        })
}

fn how() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Opened, How::Relayed, How::Gated, How::Read])
}

fn moment() -> impl Strategy<Value = Proof> {
    use ProofKind::{Batch, Prompt, Read, Start, Stop, Tool};
    let kind = prop::sample::select(vec![Start, Prompt, Tool, Batch, Stop, Read]);
    (kind, 0..2_u8).prop_map(|(kind, mark)| proof(kind, &mark.to_string()))
}

fn printed() -> impl Strategy<Value = Option<Proof>> {
    prop::option::weighted(0.8, moment())
}

pub fn op() -> impl Strategy<Value = Op> {
    let items = prop::collection::vec((pick(), prop::option::weighted(0.5, 0..30_u64)), 0..6);
    prop_oneof![
        4 => Just(Op::Reserve),
        8 => saying().prop_map(Op::Post),
        6 => prop::collection::vec((pick(), saying()), 1..4).prop_map(Op::Late),
        1 => (pick(), saying()).prop_map(|(n, s)| Op::Clash(n, s)),
        1 => pick().prop_map(|run| Op::Chatter { run }),
        5 => (prop_oneof![4 => Just(0_usize), 1 => Just(1)], prop_oneof![3 => Just(0), 1 => 0..4_u64])
            .prop_map(|(room, below)| Op::Open { room, below }),
        1 => pick().prop_map(|run| Op::OpenAgain { run }),
        3 => pick().prop_map(|run| Op::End { run }),
        8 => (pick(), 1..4_usize, session(), how(), printed(), prop::bool::weighted(0.2)).prop_map(
            |(run, first, session, how, proof, confirmed)| Op::Show {
                run, first, session, how, proof, confirmed,
            }
        ),
        6 => (pick(), 0..2_usize, 0..20_u64, session())
            .prop_map(|(run, nth, upto, session)| Op::Part { run, nth, upto, session }),
        8 => (
            pick(), items, session(), any::<bool>(), printed(), prop::bool::weighted(0.2)
        ).prop_map(
            |(run, items, session, introduced, proof, confirmed)| Op::Acknowledge {
                run, items, session, introduced, proof, confirmed,
            }
        ),
        3 => pick().prop_map(|message| Op::Withdraw { message }),
        4 => (pick(), session(), moment())
            .prop_map(|(run, session, proof)| Op::Confirm { run, session, proof }),
        3 => (pick(), session()).prop_map(|(run, session)| Op::Adopt { run, session }),
        1 => pick().prop_map(|run| Op::Forget { run }),
        1 => (pick(), session()).prop_map(|(run, session)| Op::Update { run, session }),
        1 => any::<bool>().prop_map(|close| Op::Reopen { close }),
    ]
}
