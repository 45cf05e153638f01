//! At most one question per interval from a run's after-tool hooks, fewer while questions fail.

use std::time::Duration;

use room_client::RunDir;
use room_protocol::Timestamp;
use room_protocol::limits::{FAILURE_PAUSE_MAX, INTERVAL_MAX};
use serde::{Deserialize, Serialize};

/// What a stamp takes at most, in bytes: it is written in place, twice a question.
const WIDTH: usize = 128;

/// The contents of a stamp: when was asked last, and what came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// When, in milliseconds since 1970.
    pub(crate) asked: i64,
    /// Failed questions since the last one that was answered.
    #[serde(default)]
    pub(crate) failures: u32,
    /// More waits than was shown: the next hook asks at once.
    #[serde(default)]
    pub(crate) at_once: bool,
    /// A senseless `ROOM_INTERVAL` was logged.
    #[serde(default)]
    pub(crate) warned: bool,
}

impl Stamp {
    /// Reads a stamp; one that makes no sense counts as none, so that it mutes nothing.
    pub(crate) fn read(dir: &RunDir, name: &str) -> Self {
        match dir.read_json::<Self>(name) {
            Ok(stamp) => stamp.unwrap_or_default(),
            Err(e) => {
                dir.log(&format!("the stamp is ignored: {e}"));
                Self::default()
            }
        }
    }

    /// Writes it; whether that worked.
    pub(crate) fn write(&self, dir: &RunDir, name: &str) -> bool {
        let written = serde_json::to_vec(self)
            .map_err(|e| e.to_string())
            .and_then(|json| {
                let written = dir.dir().overwrite(name, &json, WIDTH);
                written.map_err(|e| e.to_string())
            });
        if let Err(e) = &written {
            dir.log(&format!("the stamp cannot be written: {e}"));
        }
        written.is_ok()
    }

    /// How long to wait before the next question; zero when it is due.
    pub(crate) fn wait(&self, now: Timestamp, interval: Duration) -> Duration {
        let asked = Timestamp::from_unix_ms(self.asked);
        // A stamp of the future: the clock was set back.
        if asked > now || (self.at_once && self.failures == 0) {
            return Duration::ZERO;
        }
        pause(interval, self.failures).saturating_sub(now.since(asked))
    }

    /// The stamp to be written before asking: as if the question failed, since a hook that hangs in
    /// it is ended by its alarm and writes nothing afterwards.
    pub(crate) fn asking(self, now: Timestamp) -> Self {
        Self {
            asked: now.unix_ms(),
            failures: self.failures.saturating_add(1),
            ..self
        }
    }

    /// The stamp after an answer, with whether more waits.
    pub(crate) fn answered(self, more: bool) -> Self {
        Self {
            failures: 0,
            at_once: more,
            ..self
        }
    }
}

/// The pause after so many failures: the interval, doubled each time, up to the bound. An interval
/// of zero stays zero: every call was wanted.
fn pause(interval: Duration, failures: u32) -> Duration {
    let doubled = interval.saturating_mul(1 << failures.min(31));
    doubled.min(FAILURE_PAUSE_MAX.max(interval))
}

/// What `ROOM_INTERVAL` says: seconds, with a fraction where wanted. `None` for nonsense.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|interval| *interval <= INTERVAL_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_unix_ms(ms)
    }

    fn stamp(failures: u32, at_once: bool) -> Stamp {
        Stamp {
            asked: 10_000,
            failures,
            at_once,
            warned: false,
        }
    }

    #[test]
    fn one_question_an_interval() {
        let answered = stamp(0, false);
        assert_eq!(answered.wait(at(10_000), 2 * SECOND), 2 * SECOND);
        assert_eq!(
            answered.wait(at(11_999), 2 * SECOND),
            Duration::from_millis(1)
        );
        assert_eq!(answered.wait(at(12_000), 2 * SECOND), Duration::ZERO);
        assert_eq!(answered.wait(at(10_000), Duration::ZERO), Duration::ZERO);
        assert_eq!(Stamp::default().wait(at(10_000), SECOND), Duration::ZERO);
    }

    #[test]
    fn while_more_waits_the_next_hook_asks_at_once_unless_questions_fail() {
        assert_eq!(stamp(0, true).wait(at(10_000), SECOND), Duration::ZERO);
        assert_eq!(stamp(1, true).wait(at(10_000), SECOND), 2 * SECOND);
    }

    #[test]
    fn failures_double_the_pause_and_an_answer_ends_it() {
        let pauses: Vec<u64> = (1..7)
            .map(|n| stamp(n, false).wait(at(10_000), 2 * SECOND).as_secs())
            .collect();
        assert_eq!(pauses, [4, 8, 16, 30, 30, 30]);
        assert_eq!(
            stamp(9, false).wait(at(10_000), Duration::ZERO),
            Duration::ZERO
        );
        let longer = 60 * SECOND;
        assert_eq!(stamp(9, false).wait(at(10_000), longer), longer);
        assert_eq!(stamp(u32::MAX, false).asking(at(1)).failures, u32::MAX);
        let reset = stamp(5, false).asking(at(11_000)).answered(false);
        assert_eq!((reset.failures, reset.asked), (0, 11_000));
    }

    #[test]
    fn every_stamp_fits_its_width() {
        let widest = Stamp {
            asked: i64::MIN,
            failures: u32::MAX,
            at_once: false,
            warned: false,
        };
        assert!(serde_json::to_vec(&widest).unwrap().len() <= WIDTH);
    }

    #[test]
    fn a_stamp_of_the_future_mutes_nothing() {
        let future = Stamp {
            asked: i64::MAX,
            ..stamp(20, false)
        };
        assert_eq!(future.wait(at(10_000), SECOND), Duration::ZERO);
        let past = Stamp {
            asked: i64::MIN,
            ..stamp(0, false)
        };
        assert_eq!(past.wait(at(10_000), SECOND), Duration::ZERO);
    }

    #[test]
    fn the_variable_is_seconds_or_nonsense() {
        assert_eq!(parse("0"), Some(Duration::ZERO));
        assert_eq!(parse(" 0.25 "), Some(Duration::from_millis(250)));
        for nonsense in ["", "2s", "-1", "NaN", "inf", "1e9", "two"] {
            assert_eq!(parse(nonsense), None, "{nonsense}");
        }
    }
}
