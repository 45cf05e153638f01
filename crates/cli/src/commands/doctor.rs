//! `room doctor`

mod clis;
mod house;

use serde::Serialize;

use crate::ctx::Ctx;
use crate::failure::{Failure, REFUSED};
use crate::launch::hooks;
use crate::output::Paint;

/// Check the daemon, the home and each agent CLI's wiring
///
/// Changes nothing but that it starts the daemon. Exit code 1 when something is wrong.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Wrong.
    Bad,
}

/// One thing that was looked at; with `--json` a line.
#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    level: Level,
    text: String,
    /// All of it, where there is more than words can say.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<serde_json::Value>,
}

impl Finding {
    fn new(about: &'static str, level: Level, text: impl Into<String>) -> Self {
        Self {
            about,
            level,
            text: text.into(),
            report: None,
        }
    }
}

pub(super) fn run(_: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let mut bad = false;
    let mut findings = house::look(&ctx.layout);
    findings.extend(clis::look(hooks::find().is_ok()));
    for finding in &findings {
        bad |= finding.level == Level::Bad;
        say(finding, ctx)?;
    }
    if bad {
        Err(Failure::Status(REFUSED))
    } else {
        Ok(())
    }
}

fn say(finding: &Finding, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(finding);
    }
    let (paint, mark) = match finding.level {
        Level::Good => (Paint::Good, "ok  "),
        Level::Note => (Paint::Waiting, "note"),
        Level::Bad => (Paint::Bad, "BAD "),
    };
    let mark = ctx.out.paint(paint, mark);
    let text = room_protocol::frame::terminal(&finding.text);
    ctx.out.line(format!("{mark} {:<7} {text}", finding.about))
}
