//! Counters, and their Prometheus text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use room_protocol::How;

/// Counters of one daemon.
#[derive(Debug, Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    /// Messages accepted.
    pub posts: AtomicU64,
    deliveries: [AtomicU64; 4],
    /// Connections open now.
    pub connections: AtomicI64,
    /// Connections turned away.
    pub refused_connections: AtomicU64,
    /// Event streams open now.
    pub streams: AtomicI64,
}

/// What is read at the moment of asking.
#[derive(Debug)]
pub struct Now {
    /// Leases issued.
    pub leases_issued: u64,
    /// Leases held.
    pub leases_held: usize,
    /// Runs that have not ended.
    pub live_runs: usize,
    /// Messages that wait, over all live runs.
    pub unread: u64,
    /// Seconds since the start.
    pub uptime: f64,
    /// Which store.
    pub store: String,
    /// The daemon's version.
    pub version: &'static str,
}

const HOWS: [How; 4] = [How::Opened, How::Relayed, How::Gated, How::Read];

impl Metrics {
    /// A request was answered. `call` is one of a fixed set.
    pub fn request(&self, call: String, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((call, status)).or_default() += 1;
    }

    /// Messages were settled.
    pub fn delivered(&self, how: How, count: usize) {
        let place = HOWS.iter().position(|h| *h == how).unwrap_or(0);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.deliveries[place].fetch_add(count, Ordering::Relaxed);
    }

    /// All of it as Prometheus text, version 0.0.4.
    pub fn text(&self, now: &Now) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, now);
        out
    }

    fn write(&self, out: &mut String, now: &Now) -> std::fmt::Result {
        head(
            out,
            "roomd_requests_total",
            "counter",
            "Requests answered, by call and status.",
        )?;
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((call, status), count) in requests.iter() {
            writeln!(
                out,
                "roomd_requests_total{{call=\"{call}\",status=\"{status}\"}} {count}"
            )?;
        }
        head(
            out,
            "roomd_deliveries_total",
            "counter",
            "Messages acknowledged, by the way they were shown.",
        )?;
        for (how, count) in HOWS.iter().zip(&self.deliveries) {
            let count = count.load(Ordering::Relaxed);
            writeln!(
                out,
                "roomd_deliveries_total{{how=\"{}\"}} {count}",
                how.as_str()
            )?;
        }
        let posts = self.posts.load(Ordering::Relaxed);
        single(
            out,
            "roomd_posts_total",
            "counter",
            "Messages accepted.",
            posts,
        )?;
        single(
            out,
            "roomd_leases_total",
            "counter",
            "Leases issued.",
            now.leases_issued,
        )?;
        let refused = self.refused_connections.load(Ordering::Relaxed);
        single(
            out,
            "roomd_refused_connections_total",
            "counter",
            "Connections turned away.",
            refused,
        )?;
        single(
            out,
            "roomd_leases_held",
            "gauge",
            "Leases in force.",
            now.leases_held,
        )?;
        let connections = self.connections.load(Ordering::Relaxed);
        single(
            out,
            "roomd_connections",
            "gauge",
            "Open connections.",
            connections,
        )?;
        let streams = self.streams.load(Ordering::Relaxed);
        single(
            out,
            "roomd_event_streams",
            "gauge",
            "Open event streams.",
            streams,
        )?;
        single(
            out,
            "roomd_live_runs",
            "gauge",
            "Runs that have not ended.",
            now.live_runs,
        )?;
        single(
            out,
            "roomd_unread_messages",
            "gauge",
            "Messages that wait for live runs.",
            now.unread,
        )?;
        single(
            out,
            "roomd_uptime_seconds",
            "gauge",
            "Time since the daemon started.",
            now.uptime,
        )?;
        head(
            out,
            "roomd_info",
            "gauge",
            "The daemon's version and its store.",
        )?;
        let store = escaped(&now.store);
        writeln!(
            out,
            "roomd_info{{version=\"{}\",store=\"{store}\"}} 1",
            now.version
        )
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

fn single(
    out: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    value: impl std::fmt::Display,
) -> std::fmt::Result {
    head(out, name, kind, help)?;
    writeln!(out, "{name} {value}")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
