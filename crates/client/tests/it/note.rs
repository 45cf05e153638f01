//! The note between a lease and its acknowledgement.

use std::fs;

use room_client::Note;
use room_protocol::lane::Item;
use room_protocol::layout::run_files::{LOG, NOTE, NOTE_BEGUN};
use room_protocol::{How, MessageId, Proof, ProofKind, limits};

use crate::dir::run;

fn id(n: u32) -> MessageId {
    format!("0193a8f0-0000-7000-8000-{n:012x}")
        .try_into()
        .unwrap()
}

fn note(ids: impl IntoIterator<Item = u32>) -> Note {
    Note {
        lease: Some("l1".to_owned()),
        how: How::Relayed,
        session: Some("s".to_owned()),
        printed: Some(Proof {
            kind: ProofKind::Batch,
            mark: "t1".to_owned(),
        }),
        introduced: true,
        items: ids
            .into_iter()
            .map(|n| Item {
                id: id(n),
                offset: (n == 2).then_some(77),
            })
            .collect(),
    }
}

#[test]
fn only_a_committed_note_is_found_and_it_stays_until_cleared() {
    let (_dir, run) = run();
    assert_eq!(Note::take(&run), None);
    Note::begin(&run, &note([1, 2])).unwrap();
    assert_eq!(Note::take(&run), None);
    Note::commit(&run).unwrap();
    assert_eq!(Note::take(&run), Some(note([1, 2])));
    assert_eq!(Note::take(&run), Some(note([1, 2])));
    // What was begun later and not printed changes nothing.
    Note::begin(&run, &note([3])).unwrap();
    assert_eq!(Note::take(&run), Some(note([1, 2])));
    Note::abandon(&run).unwrap();
    Note::clear(&run).unwrap();
    assert_eq!(Note::take(&run), None);
    Note::clear(&run).unwrap();
    assert!(Note::commit(&run).is_err());
}

#[test]
fn refused_ids_are_dropped_from_it() {
    let (_dir, run) = run();
    let left = note([1, 2, 3])
        .without(&run, &[id(1), id(3), id(9)])
        .unwrap();
    assert_eq!(left, Some(note([2])));
    assert_eq!(Note::take(&run), left);
    assert_eq!(left.unwrap().without(&run, &[id(2)]).unwrap(), None);
    assert_eq!(Note::take(&run), None);
}

#[test]
fn the_acknowledgement_says_what_the_note_says() {
    let ack = note([2]).acknowledgement();
    let json = serde_json::to_value(&ack).unwrap();
    assert_eq!(json, serde_json::to_value(note([2])).unwrap());
}

#[test]
fn the_largest_note_can_be_read_again() {
    let (_dir, run) = run();
    let most = u32::try_from(limits::ITEMS).unwrap();
    let largest = note(10..10 + most);
    Note::begin(&run, &largest).unwrap();
    Note::commit(&run).unwrap();
    assert_eq!(Note::take(&run), Some(largest));
}

#[test]
fn a_note_without_sense_is_dropped_and_logged() {
    let too_many = serde_json::to_string(&Note {
        session: None,
        ..note(0..u32::try_from(limits::ITEMS).unwrap() + 1)
    })
    .unwrap();
    for wrong in ["", "{", "[]", "null", &too_many, &"x".repeat(100_000)] {
        let (dir, run) = run();
        fs::write(dir.path().join(NOTE), wrong).unwrap();
        assert_eq!(Note::take(&run), None);
        assert!(!dir.path().join(NOTE).exists());
        assert!(!dir.path().join(NOTE_BEGUN).exists());
        let log = fs::read_to_string(dir.path().join(LOG)).unwrap();
        assert!(log.contains("dropped the note"), "{log}");
    }
}
