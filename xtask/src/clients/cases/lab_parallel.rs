//! The lab's own check: parallel tool calls are made, and end before the next request.

use anyhow::{Result, ensure};

use super::{BOTH, Case};
use crate::clients::hooks::{ShellHook, after_tools, print_context, wire};
use crate::clients::model::script::Steps;
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-parallel",
    about: "the lab: three tool calls in one response, as many hooks as the CLI starts",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let event = after_tools(stage.cli);
    let hook = ShellHook::write(stage, "after-tools", &print_context(event, "LABWORD"))?;
    wire(stage, &[(event, &hook)])?;
    let calls = ["echo first", "sleep 0.3; echo second", "echo third"];
    let take = stage
        .model
        .play(Steps::new().parallel(calls).say("finished"));

    stage
        .agent("do the steps")
        .trusting_installed_hooks()
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    ensure!(
        requests.len() == 2,
        "two requests expected, not {}",
        requests.len()
    );
    for word in ["first", "second", "third"] {
        let seen = requests.0[1].count_anywhere(word);
        ensure!(seen > 0, "the result `{word}` is not in the second request");
    }
    // Claude Code has an event for the whole batch, Codex one for each call.
    let expected = match stage.cli {
        Cli::Claude => 1,
        Cli::Codex => 3,
    };
    let ran = hook.payloads()?.len();
    ensure!(ran == expected, "the hook ran {ran} times, not {expected}");
    let shown = requests.shown("LABWORD");
    ensure!(shown == expected, "shown {shown} times, not {expected}");
    Ok(())
}
