//! The lab's own check: a subagent's requests are told from the main ones.

use anyhow::{Result, ensure};

use super::{BOTH, Case};
use crate::clients::hooks::{ShellHook, wire};
use crate::clients::model::script::{Script, Steps};
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-subagent",
    about: "the lab: a subagent has its own conversation, and its hooks an agent_id",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let hook = ShellHook::write(stage, "after-tool", "")?;
    wire(stage, &[("PostToolUse", &hook)])?;
    let main = Steps::new()
        .shell("echo main-one")
        .errand(stage.cli, "ERRAND-7 look around")
        .say("finished");
    let errand = Steps::new().shell("echo inside").say("errand done");
    let take = stage
        .model
        .play(Script::from(main).side("ERRAND-7", errand));

    stage
        .agent("do the steps")
        .trusting_installed_hooks()
        .run()?
        .success()?;

    let requests = take.requests()?;
    let side = requests.side("ERRAND-7");
    ensure!(
        side.len() == 2,
        "two requests of the subagent, not {}",
        side.len()
    );
    ensure!(
        side.0[1].count_anywhere("inside") > 0,
        "the subagent's tool did not run"
    );
    let main = requests.main();
    let last = main.0.last().map_or(0, |r| r.count_anywhere("errand done"));
    ensure!(
        last > 0,
        "the subagent's answer is not in the last main request"
    );
    let payloads = hook.payloads()?;
    let of_subagent = payloads.iter().filter(|p| p["agent_id"].is_string());
    let commands: Vec<_> = of_subagent
        .map(|p| p["tool_input"]["command"].clone())
        .collect();
    ensure!(
        commands == ["echo inside"],
        "agent_id came with {commands:?}"
    );
    Ok(())
}
