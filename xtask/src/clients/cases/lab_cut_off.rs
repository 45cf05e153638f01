//! The lab's own check: a run ends right after a hook printed, and can be resumed.

use anyhow::{Context as _, Result, ensure};

use super::shared::cut_off_arguments;
use super::{BOTH, Case};
use crate::clients::hooks::{ShellHook, after_tools, print_context, wire};
use crate::clients::model::script::Steps;
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "lab-cut-off",
    about: "the lab: a run is cut off after a hook's context, resumed it has it in its history",
    clis: BOTH,
    product: false,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let event = after_tools(stage.cli);
    let hook = ShellHook::write(stage, "after-tools", &print_context(event, "LABWORD"))?;
    wire(stage, &[(event, &hook)])?;
    let meeting = stage.rendezvous("slow");
    let main = Steps::new().shell(meeting.command("met")).refuse();
    let take = stage.model.play(main);
    let meeting = meeting.during(|| Ok(()));

    let outcome = stage
        .agent("do the step")
        .trusting_installed_hooks()
        .args(cut_off_arguments(stage.cli))
        .named("first")
        .run()?;
    meeting.finish()?;

    ensure!(outcome.code() != 0, "a run that was cut off ended well");
    let payloads = hook.payloads()?;
    ensure!(payloads.len() == 1, "the hook ran {} times", payloads.len());
    let expected = match stage.cli {
        Cli::Claude => 1,
        Cli::Codex => 2,
    };
    let asked = take.requests()?.main().len();
    ensure!(asked == expected, "{asked} requests, not {expected}");

    let session = payloads[0]["session_id"].as_str();
    let session = session.context("a payload without a session")?;
    let take = stage.model.play(Steps::new().say("finished"));
    stage
        .agent("go on")
        .trusting_installed_hooks()
        .resuming(session)
        .named("second")
        .run()?
        .success()?;
    let requests = take.requests()?.main();
    ensure!(
        requests.len() == 1,
        "{} requests when resumed",
        requests.len()
    );
    let shown = requests.shown("LABWORD");
    ensure!(shown == 1, "the history has the context {shown} times");
    Ok(())
}
