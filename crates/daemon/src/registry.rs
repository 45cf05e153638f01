//! The runs and rooms that this daemon knows of, in memory: live runs, and ended ones as long as
//! their directory exists.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use room_protocol::{AuthorName, RoomName, RunId, Timestamp};
use room_store::RunRecord;

use crate::credential::{self, Hash};
use crate::pulse::Pulse;
use crate::unproven::Unproven;

/// A room, as far as it lives in memory.
#[derive(Debug)]
pub struct RoomEntry {
    /// Moves on after everything that may have put something into an inbox of the room.
    changes: AtomicU64,
    /// Read: messages are being leased, or a run is being addressed. Write: a message is being
    /// withdrawn, or a run ended.
    pub gate: Arc<tokio::sync::RwLock<()>>,
}

impl RoomEntry {
    /// How often the room's inboxes may have grown, from 1.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// The room's inboxes may have grown.
    pub fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

/// How and when a run ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
}

/// A run, as far as it lives in memory.
#[derive(Debug)]
pub struct RunEntry {
    /// Its id.
    pub id: RunId,
    /// Its room's name.
    pub room: RoomName,
    /// Its room.
    pub room_entry: Arc<RoomEntry>,
    /// The name that it posts under.
    pub name: AuthorName,
    /// Whether its opening brings the conversation.
    pub history: bool,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Its credential's hash.
    pub hash: Hash,
    /// Held from looking into the inbox to issuing the lease, and while acknowledging or ending: one
    /// at a time.
    pub turn: tokio::sync::Mutex<()>,
    pulse: Mutex<Pulse>,
    unproven: Mutex<Unproven>,
    /// The state of the room (see [`RoomEntry::changes`]) in which nothing waited for this run; 0 for
    /// none known.
    empty_at: AtomicU64,
    ended: OnceLock<Ended>,
}

impl RunEntry {
    /// Its signs of life. Not to be held across an await.
    pub fn pulse(&self) -> MutexGuard<'_, Pulse> {
        self.pulse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What of it waits to be proven. Not to be held across an await.
    pub fn unproven(&self) -> MutexGuard<'_, Unproven> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its end, if it has ended.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.get().copied()
    }

    /// It has ended.
    pub fn end(&self, at: Timestamp) {
        // The first end stays.
        let _ = self.ended.set(Ended { at });
    }

    /// Whether nothing waits for it, known without asking the store: it was so, and nothing has been
    /// put into an inbox of the room since. Only this daemon writes to its store.
    pub fn nothing_waits(&self) -> bool {
        self.empty_at.load(Ordering::SeqCst) == self.room_entry.changes()
    }

    /// The store said how many messages wait, when asked after the room stood at `changes`.
    pub fn waits(&self, changes: u64, waiting: u64) {
        let empty_at = if waiting == 0 { changes } else { 0 };
        self.empty_at.store(empty_at, Ordering::SeqCst);
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Registry {
    maps: RwLock<Maps>,
}

#[derive(Debug, Default)]
struct Maps {
    runs: HashMap<RunId, Arc<RunEntry>>,
    hashes: HashMap<Hash, Arc<RunEntry>>,
    rooms: HashMap<RoomName, Arc<RoomEntry>>,
}

impl Registry {
    fn read(&self) -> std::sync::RwLockReadGuard<'_, Maps> {
        // Nothing panics while the lock is held; if it did, the maps would still be whole.
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run, unless it is there; answers what is there then.
    pub fn add(&self, record: &RunRecord, unproven: Unproven, now: Timestamp) -> Arc<RunEntry> {
        let mut maps = self.write();
        if let Some(there) = maps.runs.get(&record.id) {
            return Arc::clone(there);
        }
        let room_entry = maps.room(&record.room);
        let entry = Arc::new(RunEntry {
            id: record.id.clone(),
            room: record.room.clone(),
            room_entry,
            name: record.name.clone(),
            history: record.history,
            opened_at: record.opened_at,
            hash: record.credential_hash,
            turn: tokio::sync::Mutex::new(()),
            pulse: Mutex::new(Pulse::new(record, now)),
            unproven: Mutex::new(unproven),
            empty_at: AtomicU64::new(0),
            ended: record
                .ended_at
                .map_or_else(OnceLock::new, |at| OnceLock::from(Ended { at })),
        });
        maps.runs.insert(entry.id.clone(), Arc::clone(&entry));
        maps.hashes.insert(entry.hash, Arc::clone(&entry));
        entry
    }

    /// Forgets a run.
    pub fn remove(&self, run: &RunId) {
        let mut maps = self.write();
        if let Some(entry) = maps.runs.remove(run) {
            maps.hashes.remove(&entry.hash);
        }
    }

    /// The run with a credential, live or ended.
    pub fn by_credential(&self, hash: &Hash) -> Option<Arc<RunEntry>> {
        let maps = self.read();
        let entry = maps.hashes.get(hash)?;
        credential::same(&entry.hash, hash).then(|| Arc::clone(entry))
    }

    /// A run by its id, live or ended.
    pub fn run(&self, id: &RunId) -> Option<Arc<RunEntry>> {
        self.read().runs.get(id).cloned()
    }

    /// A room; the caller knows that it exists.
    pub fn room(&self, name: &RoomName) -> Arc<RoomEntry> {
        if let Some(entry) = self.read().rooms.get(name) {
            return Arc::clone(entry);
        }
        self.write().room(name)
    }

    /// Whether the room is known to exist.
    pub fn knows_room(&self, name: &RoomName) -> bool {
        self.read().rooms.contains_key(name)
    }

    /// The runs that have not ended.
    pub fn live(&self) -> Vec<Arc<RunEntry>> {
        let maps = self.read();
        maps.runs
            .values()
            .filter(|r| r.ended().is_none())
            .cloned()
            .collect()
    }

    /// The runs that have ended.
    pub fn ended(&self) -> Vec<Arc<RunEntry>> {
        let maps = self.read();
        maps.runs
            .values()
            .filter(|r| r.ended().is_some())
            .cloned()
            .collect()
    }
}

impl Maps {
    fn room(&mut self, name: &RoomName) -> Arc<RoomEntry> {
        let make = || {
            Arc::new(RoomEntry {
                changes: AtomicU64::new(1),
                gate: Arc::default(),
            })
        };
        Arc::clone(self.rooms.entry(name.clone()).or_insert_with(make))
    }
}
