//! The daemon from outside: in this process on both stores, and the real binary for its life and death.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod kit;

mod cost;
mod deliveries;
mod end_run;
mod events;
mod heartbeat;
mod home;
mod lease;
mod lifecycle;
mod listings;
mod metrics;
mod open_run;
mod orphans;
mod peers;
mod post;
mod problems;
mod race;
mod restart;
mod wait;
mod withdraw;
