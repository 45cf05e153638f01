//! With `--prompt-file` the launcher composes conversation and task, and hands them over
//! on standard input.

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered, request_count};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "prompt-file",
    about: "--prompt-file: the task and what was said before are the prompt, once",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    stage.room.start_run(ROOM)?;
    let message = stage.room.post(ROOM, "ana", "EARLYWORD-1")?;
    let task = stage.logs().join("task.md");
    std::fs::write(&task, "TASKWORD: do the step\n")?;
    let task = task.display().to_string();
    let take = stage
        .model
        .play(Steps::new().shell("echo a step").say("finished"));

    let mut agent = stage
        .agent("")
        .prompt_from_launcher()
        .in_room(&[ROOM, "--name", "worker", "--prompt-file", &task])
        .env("ROOM_INTERVAL", "0");
    if stage.cli == Cli::Codex {
        agent = agent.args(&["-"]);
    }
    agent.run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 2)?;
    for word in ["TASKWORD", "EARLYWORD-1"] {
        let (first, last) = (&requests.0[0], &requests.0[1]);
        let (at_first, at_last) = (first.count_anywhere(word), last.count_anywhere(word));
        ensure!(
            (at_first, at_last) == (1, 1),
            "{word} stands {at_first} and {at_last} times"
        );
    }
    ensure!(requests.shown("EARLYWORD-1") == 0, "a hook said it again");
    delivered(stage, &message.handle, "opened").map(drop)
}
