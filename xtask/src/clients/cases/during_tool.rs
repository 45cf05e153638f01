//! The main job: a message posted during a tool call is in the next model request.

use std::sync::mpsc;

use anyhow::{Result, ensure};

use super::shared::{ROOM, delivered_and_confirmed, framed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "during-tool",
    about: "a message posted during a tool call is in the next request, once, framed",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let meeting = stage.rendezvous("slow");
    let main = Steps::new()
        .shell(meeting.command("slow-result"))
        .shell("echo one more")
        .say("finished");
    let take = stage.model.play(main);
    let (send, posted) = mpsc::channel();
    let room = stage.room.clone();
    let meeting = meeting.during(move || {
        let body = "please use TABWORD-1\nand keep the tests green";
        Ok(send.send(room.post(ROOM, "ana", body)?)?)
    });

    in_room(stage, "do the steps").run()?.success()?;
    meeting.finish()?;

    let message = posted.recv()?;
    let requests = take.requests()?.main();
    request_count(&requests, 3)?;
    shown_once(&requests, "TABWORD-1", 1)?;
    framed(&requests.0[1], &message, "ana")?;
    let heads = requests.shown(&format!("[{} from ", message.handle));
    ensure!(heads == 1, "the head stands {heads} times");
    delivered_and_confirmed(stage, &message.handle, "relayed")
}
