//! The lab's own check: a CLI that the agent starts talks to the same model, apart.

use anyhow::{Result, ensure};

use super::{BOTH, Case};
use crate::clients::model::script::{Script, Steps};
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-nested",
    about: "the lab: a nested CLI has its own conversation",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let main = Steps::new()
        .shell(stage.nested(stage.cli, "NESTED-7 do the step"))
        .say("finished");
    let nested = Steps::new().shell("echo deep").say("nested is done");
    let take = stage
        .model
        .play(Script::from(main).side("NESTED-7", nested));

    stage.agent("do the steps").run()?.success()?;

    let requests = take.requests()?;
    ensure!(
        requests.side("NESTED-7").len() == 2,
        "two nested requests expected"
    );
    let main = requests.main();
    ensure!(
        main.len() == 2,
        "two main requests expected, not {}",
        main.len()
    );
    let answer = main.0[1].count_anywhere("nested is done");
    ensure!(answer > 0, "the nested answer is not in the tool's result");
    Ok(())
}
