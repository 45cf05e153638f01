//! Eighty messages at once arrive whole, in order, over several calls, each bounded.

use anyhow::{Result, ensure};

use super::shared::{ROOM, bounded, words};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "burst",
    about: "an 80-message burst arrives whole, in order, over several calls, within the bound",
    clis: BOTH,
    product: true,
    run,
};

const COUNT: usize = 80;

/// Longer than the default interval: the first call after it asks in any case.
const LONGER_THAN_INTERVAL: &str = "sleep 2.3; echo slow";

/// Eighty messages of 300 bytes need at least four contexts of 8,000.
const CALLS: usize = 12;

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let post_all = move || -> Result<()> {
        for n in 1..=COUNT {
            let body = format!("BURST-{n:02} {}", "and some more words. ".repeat(14));
            room.post(ROOM, "ana", body.trim_end())?;
        }
        Ok(())
    };
    let mut main = Steps::new()
        .shell(LONGER_THAN_INTERVAL)
        .after_request(post_all);
    for call in 1..CALLS {
        main = main.shell(format!("echo call {call}"));
    }
    let take = stage.model.play(main.say("finished"));

    // The default interval: while more waits, the next call asks at once.
    stage
        .agent("do the steps")
        .in_room(&[ROOM, "--name", "worker"])
        .run()?
        .success()?;

    let requests = take.requests()?.main();
    let all = requests.hook_texts().join("\n");
    let shown = words(&all, |word| word.starts_with("BURST-"));
    let expected: Vec<String> = (1..=COUNT).map(|n| format!("BURST-{n:02}")).collect();
    ensure!(shown == expected, "shown were {shown:?}");
    bounded(&requests)?;
    let carriers = requests.hook_texts();
    let carriers = carriers
        .iter()
        .filter(|text| text.contains("BURST-"))
        .count();
    ensure!(
        (2..=CALLS).contains(&carriers),
        "{carriers} contexts carried the burst"
    );
    for message in stage.room.messages(ROOM)? {
        ensure!(
            message.deliveries.len() == 1 && message.deliveries[0].how == "relayed",
            "{}: {:?}",
            message.handle,
            message.deliveries
        );
    }
    Ok(())
}
