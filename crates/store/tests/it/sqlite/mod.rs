//! What only a store on disk has to hold.

mod batch;
mod close;
mod durable;
mod full;
mod open;
