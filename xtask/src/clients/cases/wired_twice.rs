//! Hooks that are wired per launch and installed as well show a message once.

use anyhow::Result;

use super::shared::{
    ROOM, delivered_and_confirmed, in_room, install_hooks, request_count, shown_once,
};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "wired-twice",
    about: "wired both per launch and installed: relayed once, held once",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    install_hooks(stage)?;
    let (relayed, gated) = (stage.room.clone(), stage.room.clone());
    let main = Steps::new()
        .shell("echo a step")
        .after_request(move || relayed.post(ROOM, "ana", "TWICEWORD-1").map(drop))
        .say("finished")
        .after_request(move || gated.post(ROOM, "ana", "TWICEWORD-2").map(drop))
        .say("handled it");
    let take = stage.model.play(main);

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    shown_once(&requests, "TWICEWORD-1", 1)?;
    shown_once(&requests, "TWICEWORD-2", 2)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")?;
    delivered_and_confirmed(stage, "demo/2", "gated")
}
