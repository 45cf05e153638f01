//! Points in time: milliseconds since 1970, on the wire RFC 3339 UTC with milliseconds.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z; years 0000 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

const DAY: i64 = 86_400_000;
const FIRST: i64 = -62_167_219_200_000;
const LAST: i64 = 253_402_300_799_999;

impl Timestamp {
    /// From milliseconds since 1970; out of range values are moved to the range's end.
    pub fn from_unix_ms(ms: i64) -> Self {
        Self(ms.clamp(FIRST, LAST))
    }

    /// Milliseconds since 1970.
    pub fn unix_ms(self) -> i64 {
        self.0
    }

    /// The clock's time.
    pub fn now() -> Self {
        let ms = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(LAST),
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(-FIRST),
        };
        Self::from_unix_ms(ms)
    }

    /// This time and `more`.
    #[must_use]
    pub fn plus(self, more: Duration) -> Self {
        let more = i64::try_from(more.as_millis()).unwrap_or(LAST);
        Self::from_unix_ms(self.0.saturating_add(more))
    }

    /// How long ago `earlier` was; zero when it was later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The time of day as `14:02:11`.
    pub fn clock(self) -> String {
        let s = self.0.rem_euclid(DAY) / 1000;
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }
}

/// Year, month and day of a day number since 1970 (the proleptic Gregorian calendar, counted in
/// eras of 400 years that begin on 1 March).
fn date(day: i64) -> (i64, i64, i64) {
    let z = day + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (
        yoe + era * 400 + i64::from(month <= 2),
        month,
        doy - (153 * mp + 2) / 5 + 1,
    )
}

/// The inverse of [`date`].
fn day(year: i64, month: i64, dom: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let yoe = y.rem_euclid(400);
    let mp = if month > 2 { month - 3 } else { month + 9 };
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + (153 * mp + 2) / 5 + dom - 1;
    y.div_euclid(400) * 146_097 + doe - 719_468
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, dom) = date(self.0.div_euclid(DAY));
        let ms = self.0.rem_euclid(1000);
        write!(f, "{year:04}-{month:02}-{dom:02}T{}.{ms:03}Z", self.clock())
    }
}

impl FromStr for Timestamp {
    type Err = String;

    /// Reads exactly the form that [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a time such as 2026-11-30T14:02:11.000Z");
        let field = |from: usize, to: usize| -> Result<i64, String> {
            let digits = text.get(from..to).ok_or_else(wrong)?;
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                digits.parse().map_err(|_| wrong())
            } else {
                Err(wrong())
            }
        };
        let (year, month, dom) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
        let (h, m, s, ms) = (
            field(11, 13)?,
            field(14, 16)?,
            field(17, 19)?,
            field(20, 23)?,
        );
        let days = day(year, month, dom);
        let in_range = (1..=12).contains(&month) && h < 24 && m < 60 && s < 60;
        if !in_range || date(days) != (year, month, dom) {
            return Err(wrong());
        }
        let at = Self(days * DAY + ((h * 60 + m) * 60 + s) * 1000 + ms);
        if at.to_string() == text {
            Ok(at)
        } else {
            Err(wrong())
        }
    }
}

impl TryFrom<String> for Timestamp {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> String {
        at.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (1_796_047_331_007, "2026-11-30T14:02:11.007Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (FIRST, "0000-01-01T00:00:00.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(ms).to_string(), text);
            assert_eq!(text.parse::<Timestamp>(), Ok(Timestamp(ms)));
        }
        for bad in [
            "",
            "2026-02-30T00:00:00.000Z",
            "2026-01-01T00:00:00Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01t00:00:00.000z",
        ] {
            assert!(bad.parse::<Timestamp>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_and_back(ms in FIRST..=LAST) {
            let at = Timestamp(ms);
            prop_assert_eq!(at.to_string().parse::<Timestamp>(), Ok(at));
        }
    }
}
