//! Whatever the interleaving, SQLite answers what the store in memory answers, which goes by the
//! definitions word for word.

mod op;
mod step;
mod world;

use proptest::prelude::*;

use self::op::{Op, op};
use self::world::World;
use crate::kit::block_on;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64),
        max_shrink_iters: 4_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn sqlite_answers_what_memory_answers(ops in prop::collection::vec(op(), 1..60)) {
        block_on(play(&ops));
    }
}

async fn play(ops: &[Op]) {
    let mut world = World::new().await;
    for op in ops {
        world.step(op).await;
        world.compare(op).await;
    }
    world.step(&Op::Reopen { close: false }).await;
    world.compare_all().await;
}
