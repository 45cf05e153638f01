//! Takes a sign of life in: the pulse at once, in memory; a change of session, and what a moment
//! proves, in the store.

use room_protocol::Timestamp;
use room_protocol::lane::Sign;
use room_protocol::limits::WORD_BYTES;
use room_store::RunPatch;

use crate::log::log;
use crate::refusal::Result;
use crate::registry::RunEntry;
use crate::state::Daemon;
use crate::unproven::Unproven;

/// A sign with every word cut to its bound.
pub fn bounded(mut sign: Sign) -> Sign {
    cut(&mut sign.event);
    for word in [
        &mut sign.tool,
        &mut sign.session,
        &mut sign.agent_id,
        &mut sign.cli,
    ] {
        // An empty word says nothing.
        *word = word.take().filter(|w| !w.is_empty());
        word.iter_mut().for_each(cut);
    }
    if let Some(proof) = &mut sign.proof {
        cut(&mut proof.mark);
    }
    sign
}

/// Cuts a word to its bound, at a character.
pub fn cut(word: &mut String) {
    let end = word.floor_char_boundary(WORD_BYTES);
    word.truncate(end);
}

/// The session that a sign speaks of: of the run itself, not of a subagent or a process.
fn session(sign: &Sign) -> Option<&str> {
    if sign.agent_id.is_some() || sign.event == "process" {
        return None;
    }
    sign.session.as_deref()
}

/// Whether the store has to hear of a sign.
pub fn concerns_store(run: &RunEntry, sign: &Sign) -> bool {
    let Some(session) = session(sign) else {
        return false;
    };
    let moved = run.pulse().session.as_deref() != Some(session);
    let proves = || {
        sign.proof
            .as_ref()
            .is_some_and(|proof| run.unproven().may_prove(session, proof))
    };
    moved || proves()
}

/// Tells the store what a sign changes. The caller holds the run's turn.
pub async fn tell_store(daemon: &Daemon, run: &RunEntry, sign: &Sign) -> Result<()> {
    let Some(session) = session(sign) else {
        return Ok(());
    };
    let now = Timestamp::now();
    if run.pulse().session.as_deref() != Some(session) {
        let patch = RunPatch {
            session: Some(Some(session.to_owned())),
            ..RunPatch::default()
        };
        daemon.store.update_run(&run.id, patch).await?;
        let adopted = daemon.store.adopt_session(&run.id, session, now).await?;
        run.pulse().session = Some(session.to_owned());
        if adopted > 0 {
            *run.unproven() = Unproven::unknown();
            log!(
                "run {}: {adopted} messages of the session that it resumes are taken again",
                run.id
            );
        }
    }
    let Some(proof) = &sign.proof else {
        return Ok(());
    };
    if run.unproven().may_prove(session, proof) {
        daemon.store.confirm(&run.id, session, proof, now).await?;
        run.unproven().proven(session, proof);
    }
    Ok(())
}
