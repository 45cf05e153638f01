//! `POST /v1/runs`: opens a run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use room_protocol::limits::{INTERVAL, INTERVAL_MAX};
use room_protocol::operator::{OpenRun, OpenedRun};
use room_protocol::runfile::RunFile;
use room_protocol::{AuthorName, ProblemKind, RoomName, RunId, Timestamp};
use room_store::{Error, NewRun, RunRecord};

use crate::extract::Body;
use crate::log::log;
use crate::refusal::{Refusal, Result};
use crate::rundir::RunDir;
use crate::state::Daemon;
use crate::unproven::Unproven;
use crate::{credential, present, random};

/// Bytes of a credential.
const CREDENTIAL: usize = 32;
/// Numbered names that are tried for a run without a name of its own.
const NAMES: u32 = 10_000;

/// Opens a run, making its room where there is none, and writes its directory before it answers.
pub async fn open_run(
    State(daemon): State<Arc<Daemon>>,
    Body(ask): Body<OpenRun>,
) -> Result<(StatusCode, Json<OpenedRun>)> {
    check(&ask)?;
    Daemon::whole(async move {
        let opened = open(&daemon, &ask).await?;
        Ok((StatusCode::CREATED, Json(opened)))
    })
    .await
}

fn check(ask: &OpenRun) -> Result<()> {
    if ask.cli.parse::<AuthorName>().is_err() {
        return Err(Refusal::invalid(
            "cli: the name of the agent's command, 1 to 64 printable characters",
        ));
    }
    let most = u64::try_from(INTERVAL_MAX.as_millis()).unwrap_or(u64::MAX);
    if ask.interval_ms.is_some_and(|ms| ms > most) {
        return Err(Refusal::invalid(format!("interval_ms: at most {most}")));
    }
    Ok(())
}

async fn open(daemon: &Daemon, ask: &OpenRun) -> Result<OpenedRun> {
    daemon
        .store
        .create_room(&ask.room, Timestamp::now())
        .await?;
    let credential = random::hex::<CREDENTIAL>()?;
    let mut tried = 0;
    loop {
        let name = name(daemon, ask, &mut tried).await?;
        let id = id(&ask.room)?;
        let opened_at = Timestamp::now();
        let file = RunFile {
            run: id.clone(),
            room: ask.room.clone(),
            name: name.clone(),
            credential: credential.clone(),
            interval_ms: ask.interval_ms.unwrap_or_else(|| {
                // Two seconds fit.
                u64::try_from(INTERVAL.as_millis()).unwrap_or(u64::MAX)
            }),
            git: ask.git,
            history: ask.history,
            launched: ask.launched,
            opened_at,
        };
        // Before the run is in the store: an id that nobody was told of harms nobody.
        let dir = RunDir::make(daemon.layout.run_dir(&id), file).await?;
        let opened = daemon
            .store
            .open_run(NewRun {
                id,
                room: ask.room.clone(),
                name,
                cli: ask.cli.clone(),
                credential_hash: credential::hash(&credential),
                git: ask.git,
                history: ask.history,
                opened_at,
                floor: daemon.store.last_reserved().await?,
            })
            .await;
        match opened {
            Ok(record) => return Ok(answer(daemon, &record, credential, &dir)),
            // Somebody else took the name meanwhile: the next one, unless it was asked for.
            Err(Error::Conflict(_)) if ask.name.is_none() && tried < NAMES => dir.remove().await,
            Err(e) => {
                dir.remove().await;
                return Err(e.into());
            }
        }
    }
}

fn answer(daemon: &Daemon, record: &RunRecord, credential: String, dir: &RunDir) -> OpenedRun {
    let run = daemon
        .registry
        .add(record, Unproven::nothing(), Timestamp::now());
    log!("run {} opened in {}", run.id, run.room);
    OpenedRun {
        run: present::live_run(&run, 0),
        credential,
        dir: dir.path().display().to_string(),
    }
}

/// The name asked for, else the CLI's, with the first free number where it is in use.
async fn name(daemon: &Daemon, ask: &OpenRun, tried: &mut u32) -> Result<AuthorName> {
    if let Some(name) = &ask.name {
        if daemon.store.name_in_use(&ask.room, name).await? {
            return Err(Refusal::new(
                ProblemKind::Conflict,
                format!(
                    "a live run of the room {} is named {name} already",
                    ask.room
                ),
            ));
        }
        return Ok(name.clone());
    }
    while *tried < NAMES {
        *tried += 1;
        let name = numbered(&ask.cli, *tried)?;
        if !daemon.store.name_in_use(&ask.room, &name).await? {
            return Ok(name);
        }
    }
    Err(Refusal::new(
        ProblemKind::TooMany,
        format!("{NAMES} live runs of the room are named {}", ask.cli),
    ))
}

fn numbered(cli: &str, number: u32) -> Result<AuthorName> {
    let suffix = if number == 1 {
        String::new()
    } else {
        format!("-{number}")
    };
    let room = room_protocol::limits::NAME_CHARS - suffix.len();
    let base: String = cli.chars().take(room).collect();
    format!("{}{suffix}", base.trim_end())
        .parse()
        .map_err(|e| Refusal::invalid(format!("cli: {e}")))
}

/// `<room>-<eight random characters>`, within a run id's grammar.
fn id(room: &RoomName) -> Result<RunId> {
    let room = room.as_str().replace('.', "-");
    format!("{room}-{}", random::readable::<8>()?)
        .parse()
        .map_err(|e| Refusal::internal(&format!("a new run's id has a wrong form: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_within_their_bound() {
        assert_eq!(numbered("claude", 1).unwrap().as_str(), "claude");
        assert_eq!(numbered("claude", 2).unwrap().as_str(), "claude-2");
        let long = "x".repeat(64);
        assert_eq!(numbered(&long, 10).unwrap().as_str().len(), 64);
        assert_eq!(numbered("a b", 1).unwrap().as_str(), "a b");
    }

    #[test]
    fn ids_keep_the_grammar_for_every_room() {
        let long = "a.".repeat(32);
        for room in ["demo", "0", "a.b_c-d", long.as_str()] {
            let id = id(&room.parse().unwrap()).unwrap();
            assert!(id.as_str().starts_with(&room.replace('.', "-")), "{id}");
        }
    }
}
