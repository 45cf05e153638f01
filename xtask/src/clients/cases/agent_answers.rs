//! Inside a run `room post` and `room read` speak as the run.

use anyhow::{Context as _, Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "agent-answers",
    about: "the agent reads and answers with `room` in a tool call, as its run",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .shell("room read demo")
        .after_request(move || room.post(ROOM, "ana", "READWORD-1").map(drop))
        .shell("room post demo --reply demo/1 'ANSWERWORD-2'")
        .say("finished");
    let take = stage.model.play(main);

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    let read = requests.0[1].count_anywhere("READWORD-1");
    ensure!(read == 1, "read {read} times: {:?}", requests.0[1].texts());
    ensure!(
        requests.shown("READWORD-1") == 0,
        "a hook showed what was read"
    );
    ensure!(
        requests.shown("ANSWERWORD-2") == 0,
        "the run was shown its own words"
    );
    delivered_and_confirmed(stage, "demo/1", "read")?;
    let messages = stage.room.messages(ROOM)?;
    let answer = messages.iter().find(|m| m.body == "ANSWERWORD-2");
    let answer = answer.context("the answer is not in the room")?;
    ensure!(
        answer.author.kind == "agent" && answer.author.name == "worker",
        "the answer's author: {:?}",
        answer.author
    );
    Ok(())
}
