//! An agent that starts the other CLI, with the same `RUN_ID` and hooks of its own.

use anyhow::{Result, ensure};

use super::shared::{
    ROOM, delivered_and_confirmed, in_room, install_hooks_of, never_shown, shown_once,
};
use super::{BOTH, Case};
use crate::clients::model::script::{Script, Steps};
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "nested-other-cli",
    about: "the other CLI, started in a tool call, does not take a message either",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let other = match stage.cli {
        Cli::Claude => Cli::Codex,
        Cli::Codex => Cli::Claude,
    };
    install_hooks_of(stage, other)?;
    let room = stage.room.clone();
    let main = Steps::new()
        .shell(stage.nested(other, "NESTED-7 do the step"))
        .say("finished");
    let nested = Steps::new()
        .shell("echo deep")
        .after_request(move || room.post(ROOM, "ana", "OTHERWORD-1").map(drop))
        .say("nested is done");
    let take = stage
        .model
        .play(Script::from(main).side("NESTED-7", nested));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?;
    let nested = requests.side("NESTED-7");
    ensure!(
        nested.len() == 2,
        "two nested requests expected, not {}",
        nested.len()
    );
    never_shown(&nested, "OTHERWORD-1", "the nested CLI")?;
    shown_once(&requests.main(), "OTHERWORD-1", 1)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")
}
