//! The lab's own check: a hook's context is found where the model reads it.

use anyhow::{Result, ensure};

use super::{BOTH, Case};
use crate::clients::hooks::{ShellHook, after_tools, print_context, wire};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-context",
    about: "the lab: a hook's context is in the next request, once",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let event = after_tools(stage.cli);
    let context = print_context(event, "LABWORD is what the hook said");
    let hook = ShellHook::write(stage, "after-tools", &context)?;
    wire(stage, &[(event, &hook)])?;
    let take = stage
        .model
        .play(Steps::new().shell("echo from-the-tool").say("finished"));

    stage
        .agent("do the step")
        .trusting_installed_hooks()
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    ensure!(
        requests.len() == 2,
        "two requests expected, not {}",
        requests.len()
    );
    ensure!(
        requests.first_with("LABWORD") == Some(1),
        "the context belongs into the second request: {:?}",
        requests.first_with("LABWORD")
    );
    ensure!(
        requests.shown("LABWORD") == 1,
        "shown {} times",
        requests.shown("LABWORD")
    );
    ensure!(
        requests.shown("from-the-tool") == 0 && requests.0[1].count_anywhere("from-the-tool") > 0,
        "the tool's result was taken for a hook's text: {:?}",
        requests.hook_texts()
    );
    let payloads = hook.payloads()?;
    ensure!(payloads.len() == 1, "the hook ran {} times", payloads.len());
    ensure!(
        payloads[0]["hook_event_name"] == event,
        "payload {}",
        payloads[0]
    );
    Ok(())
}
