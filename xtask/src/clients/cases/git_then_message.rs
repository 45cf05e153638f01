//! Uncommitted work holds the stop first, a message after it holds again: two concerns.

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "git-then-message",
    about: "a git nudge first and a message after it: both hold, each once",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .shell("echo more >> notes.txt")
        .say("finished")
        .say("I leave it uncommitted")
        .after_request(move || room.post(ROOM, "ana", "AFTERGIT-1").map(drop))
        .say("handled it");
    let take = stage.model.play(main);

    stage
        .agent("do the steps")
        .in_room(&[ROOM, "--name", "worker", "--git", "clean"])
        .env("ROOM_INTERVAL", "0")
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 4)?;
    ensure!(
        requests.0[1].count("commit") == 0 && requests.0[2].count("commit") > 0,
        "the third request should be the first to speak of the uncommitted work: {:#?}",
        requests.hook_texts()
    );
    shown_once(&requests, "AFTERGIT-1", 3)?;
    let (nudged, last) = (
        requests.0[2].count("uncommitted"),
        requests.shown("uncommitted"),
    );
    ensure!(
        nudged == last,
        "the git nudge came again: {:#?}",
        requests.hook_texts()
    );
    delivered_and_confirmed(stage, "demo/1", "gated")
}
