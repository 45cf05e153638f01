//! Random ids and credentials from the operating system.

use crate::refusal::Refusal;

/// Letters and digits that are not mistaken for each other; 32, so that a byte's low bits choose evenly.
const READABLE: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// `N` random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| Refusal::internal(&format!("no random bytes: {e}")))?;
    Ok(bytes)
}

/// `N` random bytes as lower-case hexadecimal digits.
pub fn hex<const N: usize>() -> Result<String, Refusal> {
    Ok(bytes::<N>()?.iter().map(|b| format!("{b:02x}")).collect())
}

/// `N` random readable characters, five bits each.
pub fn readable<const N: usize>() -> Result<String, Refusal> {
    let letter = |b: u8| char::from(READABLE[usize::from(b) % READABLE.len()]);
    Ok(bytes::<N>()?.into_iter().map(letter).collect())
}
