//! Credentials: told once, kept as their SHA-256, compared in constant time.

use sha2::{Digest, Sha256};

/// The SHA-256 of a credential.
pub type Hash = [u8; 32];

/// A credential's hash.
pub fn hash(credential: &str) -> Hash {
    Sha256::digest(credential.as_bytes()).into()
}

/// Whether two hashes are the same, in a time that does not tell where they differ.
pub fn same(a: &Hash, b: &Hash) -> bool {
    let differing = a.iter().zip(b).fold(0u8, |acc, (a, b)| acc | (a ^ b));
    std::hint::black_box(differing) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_only_when_every_bit_is() {
        let a = hash("credential");
        assert!(same(&a, &hash("credential")));
        for bit in 0..256 {
            let mut b = a;
            b[bit / 8] ^= 1 << (bit % 8);
            assert!(!same(&a, &b), "bit {bit}");
        }
    }
}
