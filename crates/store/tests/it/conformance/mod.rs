//! One module a theme; each test runs on every store.

/// Makes each `async fn name(store: &dyn Store)` a test of every store.
macro_rules! on_every_store {
    ($($name:ident),* $(,)?) => {
        mod memory {
            $(#[test]
            fn $name() {
                crate::kit::block_on(super::$name(&room_store::MemoryStore::new()));
            })*
        }
        mod sqlite {
            $(#[test]
            fn $name() {
                let dir = tempfile::tempdir().unwrap();
                let store = room_store::SqliteStore::open(&dir.path().join("room.db")).unwrap();
                crate::kit::block_on(super::$name(&store));
            })*
        }
    };
}

mod acknowledge;
mod adopt;
mod append;
mod attach;
mod confirm;
mod end;
mod event;
mod inbox;
mod key;
mod listing;
mod number;
mod piece;
mod room;
mod run;
mod status;
mod withdraw;
