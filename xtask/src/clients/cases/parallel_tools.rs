//! Parallel tool calls end with several hooks at once: each message comes once.

use anyhow::Result;

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "parallel-tools",
    about: "parallel tool calls deliver a message once, five times over",
    clis: BOTH,
    product: true,
    run,
};

const ROUNDS: usize = 5;

/// Calls that end together in two groups, so that their hooks meet.
const CALLS: [&str; 6] = [
    "echo a",
    "echo b",
    "echo c",
    "sleep 0.2; echo d",
    "sleep 0.2; echo e",
    "sleep 0.2; echo f",
];

fn run(stage: &Stage) -> Result<()> {
    let mut main = Steps::new();
    for round in 0..ROUNDS {
        let room = stage.room.clone();
        main = main
            .parallel(CALLS)
            .after_request(move || room.post(ROOM, "ana", &word(round)).map(drop));
    }
    let take = stage.model.play(main.say("finished"));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, ROUNDS + 1)?;
    for round in 0..ROUNDS {
        shown_once(&requests, &word(round), round + 1)?;
        delivered_and_confirmed(stage, &format!("{ROOM}/{}", round + 1), "relayed")?;
    }
    Ok(())
}

fn word(round: usize) -> String {
    format!("PARWORD-{round}-END")
}
