//! Metrics in Prometheus text.

use room_protocol::ProofKind;

use crate::kit::{House, lease, on_both, proof, sign};

on_both!(they_count);

async fn they_count(house: House) {
    let run = house.run("claude").await;
    house.post("one").await;
    run.takes("t1").await;
    house.post("two").await;
    run.leases(&lease(sign("Stop", Some(proof(ProofKind::Stop, "1")))))
        .await;
    run.lane.get("/v1/run/no/such/path").await;
    let answer = house.operator.get("/v1/metrics").await;
    assert_eq!(answer.content_type, "text/plain; version=0.0.4");
    let text = answer.text();
    for line in [
        "roomd_requests_total{call=\"POST /v1/run/leases\",status=\"200\"} 2",
        "roomd_requests_total{call=\"POST /v1/rooms/{room}/messages\",status=\"201\"} 2",
        "roomd_requests_total{call=\"unknown\",status=\"404\"} 1",
        "roomd_deliveries_total{how=\"relayed\"} 1",
        "roomd_posts_total 2",
        "roomd_leases_total 2",
        "roomd_leases_held 1",
        "roomd_live_runs 1",
        "roomd_unread_messages 1",
        "roomd_event_streams 0",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(
            name.starts_with("roomd_") && value.parse::<f64>().is_ok(),
            "{line}"
        );
    }
}
