//! The writing thread on a database that may not grow.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, mpsc};

use room_protocol::{RoomName, Timestamp};
use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::writer::{self, Call, Known, call};
use super::{open, room};
use crate::{Error, Result, RoomRecord};

/// Asks for a room.
fn create(name: &str) -> (Call, oneshot::Receiver<Result<(RoomRecord, bool)>>) {
    let name: RoomName = name.parse().unwrap();
    call(move |tx| room::create(tx, &name, Timestamp::from_unix_ms(0)))
}

/// Asks for so many bytes in a table of the test's own.
fn fill(bytes: i64) -> (Call, oneshot::Receiver<Result<usize>>) {
    call(move |tx| Ok(tx.done("INSERT INTO filling VALUES (zeroblob(?1))", [bytes])?))
}

fn pages(conn: &Connection) -> i64 {
    conn.query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap()
}

/// Puts all calls in the queue, so that they meet in one batch, and works them off.
fn work(conn: &Connection, calls: Vec<Call>) -> Arc<Known> {
    let (queue, called) = mpsc::channel();
    for call in calls {
        queue.send(call).unwrap();
    }
    drop(queue);
    let known = Arc::new(Known {
        cursor: watch::Sender::new(0),
        number: AtomicU64::new(0),
    });
    writer::run(conn, "/home/room.db".into(), &called, &known);
    known
}

#[test]
fn one_that_does_not_fit_keeps_nobody_else_out() {
    let dir = tempfile::tempdir().unwrap();
    let conn = open::writer(&dir.path().join("room.db")).unwrap();
    conn.execute_batch("CREATE TABLE filling (bytes BLOB)")
        .unwrap();
    let limit = pages(&conn) + 4;
    conn.query_row(&format!("PRAGMA max_page_count = {limit}"), [], |_| Ok(()))
        .unwrap();

    let (first, mut before) = create("before");
    let (large, mut told) = fill(1_000_000);
    let (last, mut after) = create("after");
    work(&conn, vec![first, large, last]);
    assert!(before.try_recv().unwrap().unwrap().1);
    assert!(after.try_recv().unwrap().unwrap().1);
    let error = told.try_recv().unwrap().unwrap_err();
    let Error::ResourceExhausted(text) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        text,
        "the disk of /home/room.db is full; nothing was written"
    );

    // And by itself.
    let (large, mut told) = fill(1_000_000);
    work(&conn, vec![large]);
    assert!(matches!(
        told.try_recv().unwrap(),
        Err(Error::ResourceExhausted(_))
    ));
    let filled: i64 = conn
        .query_row("SELECT count(*) FROM filling", [], |row| row.get(0))
        .unwrap();
    assert_eq!(filled, 0);

    conn.query_row(
        &format!("PRAGMA max_page_count = {}", limit * 100),
        [],
        |_| Ok(()),
    )
    .unwrap();
    let (large, mut told) = fill(1_000_000);
    work(&conn, vec![large]);
    assert_eq!(told.try_recv().unwrap().unwrap(), 1);
}

#[test]
fn more_than_a_batch_is_worked_off_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let conn = open::writer(&dir.path().join("room.db")).unwrap();
    let (calls, answers): (Vec<_>, Vec<_>) =
        (0..1_200).map(|n| create(&format!("r{}", n / 2))).unzip();
    work(&conn, calls);
    for (n, mut answer) in answers.into_iter().enumerate() {
        let (room, new) = answer.try_recv().unwrap().unwrap();
        assert_eq!(
            (room.name.as_str(), new),
            (format!("r{}", n / 2).as_str(), n % 2 == 0)
        );
    }
}

#[test]
fn nothing_of_a_failed_batch_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let conn = open::writer(&dir.path().join("room.db")).unwrap();
    let (lost, mut told) = call(|tx| -> super::fault::Outcome<()> {
        let room: RoomName = "demo".parse().unwrap();
        room::create(tx, &room, Timestamp::from_unix_ms(0))?;
        let about = super::tx::About::message(1, 7);
        tx.event(
            Timestamp::from_unix_ms(0),
            room_protocol::EventKind::Posted,
            about,
        )?;
        tx.wrote(7);
        Err(Error::Conflict("no".to_owned()).into())
    });
    let known = work(&conn, vec![lost]);
    assert!(matches!(told.try_recv().unwrap(), Err(Error::Conflict(_))));
    assert_eq!(*known.cursor.borrow(), 0);
    assert_eq!(known.number.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert!(room::all(&conn).unwrap().is_empty());
}
