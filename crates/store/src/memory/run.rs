use std::collections::BTreeSet;

use room_protocol::{AuthorName, EventKind, RoomName, RunId};

use super::state::{About, Run, State};
use crate::{NewRun, Result, RunEnd, RunPatch, RunQuery, RunRecord, rules};

impl State {
    pub fn open_run(&mut self, new: NewRun) -> Result<RunRecord> {
        rules::check_run(&new)?;
        self.room(&new.room)?;
        if self.run(&new.id).is_ok() {
            return Err(rules::run_used(&new.id));
        }
        if self.name_in_use(&new.room, &new.name) {
            return Err(rules::name_used(&new.name, &new.room));
        }
        let waits = self.messages.values().filter(|s| {
            let m = &s.message;
            m.room == new.room && m.number <= new.floor && m.to.is_none() && !self.taken(m.number)
        });
        let mut run = Run {
            floor: new.floor,
            attached: waits.map(|s| s.message.number).collect(),
            ever: BTreeSet::new(),
            pieces: Vec::new(),
            record: RunRecord {
                id: new.id,
                room: new.room,
                name: new.name,
                cli: new.cli,
                credential_hash: new.credential_hash,
                git: new.git,
                history: new.history,
                opened_at: new.opened_at,
                ended_at: None,
                exit_code: None,
                session: None,
                introduced: None,
                alive_at: new.opened_at,
                active_at: new.opened_at,
                last_tool: None,
            },
        };
        run.ever = self.waiting(&run).into_iter().collect();
        let record = run.record.clone();
        self.runs.push(run);
        let about = About {
            room: &record.room,
            number: None,
            run: Some(&record.id),
            how: None,
            exit_code: None,
        };
        self.event(record.opened_at, EventKind::RunOpened, about);
        Ok(record)
    }

    pub fn name_in_use(&self, room: &RoomName, name: &AuthorName) -> bool {
        let mut live = self.runs.iter().filter(|r| r.live());
        live.any(|r| r.record.room == *room && r.record.name == *name)
    }

    pub fn run_by_credential(&self, hash: &[u8; 32]) -> Option<RunRecord> {
        let mut live = self.runs.iter().filter(|r| r.live());
        live.find(|r| r.record.credential_hash == *hash)
            .map(|r| r.record.clone())
    }

    pub fn list_runs(&self, query: &RunQuery) -> Vec<RunRecord> {
        let newest = self.runs.iter().rev();
        newest
            .filter(|r| {
                query
                    .room
                    .as_ref()
                    .is_none_or(|room| *room == r.record.room)
            })
            .filter(|r| !query.live || r.live())
            .take(query.limit.unwrap_or(usize::MAX))
            .map(|r| r.record.clone())
            .collect()
    }

    pub fn update_run(&mut self, id: &RunId, patch: RunPatch) -> Result<RunRecord> {
        let record = &mut self.run_mut(id)?.record;
        let RunPatch {
            cli,
            session,
            introduced,
            alive_at,
            active_at,
            last_tool,
        } = patch;
        set(&mut record.cli, cli);
        set(&mut record.session, session);
        set(&mut record.introduced, introduced);
        set(&mut record.alive_at, alive_at);
        set(&mut record.active_at, active_at);
        set(&mut record.last_tool, last_tool);
        Ok(record.clone())
    }

    pub fn end_run(&mut self, end: &RunEnd) -> Result<RunRecord> {
        let run = self.run_mut(&end.run)?;
        if !run.live() {
            return Ok(run.record.clone());
        }
        run.record.ended_at = Some(end.at);
        run.record.exit_code = end.exit_code;
        let record = run.record.clone();
        let about = |number| About {
            room: &record.room,
            number,
            run: Some(&record.id),
            how: None,
            exit_code: None,
        };

        let mut returned = BTreeSet::new();
        for entry in &mut self.ledger {
            if entry.run == end.run && !entry.confirmed && entry.returned_at.is_none() {
                entry.returned_at = Some(end.at);
                returned.insert(entry.number);
            }
        }
        for number in returned {
            self.event(end.at, EventKind::Returned, about(Some(number)));
        }

        let failed = self.messages.values().filter(|s| {
            let m = &s.message;
            m.room == record.room
                && m.to.as_ref() == Some(&end.run)
                && !s.withdrawn
                && !self.taken(m.number)
        });
        let failed: Vec<u64> = failed.map(|s| s.message.number).collect();
        for number in failed {
            self.event(end.at, EventKind::Failed, about(Some(number)));
        }

        let ended = About {
            exit_code: end.exit_code,
            ..about(None)
        };
        self.event(end.at, EventKind::RunEnded, ended);
        Ok(record)
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
