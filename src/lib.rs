//! The hook library.
