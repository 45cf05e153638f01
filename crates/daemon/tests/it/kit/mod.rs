//! A daemon in this process, and a client for it.

mod client;
mod house;
mod process;
mod speak;
mod watched;

pub use client::{Answer, Client, raw};
pub use house::{Backend, House, until};
pub use process::Process;
pub use speak::{RunClient, ack, lease, proof, sign};
pub use watched::Watched;

/// Runs a scenario, `async fn(House)`, on both stores.
macro_rules! on_both {
    ($($scenario:ident),+ $(,)?) => {
        $(mod $scenario {
            #[tokio::test]
            async fn memory() {
                let house = crate::kit::House::open(crate::kit::Backend::Memory).await;
                super::$scenario(house).await;
            }

            #[tokio::test]
            async fn sqlite() {
                let house = crate::kit::House::open(crate::kit::Backend::Sqlite).await;
                super::$scenario(house).await;
            }
        })+
    };
}
pub(crate) use on_both;
