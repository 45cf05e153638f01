//! Showing a run its messages: print first, then acknowledge, and note in between what was printed.

use room_client::{Lock, Note};
use room_protocol::lane::{Item, Lease};
use room_protocol::{How, Proof, ProofKind};

use crate::daemon::new_key;
use crate::failure::{Context, Failure};
use crate::inside::Inside;

/// The run's inbox, taken over until this is dropped.
pub struct Taking<'a> {
    inside: &'a Inside,
    _lock: Lock,
    /// What waits.
    pub lease: Lease,
    session: Option<String>,
}

impl<'a> Taking<'a> {
    pub(crate) fn new(
        inside: &'a Inside,
        lock: Lock,
        lease: Lease,
        session: Option<String>,
    ) -> Self {
        Self {
            inside,
            _lock: lock,
            lease,
            session,
        }
    }

    /// Shows what `items` names by way of `print`, and then acknowledges exactly that. Where `print`
    /// fails nothing is acknowledged and the lease is given back.
    ///
    /// # Errors
    /// What `print` fails with, or a note that cannot be written. An acknowledgement that does not
    /// arrive is no error: what was shown is noted, and the next hook settles it.
    pub fn show<T>(
        &self,
        how: How,
        items: Vec<Item>,
        introduced: bool,
        print: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let dir = self.inside.dir();
        let note = Note {
            lease: self.lease.lease.clone(),
            how,
            session: self.session.clone(),
            printed: Some(Proof {
                kind: ProofKind::Read,
                mark: new_key(),
            }),
            introduced,
            items,
        };
        let noted = Note::begin(dir, &note).or_refuse(|| "nothing was shown".to_owned());
        let printed = match noted.and_then(|()| print()) {
            Ok(printed) => printed,
            Err(failure) => {
                // Both end by themselves: the lease in a few seconds, the note with the next showing.
                let _ = Note::abandon(dir);
                self.give_back();
                return Err(failure);
            }
        };
        if let Err(error) = Note::commit(dir) {
            dir.log(&error.to_string());
        }
        if let Err(failure) = self.inside.acknowledge(&note) {
            dir.log(&format!(
                "shown and not acknowledged yet: {}",
                failure.text().unwrap_or_default()
            ));
        }
        Ok(printed)
    }

    /// Gives the lease back unshown.
    pub fn give_back(&self) {
        if let Some(lease) = &self.lease.lease {
            // It ends by itself otherwise.
            let _ = self
                .inside
                .client()
                .delete::<()>(&format!("/v1/run/leases/{lease}"));
        }
    }
}
