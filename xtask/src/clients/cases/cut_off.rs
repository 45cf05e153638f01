//! A run that is cut off right after a hook printed has not proven that the model saw
//! the message: the next run gets it.

use anyhow::{Result, ensure};

use super::shared::{ROOM, cut_off_arguments, delivered, in_room, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "turn-limit",
    about: "cut off by its turn limit (Codex: refused) after a print: unconfirmed, the next run gets it",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .shell("echo a step")
        .after_request(move || room.post(ROOM, "ana", "CUTWORD-1").map(drop))
        .refuse();
    let first = stage.model.play(main);
    let outcome = in_room(stage, "do the step")
        .args(cut_off_arguments(stage.cli))
        .named("first")
        .run()?;
    ensure!(outcome.code() != 0, "the first run should fail");
    let asked = first.requests()?.main().len();
    let expected = match stage.cli {
        Cli::Claude => 1,
        Cli::Codex => 2,
    };
    ensure!(
        asked == expected,
        "{asked} requests of the first run, not {expected}"
    );
    let cut = delivered(stage, "demo/1", "relayed")?;
    ensure!(!cut.confirmed, "nothing proves that it was seen: {cut:?}");

    let second = stage
        .model
        .play(Steps::new().shell("echo a step").say("finished"));
    in_room(stage, "go on").named("second").run()?.success()?;

    let requests = second.requests()?.main();
    shown_once(&requests, "CUTWORD-1", 0)?;
    let marked = requests.shown("may have been shown before");
    ensure!(
        marked == 1,
        "not marked as shown before: {:#?}",
        requests.hook_texts()
    );
    let deliveries = stage.room.message(ROOM, "demo/1")?.deliveries;
    let to_second = deliveries.iter().find(|delivery| delivery.run != cut.run);
    ensure!(
        to_second.is_some_and(|delivery| delivery.confirmed),
        "the second run's delivery is not confirmed: {deliveries:?}"
    );
    Ok(())
}
