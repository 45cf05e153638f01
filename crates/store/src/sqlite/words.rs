//! Protocol values as SQLite keeps them, and back.

use std::error::Error as StdError;

use room_protocol::Timestamp;
use rusqlite::Row;
use rusqlite::types::Type;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

/// What a column holds is not what was written there.
fn wrong(column: usize, why: impl Into<Box<dyn StdError + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why.into())
}

/// A name, id or handle.
pub(super) fn name<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: TryFrom<String, Error: std::fmt::Display>,
{
    let text: String = row.get(column)?;
    T::try_from(text).map_err(|e| wrong(column, e.to_string()))
}

/// The same where there may be none.
pub(super) fn some_name<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: TryFrom<String, Error: std::fmt::Display>,
{
    let text: Option<String> = row.get(column)?;
    let value = text.map(|text| T::try_from(text).map_err(|e| wrong(column, e.to_string())));
    value.transpose()
}

/// A word of an enumeration, as the wire has it.
pub(super) fn word<'de, T: Deserialize<'de>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    let text: serde::de::value::StringDeserializer<serde::de::value::Error> =
        text.into_deserializer();
    T::deserialize(text).map_err(|e| wrong(column, e.to_string()))
}

/// The same where there may be none.
pub(super) fn some_word<'de, T: Deserialize<'de>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let none = matches!(row.get_ref(column)?, rusqlite::types::ValueRef::Null);
    if none {
        Ok(None)
    } else {
        word(row, column).map(Some)
    }
}

/// The wire's word for a value.
pub(super) fn as_word(value: impl Serialize) -> rusqlite::Result<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        Ok(other) => Err(rusqlite::Error::ToSqlConversionFailure(
            format!("{other} is not one word").into(),
        )),
        Err(e) => Err(rusqlite::Error::ToSqlConversionFailure(e.into())),
    }
}

/// A list as JSON; none for an empty one.
pub(super) fn as_list<T: Serialize>(list: &[T]) -> rusqlite::Result<Option<String>> {
    let json = (!list.is_empty()).then(|| serde_json::to_string(list));
    let json = json.transpose();
    json.map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

/// A list from JSON.
pub(super) fn list<T: for<'de> Deserialize<'de>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Vec<T>> {
    let json: Option<String> = row.get(column)?;
    json.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json).map_err(|e| wrong(column, e))
    })
}

/// A point in time.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_unix_ms)
}

/// The same where there may be none.
pub(super) fn some_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let ms: Option<i64> = row.get(column)?;
    Ok(ms.map(Timestamp::from_unix_ms))
}

/// A number, count or cursor; never negative in these tables.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::unsigned_abs)
}

/// A number or cursor for a parameter; what is over the top finds nothing, as it should.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
