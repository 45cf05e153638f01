//! A message too large for one context arrives in parts, whole, nothing in between, and
//! counts as delivered only after the last.

use anyhow::{Result, ensure};

use super::shared::{ROOM, bounded, delivered_and_confirmed, in_room, undelivered};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "large-message",
    about: "a 60,000-byte message arrives in parts, whole, acknowledged after the last",
    clis: BOTH,
    product: true,
    run,
};

const SIZE: usize = 60_000;

/// At least eight parts; some calls more, for frames and cuts at lines.
const CALLS: usize = 14;

/// Numbered lines of exactly `SIZE` bytes together.
fn body() -> String {
    let lines = (0..SIZE / 20).map(|n| format!("LINE-{n:04} of many, with words\n"));
    let mut body: String = lines.collect();
    body.truncate(SIZE);
    if body.ends_with('\n') {
        body.pop();
        body.push('.');
    }
    body
}

fn run(stage: &Stage) -> Result<()> {
    let body = body();
    ensure!(body.len() == SIZE, "a body of {} bytes", body.len());
    let (posting, text) = (stage.room.clone(), body.clone());
    let looking = stage.room.clone();
    let mut main = Steps::new().shell("echo call 0").after_request(move || {
        posting.post(ROOM, "ana", &text)?;
        posting
            .post(ROOM, "ben", "SMALLWORD after the large one")
            .map(drop)
    });
    // After three calls at most 24,000 bytes were shown.
    main = main.shell("echo call 1").shell("echo call 2");
    main = main
        .shell("echo call 3")
        .after_request(move || undelivered(&looking, "demo/1"));
    for call in 4..CALLS {
        main = main.shell(format!("echo call {call}"));
    }
    let take = stage.model.play(main.say("finished"));

    in_room(stage, "do the steps").run()?.success()?;

    let requests = take.requests()?.main();
    let texts = requests.hook_texts();
    let quoted = |text: &String| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("> "));
        lines.map(str::to_owned).collect()
    };
    let lines: Vec<String> = texts.iter().flat_map(quoted).collect();
    let small = lines.iter().position(|line| line.contains("SMALLWORD"));
    ensure!(
        small == Some(lines.len() - 1),
        "the small message came as quoted line {small:?} of {}",
        lines.len()
    );
    // Parts may be cut inside a line: compared without line breaks.
    let whole: String = lines[..lines.len() - 1].concat();
    let expected = body.replace('\n', "");
    ensure!(
        whole == expected,
        "{} bytes shown, {} expected; they part at byte {}",
        whole.len(),
        expected.len(),
        whole
            .bytes()
            .zip(expected.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    );
    bounded(&requests)?;
    delivered_and_confirmed(stage, "demo/1", "relayed")?;
    delivered_and_confirmed(stage, "demo/2", "relayed")
}
