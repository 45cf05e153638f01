//! What a question costs the store.

use std::sync::Arc;

use room_protocol::ProofKind;
use room_protocol::lane::Sign;

use crate::kit::{House, Watched, lease, proof, sign};

#[tokio::test]
async fn a_question_with_an_empty_inbox_reaches_no_disk_and_soon_not_even_the_store() {
    let store = Arc::new(Watched::default());
    let house = House::on(store.clone()).await;
    let run = house.run("claude").await;
    let ask = |n: u32| {
        let batch = proof(ProofKind::Batch, &n.to_string());
        lease(sign("PostToolBatch", Some(batch)))
    };
    run.leases(&ask(0)).await;
    store.taken();
    for n in 1..20 {
        assert_eq!(run.leases(&ask(n)).await.waiting, 0);
        let process = Sign {
            event: "process".to_owned(),
            ..Sign::default()
        };
        run.says(&process).await;
    }
    let stop = lease(sign("Stop", Some(proof(ProofKind::Stop, "1"))));
    run.leases(&stop).await;
    assert_eq!(store.taken(), (0, 0));

    house.post("m").await;
    store.taken();
    assert_eq!(run.leases(&ask(20)).await.waiting, 1);
    assert_eq!(store.taken(), (1, 0), "one look, no write");
}

#[tokio::test]
async fn a_moment_asks_the_store_only_where_it_can_prove_something() {
    let store = Arc::new(Watched::default());
    let house = House::on(store.clone()).await;
    let run = house.run("claude").await;
    house.post("m").await;
    run.takes("t1").await;
    let says = |kind, mark: &str| lease(sign("x", Some(proof(kind, mark))));
    run.leases(&says(ProofKind::Batch, "t1")).await;
    store.taken();
    run.leases(&says(ProofKind::Batch, "t1")).await;
    run.leases(&says(ProofKind::Prompt, "p")).await;
    assert_eq!(store.taken(), (0, 0));
    run.leases(&says(ProofKind::Batch, "t2")).await;
    assert_eq!(store.taken().1, 1, "it proves the delivery");
    run.leases(&says(ProofKind::Batch, "t3")).await;
    run.leases(&says(ProofKind::Stop, "1")).await;
    assert_eq!(store.taken(), (0, 0), "nothing is left to prove");
}
