//! A run that goes on with the session that was cut off has the message in its history:
//! it is not shown again.

use anyhow::{Context as _, Result, ensure};

use super::shared::{ROOM, cut_off_arguments, delivered, in_room};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "resumed",
    about: "cut off after a print, then resumed in the same session: not shown again",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let main = Steps::new()
        .shell("echo a step")
        .after_request(move || room.post(ROOM, "ana", "RESUMEWORD-1").map(drop))
        .refuse();
    stage.model.play(main);
    in_room(stage, "do the step")
        .args(cut_off_arguments(stage.cli))
        .named("first")
        .run()?;
    delivered(stage, "demo/1", "relayed")?;
    let session = stage.room.only_run()?.session;
    let session = session.context("the run is bound to no session")?;

    let second = stage
        .model
        .play(Steps::new().shell("echo another step").say("finished"));
    in_room(stage, "go on")
        .resuming(&session)
        .named("second")
        .run()?
        .success()?;

    let requests = second.requests()?.main();
    let shown = requests.shown("RESUMEWORD-1");
    ensure!(
        shown == 1,
        "it stands {shown} times: {:#?}",
        requests.hook_texts()
    );
    let message = stage.room.message(ROOM, "demo/1")?;
    let confirmed = message.deliveries.iter().filter(|d| d.confirmed).count();
    ensure!(confirmed == 1, "its deliveries: {:?}", message.deliveries);
    Ok(())
}
