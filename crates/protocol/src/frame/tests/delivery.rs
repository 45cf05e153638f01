//! Rendering again and again with what is left shows everything once, in order, whole.

use proptest::prelude::*;

use super::forgery::{any_budget, any_purpose, any_waiting, parse};
use super::*;
use crate::frame::{FULL_BYTES, SHORT_BYTES, context, head, line, lines, parts, visible};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn everything_comes_once_in_order_and_whole(
        wait in any_waiting(),
        calls in prop::collection::vec((any_purpose(), any::<bool>(), any_budget()), 1..6),
    ) {
        let room = room("demo");
        let mut left = wait.clone();
        let mut seen = vec![String::new(); wait.len()];
        let mut finished: Vec<usize> = Vec::new();
        let mut calls = calls.into_iter().cycle();
        while !left.is_empty() {
            let (purpose, introduce, budget) = calls.next().unwrap();
            // An opening chooses the newest; it has its own test.
            let purpose = match purpose {
                Purpose::Opening | Purpose::Handover => Purpose::Relay,
                other => other,
            };
            let c = Context { purpose, introduce, budget, ..relay(&room, &left) };
            let rendered = context(&c).unwrap();
            prop_assert!(!rendered.shown.is_empty());
            let begun = left[0].offset > 0;
            for shown in &rendered.shown {
                let index = wait.iter().position(|w| w.message.id == shown.id).unwrap();
                let at = left.iter().position(|w| w.message.id == shown.id).unwrap();
                // In the given order, and a message that was begun before all others.
                prop_assert_eq!(at, 0);
                let body = &wait[index].message.body;
                let from = usize::try_from(left[0].offset).unwrap();
                match shown.offset {
                    Some(to) => {
                        let to = usize::try_from(to).unwrap();
                        prop_assert!(to > from && to < body.len());
                        prop_assert_eq!(rendered.shown.len(), 1);
                        seen[index].push_str(&body[from..to]);
                        left[0].offset = to as u64;
                    }
                    None => {
                        seen[index].push_str(&body[from..]);
                        finished.push(index);
                        left.remove(0);
                    }
                }
            }
            if begun {
                prop_assert_eq!(rendered.shown.len(), 1);
            }
        }
        prop_assert_eq!(finished, (0..wait.len()).collect::<Vec<_>>());
        for (seen, w) in seen.iter().zip(&wait) {
            prop_assert_eq!(seen, &w.message.body);
        }
    }

    #[test]
    fn the_quoted_parts_join_to_the_body(
        body in "([a-z ]{0,90}(\n|é|\u{1f600}|\u{1b}|\u{202e}|\t)){0,300}[a-z]{0,9000}\n{0,3}",
    ) {
        let room = room("demo");
        let mut w = [waiting(message(1, person(), &body))];
        let mut joined = String::new();
        let mut offsets = Vec::new();
        loop {
            let rendered = context(&relay(&room, &w)).unwrap();
            let parsed = parse(&rendered.text);
            joined.push_str(&parsed[1].1.join("\n"));
            let Some(offset) = rendered.shown[0].offset else { break };
            let tail = &parsed.last().unwrap().0;
            if !tail.contains(", within a line") {
                joined.push('\n');
            }
            offsets.push(usize::try_from(offset).unwrap());
            w[0].offset = offset;
        }
        let whole: Vec<String> = lines(&body).map(visible).collect();
        prop_assert_eq!(joined, whole.join("\n"));
        // The boundaries are the body's, whatever else the contexts held.
        if !offsets.is_empty() {
            offsets.push(body.len());
            prop_assert_eq!(offsets, parts::ends(&body, limits::CONTEXT_BYTES - FULL_BYTES));
        }
    }

    #[test]
    fn an_opening_shows_the_newest_in_order_and_leaves_the_rest(
        wait in any_waiting(), introduce: bool, budget in any_budget(), old in 0u64..20,
    ) {
        let room = room("demo");
        let history: Vec<Message> = (1..=old)
            .map(|n| Message { number: n, ..message(100 + n, agent(), "said before") })
            .collect();
        let wait: Vec<Waiting> = wait
            .into_iter()
            .map(|mut w| { w.message.number += 50; w })
            .collect();
        let c = Context {
            purpose: Purpose::Opening, introduce, budget, history: &history,
            history_total: old + wait.len() as u64, ..relay(&room, &wait)
        };
        let rendered = context(&c).unwrap();
        prop_assert!(rendered.text.len() <= budget);
        let numbers: Vec<u64> = rendered
            .shown
            .iter()
            .map(|s| wait.iter().find(|w| w.message.id == s.id).unwrap().message.number)
            .collect();
        prop_assert!(numbers.is_sorted());
        // Where the head says so, nothing newer is left out.
        let rest = wait.iter().filter(|w| !numbers.contains(&w.message.number));
        if rendered.text.contains(": the newest ") {
            let last = numbers.first().copied().unwrap_or(50);
            prop_assert!(rest.clone().all(|w| w.message.number < last), "{}", rendered.text);
        }
        // Those shown are the newest, but for ones too long to be shown whole at all.
        if let (Some(first), false) = (numbers.first(), rendered.shown.iter().any(|s| s.offset.is_some())) {
            let newer = wait.iter().filter(|w| w.message.number > *first);
            for w in newer.filter(|w| !numbers.contains(&w.message.number)) {
                let alone = [w.clone()];
                let c = Context { waiting: &alone, history: &[], ..c };
                let alone = context(&c).unwrap();
                prop_assert!(alone.shown[0].offset.is_some() || alone.text.len() + 200 > budget);
            }
        }
    }
}

/// What head, frame line and tail take at most, whoever makes them as long as they can be.
fn longest(full: bool) -> usize {
    let room = room(&"x".repeat(64));
    let long = Handle {
        room: room.clone(),
        number: u64::MAX,
    };
    let (me, other) = (run(&"r".repeat(128)), run(&"s".repeat(128)));
    let names = [
        "\u{1f600}".repeat(64),
        "\u{20000}".repeat(64),
        "\"".repeat(64),
    ];
    let purposes = [
        Purpose::Relay,
        Purpose::Gate,
        Purpose::Opening,
        Purpose::Handover,
        Purpose::Read,
    ];
    let mut most = 0;
    for (name, purpose, introduce) in names
        .iter()
        .flat_map(|name| purposes.map(|p| (name, p)))
        .flat_map(|(name, p)| [(name, p, true), (name, p, false)])
    {
        let m = Message {
            handle: long.clone(),
            to: Some(other.clone()),
            reply_to: Some(long.clone()),
            quotes: vec![long.clone(); limits::QUOTES],
            status: Status::Withdrawn,
            ..message(
                1,
                Author {
                    room: Some(room.clone()),
                    ..author(name, AuthorKind::Agent)
                },
                "x",
            )
        };
        let piece = parts::Piece {
            from: 1,
            end: 2,
            part: limits::BODY_BYTES,
            of: limits::BODY_BYTES,
            inside: true,
        };
        let c = Context {
            run: Some(&me),
            purpose,
            introduce,
            waiting_total: u64::MAX,
            ..relay(&room, &[])
        };
        let style = line::Style {
            full,
            date: true,
            status: false,
        };
        let last = parts::Piece { end: 3, ..piece };
        let sum = head::head(&c, &long, head::What::Piece, style).len()
            + line::line(&m, Some(&piece), true, Some(&me), style).len()
            + [piece, last]
                .map(|p| head::after_piece(&c, &p, "xxx", u64::MAX).unwrap().len())
                .into_iter()
                .max()
                .unwrap()
            + "\n\n\n".len();
        most = most.max(sum);
    }
    most
}

#[test]
fn the_longest_frame_leaves_room_for_its_part() {
    for (full, reserved) in [(true, FULL_BYTES), (false, SHORT_BYTES)] {
        let most = longest(full);
        assert!(most <= reserved, "{most} is more than {reserved}");
        assert!(most + 100 > reserved, "{reserved} is much more than {most}");
    }
}

#[test]
fn a_long_burst_comes_in_a_few_calls() {
    let room = room("demo");
    let mut left: Vec<Waiting> = (1..=80)
        .map(|n| {
            waiting(message(
                n,
                person(),
                &format!("message {n} of the burst, {}", "w".repeat(300)),
            ))
        })
        .collect();
    let mut calls = 0;
    let mut order = Vec::new();
    while !left.is_empty() {
        let rendered = context(&relay(&room, &left)).unwrap();
        assert!(rendered.text.len() <= limits::CONTEXT_BYTES);
        // Full enough that not even one more would have fit.
        assert!(rendered.more == 0 || rendered.text.len() > limits::CONTEXT_BYTES - 500);
        order.extend(left.drain(..rendered.shown.len()).map(|w| w.message.number));
        calls += 1;
    }
    assert_eq!(order, (1..=80).collect::<Vec<_>>());
    assert_eq!(calls, 4);
}
