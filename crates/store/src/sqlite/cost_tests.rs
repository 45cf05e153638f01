//! What questions cost, counted in steps of SQLite's machine instead of in time.

use room_protocol::{Author, AuthorKind, How, MessageId, RoomName, RunId, Timestamp};
use rusqlite::{Connection, StatementStatus, params};

use super::inbox::{self, ABOVE, COUNT, NEWEST, NUMBERS, PEOPLE};
use super::tx::Tx;
use super::{acknowledge, append, floor, open, room, run};
use crate::{AckItem, Acknowledgement, InboxQuery, NewMessage, NewRun};

struct House {
    conn: Connection,
    next: u64,
    _dir: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let conn = open::writer(&dir.path().join("room.db")).unwrap();
        // Nothing here is about the disk.
        conn.pragma_update(None, "synchronous", "OFF").unwrap();
        let house = Self {
            conn,
            next: 1,
            _dir: dir,
        };
        house.done(|tx| room::create(tx, &demo(), at()));
        house
    }

    fn done<T>(&self, work: impl FnOnce(&Tx<'_>) -> super::fault::Outcome<T>) -> T {
        self.conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        let answer = work(&Tx::new(&self.conn)).unwrap();
        self.conn.execute_batch("COMMIT").unwrap();
        answer
    }

    fn open(&self, id: &str) {
        let new = NewRun {
            id: id.parse().unwrap(),
            room: demo(),
            name: id.parse().unwrap(),
            cli: "claude".to_owned(),
            credential_hash: [0; 32],
            git: room_protocol::runfile::GitPolicy::Off,
            history: true,
            opened_at: at(),
            floor: self.next - 1,
        };
        self.done(|tx| run::open(tx, &new));
    }

    /// Posts so many messages; answers their ids.
    fn post(&mut self, count: u64, author: Option<&str>, to: Option<&str>) -> Vec<MessageId> {
        let numbers = self.next..self.next + count;
        self.next += count;
        let message = |number| NewMessage {
            id: format!("{number:08x}-0000-7000-8000-000000000000")
                .try_into()
                .unwrap(),
            number,
            room: demo(),
            author: Author {
                name: "ana".parse().unwrap(),
                kind: AuthorKind::Person,
                run: author.map(|run| run.parse().unwrap()),
                room: None,
            },
            body: "words".to_owned(),
            sent_at: at(),
            to: to.map(|run| run.parse().unwrap()),
            reply_to: None,
            quotes: Vec::new(),
            key: None,
        };
        let messages: Vec<NewMessage> = numbers.map(message).collect();
        self.done(|tx| append::append(tx, &messages));
        messages.into_iter().map(|m| m.id).collect()
    }

    fn acknowledge(&self, id: &str, messages: &[MessageId]) {
        for some in messages.chunks(100) {
            let item = |id: &MessageId| AckItem {
                id: id.clone(),
                offset: None,
            };
            let ack = Acknowledgement {
                run: id.parse().unwrap(),
                how: How::Relayed,
                at: at(),
                session: None,
                printed: None,
                confirmed: false,
                items: some.iter().map(item).collect(),
                introduced: false,
            };
            let acked = self.done(|tx| acknowledge::acknowledge(tx, &ack));
            assert_eq!(acked.settled.len(), some.len());
        }
    }

    /// A room with a long past: everything in it was taken by each of three runs, posted by one of
    /// them, or meant for another.
    fn with_past(messages: u64) -> Self {
        let mut house = Self::new();
        let runs = ["r1", "r2", "r3"];
        for run in runs {
            house.open(run);
        }
        for _ in 0..messages / 10 {
            let all = house.post(6, None, None);
            for run in runs {
                house.acknowledge(run, &all);
            }
            house.post(2, None, Some("r3"));
            let own = house.post(2, Some("r1"), None);
            house.acknowledge("r2", &own);
            house.acknowledge("r3", &own);
        }
        house
    }

    /// Steps of one of the inbox's statements for a run, and rows of whole tables that it went over.
    fn steps(&self, sql: &str, id: &str) -> (i32, i32) {
        let seat = run::seat(&self.conn, &id.parse().unwrap()).unwrap();
        let mut statement = self.conn.prepare(sql).unwrap();
        let limit = statement.parameter_count() > 4;
        let (id, seq, room, floor) = (seat.id.as_str(), seat.seq, seat.room, seat.floor);
        let mut rows = if limit {
            statement.query(params![seq, room, floor, id, 100]).unwrap()
        } else {
            statement.query(params![seq, room, floor, id]).unwrap()
        };
        while rows.next().unwrap().is_some() {}
        drop(rows);
        (
            statement.get_status(StatementStatus::VmStep),
            statement.get_status(StatementStatus::FullscanStep),
        )
    }

    fn waiting(&self, id: &str) -> inbox::Found<u64> {
        let seat = run::seat(&self.conn, &id.parse().unwrap()).unwrap();
        inbox::waiting(&self.conn, &seat).unwrap()
    }

    fn numbers(&self, id: &str, newest: bool) -> Vec<u64> {
        let query = InboxQuery {
            run: id.parse().unwrap(),
            session: None,
            limit: usize::MAX,
            bytes: usize::MAX,
            newest,
        };
        let found = inbox::inbox(&self.conn, &query).unwrap();
        found
            .answer
            .entries
            .iter()
            .map(|e| e.message.number)
            .collect()
    }
}

fn demo() -> RoomName {
    "demo".parse().unwrap()
}

fn at() -> Timestamp {
    Timestamp::from_unix_ms(0)
}

#[test]
fn a_question_costs_what_waits_and_not_what_the_room_has_grown_to() {
    let mut costs = Vec::new();
    for past in [300, 1_500] {
        let mut house = House::with_past(past);
        house.post(3, None, None);
        assert_eq!(house.waiting("r1").answer, 3);
        for sql in [COUNT, NUMBERS, NEWEST, PEOPLE, ABOVE] {
            let (steps, scanned) = house.steps(sql, "r1");
            assert_eq!(scanned, 0, "{sql}");
            assert!(steps < 1_000, "{steps} steps for 3 that wait: {sql}");
            costs.push((past, steps));
        }
    }
    let (short, long) = costs.split_at(costs.len() / 2);
    for ((_, short), (_, long)) in short.iter().zip(long) {
        assert_eq!(short, long);
    }
}

#[test]
fn a_question_is_planned_once() {
    let mut house = House::with_past(30);
    for waiting in 1..5 {
        house.post(1, None, None);
        for newest in [false, true] {
            assert_eq!(house.numbers("r1", newest).len(), waiting);
        }
    }
    for sql in [COUNT, NUMBERS, NEWEST, PEOPLE, ABOVE] {
        let statement = house.conn.prepare_cached(sql).unwrap();
        assert!(
            statement.get_status(StatementStatus::Run) > 3,
            "not the one that was used"
        );
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
    }
}

#[test]
fn the_inbox_scans_no_table() {
    let house = House::with_past(30);
    for sql in [COUNT, NUMBERS, NEWEST, PEOPLE, ABOVE] {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = house.conn.prepare(&explain).unwrap();
        let seat = run::seat(&house.conn, &"r1".parse::<RunId>().unwrap()).unwrap();
        let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str(), 9];
        let place = if statement.parameter_count() > 4 {
            place
        } else {
            &place[..4]
        };
        let rows = statement
            .query_map(place, |row| row.get::<_, String>(3))
            .unwrap();
        let plan: Vec<String> = rows.map(Result::unwrap).collect();
        for table in ["m ", "l "] {
            let scan = format!("SCAN {table}");
            assert!(!plan.iter().any(|line| line.contains(&scan)), "{plan:#?}");
        }
        assert!(
            plan.iter().any(|line| line.contains("SEARCH m USING")),
            "{plan:#?}"
        );
        assert!(
            plan.iter()
                .any(|line| line.contains("SEARCH l USING PRIMARY KEY")),
            "{plan:#?}"
        );
        assert!(
            !plan.iter().any(|line| line.contains("TEMP B-TREE")),
            "{plan:#?}"
        );
    }
}

#[test]
fn tidying_ends_the_stepping_over_what_was_dealt_with() {
    let mut house = House::new();
    house.open("r1");
    let first = house.post(1, None, None);
    house.post(5_000, Some("r1"), None);
    house.post(2, None, None);
    let dear = house.steps(COUNT, "r1").0;
    let mut rounds = 0;
    while house.waiting("r1").stepped_over > floor::SLACK {
        let id = "r1".parse().unwrap();
        house.done(|tx| floor::tidy(tx, &id));
        assert_eq!(house.waiting("r1").answer, 3);
        rounds += 1;
        assert!(rounds < 10, "tidying gets nowhere");
    }
    let cheap = house.steps(COUNT, "r1").0;
    assert!(
        cheap < 2_000 && dear > 20 * cheap,
        "{dear} steps, then {cheap}"
    );
    assert_eq!(house.numbers("r1", false), [1, 5_002, 5_003]);
    house.acknowledge("r1", &first);
    assert_eq!(house.numbers("r1", false), [5_002, 5_003]);
}

#[test]
fn an_opening_costs_what_it_attaches() {
    let mut costs = Vec::new();
    for past in [300, 1_500] {
        let mut house = House::with_past(past);
        house.post(3, None, None);
        house.open("late");
        assert_eq!(house.waiting("late").answer, 3);
        let seat = run::seat(&house.conn, &"late".parse().unwrap()).unwrap();
        house.done(|tx| Ok(tx.execute("DELETE FROM pending WHERE run = ?1", [seat.seq])?));
        let mut attach = house.conn.prepare(run::ATTACH).unwrap();
        let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str()];
        assert_eq!(attach.execute(place).unwrap(), 3);
        assert_eq!(attach.get_status(StatementStatus::FullscanStep), 0);
        costs.push(attach.get_status(StatementStatus::VmStep));
    }
    assert_eq!(costs[0], costs[1]);
}
