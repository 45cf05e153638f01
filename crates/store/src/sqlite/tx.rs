//! What a call sees of the transaction that it is part of.

use std::cell::Cell;
use std::ops::Deref;

use room_protocol::{EventKind, How, RunId, Timestamp};
use rusqlite::{Connection, params};

/// The transaction; reads like the connection.
#[derive(Debug)]
pub(super) struct Tx<'c> {
    conn: &'c Connection,
    marks: Cell<Marks>,
}

/// The highest event cursor and message number that the transaction wrote; 0 for none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    pub cursor: u64,
    pub number: u64,
}

/// What an event is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    pub room: i64,
    pub number: Option<i64>,
    pub run: Option<&'a RunId>,
    pub how: Option<How>,
    pub exit_code: Option<i32>,
}

impl<'a> About<'a> {
    /// A message.
    pub fn message(room: i64, number: i64) -> Self {
        let number = Some(number);
        Self {
            number,
            ..Self::room(room)
        }
    }

    /// A run.
    pub fn run(room: i64, run: &'a RunId) -> Self {
        let run = Some(run);
        Self {
            run,
            ..Self::room(room)
        }
    }

    fn room(room: i64) -> Self {
        Self {
            room,
            number: None,
            run: None,
            how: None,
            exit_code: None,
        }
    }
}

impl<'c> Tx<'c> {
    pub fn new(conn: &'c Connection) -> Self {
        Self {
            conn,
            marks: Cell::default(),
        }
    }

    pub fn marks(&self) -> Marks {
        self.marks.get()
    }

    /// Forgets what a call marked that was undone.
    pub fn reset(&self, marks: Marks) {
        self.marks.set(marks);
    }

    /// Notes a number that was written.
    pub fn wrote(&self, number: u64) {
        let mut marks = self.marks.get();
        marks.number = marks.number.max(number);
        self.marks.set(marks);
    }

    /// Does one statement, prepared once; answers how many rows it changed.
    pub fn done(&self, sql: &str, params: impl rusqlite::Params) -> rusqlite::Result<usize> {
        self.conn.prepare_cached(sql)?.execute(params)
    }

    /// Writes an event; answers its cursor.
    pub fn event(&self, at: Timestamp, kind: EventKind, about: About<'_>) -> rusqlite::Result<i64> {
        self.done(
            "INSERT INTO event (at, kind, room, number, run, how, exit_code)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                at.unix_ms(),
                kind.as_str(),
                about.room,
                about.number,
                about.run.map(RunId::as_str),
                about.how.map(How::as_str),
                about.exit_code,
            ],
        )?;
        let cursor = self.conn.last_insert_rowid();
        let mut marks = self.marks.get();
        marks.cursor = cursor.unsigned_abs();
        self.marks.set(marks);
        Ok(cursor)
    }
}

impl Deref for Tx<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.conn
    }
}
