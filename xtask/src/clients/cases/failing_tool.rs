//! A tool that fails still brings the message.

use anyhow::Result;
use serde_json::json;

use super::shared::{ROOM, delivered_and_confirmed, in_room, request_count, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::{Steps, Tool};
use crate::clients::packages::Cli;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "failing-tool",
    about: "a failing tool still delivers (Claude Code: also a tool that does not exist)",
    clis: BOTH,
    product: true,
    run,
};

fn run(stage: &Stage) -> Result<()> {
    let (first, second) = (stage.room.clone(), stage.room.clone());
    let mut main = Steps::new()
        .shell("echo to no avail; exit 3")
        .after_request(move || first.post(ROOM, "ana", "FAILWORD-1").map(drop));
    // Codex has no event at all for a call that ends before it has begun.
    if stage.cli == Cli::Claude {
        let missing = Tool::Named {
            name: "NoSuchTool".to_owned(),
            input: json!({}),
        };
        main = main
            .tool(missing)
            .after_request(move || second.post(ROOM, "ana", "FAILWORD-2").map(drop));
    }
    let take = stage.model.play(main.say("finished"));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    shown_once(&requests, "FAILWORD-1", 1)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")?;
    if stage.cli == Cli::Codex {
        return request_count(&requests, 2);
    }
    shown_once(&requests, "FAILWORD-2", 2)?;
    delivered_and_confirmed(stage, "demo/2", "relayed")?;
    request_count(&requests, 3)
}
