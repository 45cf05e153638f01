//! A subagent's tool call does not take the message: it is for the run's own agent.

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, in_room, never_shown};
use super::{BOTH, Case};
use crate::clients::model::script::{Script, Steps};
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "subagent",
    about: "a subagent's tool calls do not take a message, the agent's next one does",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .errand(stage.cli, "ERRAND-7 look around")
        .shell("echo back to work")
        .say("finished");
    let errand = Steps::new()
        .shell("echo inside")
        .after_request(move || room.post(ROOM, "ana", "SUBWORD-1").map(drop))
        .parallel(["echo inside too", "echo and again"])
        .say("errand done");
    let take = stage
        .model
        .play(Script::from(main).side("ERRAND-7", errand));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?;
    let side = requests.side("ERRAND-7");
    ensure!(
        side.len() == 3,
        "three requests of the subagent, not {}",
        side.len()
    );
    never_shown(&side, "SUBWORD-1", "the subagent")?;
    let main = requests.main();
    let shown = main.shown("SUBWORD-1");
    ensure!(
        shown == 1,
        "shown {shown} times to the agent: {:#?}",
        main.hook_texts()
    );
    delivered_and_confirmed(stage, "demo/1", "relayed")
}
