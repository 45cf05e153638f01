//! A CLI that the agent starts in a tool call inherits `RUN_ID` and, where the hooks
//! are installed, the hooks: it must not eat the agent's mail.

use anyhow::{Result, ensure};

use super::shared::{
    ROOM, delivered_and_confirmed, in_room, install_hooks, never_shown, shown_once,
};
use super::{BOTH, Case};
use crate::clients::model::script::{Script, Steps};
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "nested-cli",
    about: "a nested CLI with the same RUN_ID and installed hooks does not take a message",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    install_hooks(stage)?;
    let room = stage.room.clone();
    let main = Steps::new()
        .shell(stage.nested(stage.cli, "NESTED-7 do the step"))
        .shell("echo back to work")
        .say("finished");
    let nested = Steps::new()
        .shell("echo deep")
        .after_request(move || room.post(ROOM, "ana", "NESTWORD-1").map(drop))
        .shell("echo deeper")
        .say("nested is done");
    let take = stage
        .model
        .play(Script::from(main).side("NESTED-7", nested));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?;
    let nested = requests.side("NESTED-7");
    ensure!(
        nested.len() == 3,
        "three nested requests expected, not {}",
        nested.len()
    );
    never_shown(&nested, "NESTWORD-1", "the nested CLI")?;
    shown_once(&requests.main(), "NESTWORD-1", 1)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")
}
