//! `cargo xtask bench`: what the hooks cost, as ratios measured side by side in one run.

mod floor;
mod house;
mod memory;
mod rounds;

use std::process::ExitCode;

use anyhow::bail;
use clap::Args as ClapArgs;

use self::house::House;
use self::rounds::{Case, Figures};
use crate::{dist, say};

/// What the hooks cost, as ratios measured side by side in one run.
#[derive(ClapArgs)]
pub struct Args {
    /// Rounds; in each one every case runs once.
    #[arg(long, default_value_t = 400)]
    rounds: usize,
    /// Fail when a bound that the project promises is passed.
    #[arg(long)]
    check: bool,
}

/// A promise: this case takes at most so many times as long as the floor.
struct Bound {
    case: &'static str,
    times: f64,
}

const BOUNDS: [Bound; 2] = [
    Bound {
        case: "relay, no RUN_ID",
        times: 1.25,
    },
    Bound {
        case: "relay, empty inbox",
        times: 2.5,
    },
];
/// Peak memory of a hook stays below this, in KiB.
const PEAK_KIB: u64 = 4 * 1024;

/// Builds the release binaries and measures them.
///
/// # Errors
/// Something could not be built or started, or `--check` found a promise broken.
pub fn bench(args: &Args) -> anyhow::Result<ExitCode> {
    let bin = dist::dist()?.join("bin");
    let house = House::open(&bin)?;
    let floor = floor::build()?;
    say(&format!("\nfloor: {}", floor.commands));
    let relay = bin.join("room-relay");
    let mut cases = vec![
        Case::new("C no-op", &floor.program, house.outside()),
        Case::new("relay, no RUN_ID", &relay, house.outside()),
        Case::new(
            "heartbeat, no RUN_ID",
            &bin.join("heartbeat"),
            house.outside(),
        ),
        Case::new("relay, inside the interval", &relay, house.resting()?),
        Case::new("relay, empty inbox", &relay, house.asking()?),
        Case::new(
            "stop-gate, empty inbox",
            &bin.join("stop-gate"),
            house.stopping()?,
        ),
    ];
    rounds::run(&mut cases, args.rounds)?;
    let figures: Vec<Figures> = cases.iter().map(Case::figures).collect();
    say(&format!(
        "\n{:<28} {:>9} {:>9} {:>9} {:>7}",
        "exec to exit", "p50 µs", "p90 µs", "p99 µs", "ratio"
    ));
    for (case, figure) in cases.iter().zip(&figures) {
        say(&format!(
            "{:<28} {:>9.0} {:>9.0} {:>9.0} {:>7.2}",
            case.name,
            figure.p50,
            figure.p90,
            figure.p99,
            figure.p50 / figures[0].p50
        ));
    }
    say("\neach as:");
    for case in &cases {
        say(&format!("{:<28} {}", case.name, case.command()));
    }
    let peak = memory::peak_kib(&relay, &house)?;
    say(&format!(
        "\npeak memory of room-relay with ten messages, at its acknowledgement: {peak} KiB"
    ));
    say(&format!(
        "{} rounds, cases interleaved; ratio = p50 over the floor's p50",
        args.rounds
    ));

    let mut broken = Vec::new();
    for bound in &BOUNDS {
        let at = cases.iter().position(|case| case.name == bound.case);
        let ratio = at.map_or(f64::INFINITY, |i| figures[i].p50 / figures[0].p50);
        if ratio > bound.times {
            broken.push(format!(
                "{}: {ratio:.2} times the floor, promised {}",
                bound.case, bound.times
            ));
        }
    }
    if peak >= PEAK_KIB {
        broken.push(format!("peak memory {peak} KiB, promised below {PEAK_KIB}"));
    }
    for line in &broken {
        say(&format!("over its bound: {line}"));
    }
    if args.check && !broken.is_empty() {
        bail!("{} of the promises do not hold in this run", broken.len());
    }
    Ok(ExitCode::SUCCESS)
}
