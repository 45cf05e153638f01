//! The lab's own check: a held stop goes on, and its reason is found.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{BOTH, Case};
use crate::clients::hooks::{ShellHook, wire};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-stop",
    about: "the lab: a stop that a hook blocks goes on with the hook's reason",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let block = json!({"decision": "block", "reason": "LABWORD: one thing is left"});
    let body =
        format!("case $payload in *'\"stop_hook_active\":false'*) printf '%s' '{block}';; esac");
    let hook = ShellHook::write(stage, "at-stop", &body)?;
    wire(stage, &[("Stop", &hook)])?;
    let take = stage
        .model
        .play(Steps::new().say("finished").say("now really"));

    stage
        .agent("say it")
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
        "the reason is not in the second request: {:?}",
        requests.hook_texts()
    );
    let active: Vec<_> = hook
        .payloads()?
        .iter()
        .map(|payload| payload["stop_hook_active"].clone())
        .collect();
    ensure!(active == [false, true], "stop_hook_active was {active:?}");
    Ok(())
}
