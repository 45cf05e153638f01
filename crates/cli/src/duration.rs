//! A length of time on the command line.

use std::time::Duration;

/// The longest that can be waited for, in hours: a year.
const MOST_HOURS: u64 = 8_760;

/// A length of time, and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Length {
    /// The time.
    pub time: Duration,
    /// As it was written, with its unit.
    pub text: String,
}

impl std::str::FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let what = || "give seconds, or a number with s, m or h: 0.5, 30s, 5m, 1h".to_owned();
        let (number, unit, seconds) = match text.as_bytes().last() {
            Some(b's') => (&text[..text.len() - 1], "s", 1.0),
            Some(b'm') => (&text[..text.len() - 1], "m", 60.0),
            Some(b'h') => (&text[..text.len() - 1], "h", 3_600.0),
            _ => (text, "s", 1.0),
        };
        // What Rust reads besides plain numbers (inf, 1e3) is not meant.
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if number
            .strip_prefix('-')
            .is_some_and(|rest| rest.parse::<f64>().is_ok())
        {
            return Err("a length of time is not negative".to_owned());
        }
        let count: f64 = number.parse().ok().filter(|_| plain).ok_or_else(what)?;
        let most = Duration::from_secs(MOST_HOURS * 3_600);
        match Duration::try_from_secs_f64(count * seconds) {
            Ok(time) if time <= most => Ok(Self {
                time,
                text: format!("{number} {unit}"),
            }),
            _ => Err(format!("at most {MOST_HOURS}h")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seconds_and_may_have_a_fraction_and_a_unit() {
        for (text, millis) in [
            ("0", 0),
            ("0.5", 500),
            (".25s", 250),
            ("30s", 30_000),
            ("1.5m", 90_000),
            ("1h", 3_600_000),
            ("8760h", 8_760 * 3_600_000),
        ] {
            let length: Length = text.parse().unwrap();
            assert_eq!(length.time, Duration::from_millis(millis), "{text}");
        }
        for (text, says) in [
            ("", "give seconds"),
            ("x", "give seconds"),
            ("s", "give seconds"),
            ("1e3", "give seconds"),
            ("inf", "give seconds"),
            ("1d", "give seconds"),
            ("5 m", "give seconds"),
            ("é", "give seconds"),
            ("-1", "not negative"),
            ("-0.5m", "not negative"),
            ("8761h", "at most"),
            (&"9".repeat(400), "at most"),
        ] {
            let why = text.parse::<Length>().unwrap_err();
            assert!(why.contains(says), "{text}: {why}");
        }
    }
}
