//! A scripted model server on loopback.
//!
//! It speaks enough of Anthropic Messages and OpenAI Responses for Claude Code
//! and Codex to hold a scripted conversation, and keeps every request: what
//! stands in a recorded request is what a model would have seen.

mod anthropic;
mod http;
mod openai;
pub mod record;
pub mod script;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use record::{Conversation, Record, Requests};
use script::{Reply, Script, Step};

/// A name that no other answer of this process carries.
fn unique(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A running model server. It stops with its last handle.
#[derive(Clone)]
pub struct Model {
    shared: Arc<Shared>,
    port: u16,
}

struct Shared {
    state: Mutex<State>,
    started: Instant,
    stopping: AtomicBool,
}

struct State {
    script: Script,
    take: usize,
    records: Vec<Record>,
    faults: Vec<String>,
    log: File,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned state still holds what was recorded; that is all that is asked of it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One played script and the requests that came while it was in force.
pub struct Take {
    model: Model,
    number: usize,
}

impl Take {
    /// What was asked so far.
    ///
    /// # Errors
    /// When an action of the script failed or a request could not be understood:
    /// then the requests prove nothing.
    pub fn requests(&self) -> Result<Requests> {
        let state = self.model.shared.state();
        if let Some(fault) = state.faults.first() {
            anyhow::bail!("the scripted model: {fault}");
        }
        let of_take = state.records.iter().filter(|r| r.take == self.number);
        Ok(Requests(of_take.cloned().collect()))
    }
}

impl Model {
    /// Starts a server on a free loopback port that appends every request to `log` (JSON lines).
    pub fn start(log: &Path) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("no loopback port")?;
        let port = listener.local_addr()?.port();
        let log = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                script: Script::default(),
                take: 0,
                records: Vec::new(),
                faults: Vec::new(),
                log,
            }),
            started: Instant::now(),
            stopping: AtomicBool::new(false),
        });
        let accepting = Arc::downgrade(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Some(shared) = accepting.upgrade() else {
                    return;
                };
                if shared.stopping.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = stream {
                    thread::spawn(move || serve(&shared, &stream));
                }
            }
        });
        Ok(Self { shared, port })
    }

    /// The address to give to the CLI, without a path.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Puts a script in force from its first step.
    pub fn play(&self, script: impl Into<Script>) -> Take {
        let mut state = self.shared.state();
        state.script = script.into();
        state.take += 1;
        Take {
            model: self.clone(),
            number: state.take,
        }
    }

    /// Ends the accepting thread. Connections that are being answered finish.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        // The accept call wakes up only for a connection; if none can be made, it has ended.
        let address = ([127, 0, 0, 1], self.port).into();
        drop(TcpStream::connect_timeout(
            &address,
            Duration::from_millis(200),
        ));
    }
}

fn serve(shared: &Shared, stream: &TcpStream) {
    let result = match http::read_request(stream) {
        Ok(Some(request)) => answer(shared, stream, &request),
        Ok(None) => Ok(()),
        Err(error) => Err(error.into()),
    };
    // A client that went away (it was killed, or it timed out) is no fault of the script.
    if let Err(error) = result
        && error
            .downcast_ref::<std::io::Error>()
            .is_none_or(|e| e.raw_os_error().is_none())
    {
        shared.state().faults.push(format!("{error:#}"));
    }
}

fn answer(shared: &Shared, stream: &TcpStream, request: &http::HttpRequest) -> Result<()> {
    if request.method != "POST" {
        let models = json!({"object": "list", "data": [], "models": []});
        let status = if request.path.ends_with("/models") || request.method == "HEAD" {
            200
        } else {
            404
        };
        return Ok(http::send_json(stream, status, &models)?);
    }
    if let Some(encoding) = &request.encoding
        && encoding != "identity"
    {
        // Neither CLI compresses its requests to an own provider; should one begin to, this says so.
        http::send_json(stream, 415, &json!({"error": {"message": "encoding"}}))?;
        anyhow::bail!("a request came with content-encoding {encoding}, which is not understood");
    }
    let body: Value = serde_json::from_slice(&request.body)
        .with_context(|| format!("{} with a body that is not JSON", request.path))?;
    if request.path.ends_with("/count_tokens") {
        return Ok(http::send_json(stream, 200, &json!({"input_tokens": 10}))?);
    }
    let anthropic = request.path.ends_with("/v1/messages");
    if !anthropic && !request.path.ends_with("/responses") {
        return Ok(http::send_json(stream, 404, &json!({}))?);
    }
    let reply = take_step(shared, &request.path, &body)?;
    match (&reply, anthropic, body["stream"] == true) {
        (Reply::Refuse, true, _) => http::send_json(stream, 400, &anthropic::refusal())?,
        (Reply::Refuse, false, _) => http::send_json(stream, 400, &openai::refusal())?,
        (_, true, true) => http::send_events(stream, &anthropic::events(&body, &reply))?,
        (_, true, false) => http::send_json(stream, 200, &anthropic::document(&body, &reply))?,
        (_, false, _) => http::send_events(stream, &openai::events(&body, &reply))?,
    }
    Ok(())
}

/// Records the request and takes its conversation's next step.
fn take_step(shared: &Shared, path: &str, body: &Value) -> Result<Reply> {
    let step = {
        let mut state = shared.state();
        let conversation = record::conversation_of(body, &state.script);
        let record = Record {
            take: state.take,
            at: shared.started.elapsed(),
            path: path.to_owned(),
            conversation: conversation.clone(),
            body: body.clone(),
        };
        writeln!(state.log, "{}", record.to_line())?;
        state.records.push(record);
        match conversation {
            Conversation::Main => state.script.main.0.pop_front(),
            Conversation::Side(marker) => state
                .script
                .sides
                .iter_mut()
                .find(|side| side.marker == marker)
                .and_then(|side| side.steps.0.pop_front()),
            Conversation::Chore => None,
        }
    };
    let Some(Step { before, reply }) = step else {
        return Ok(Reply::Say("done".into()));
    };
    // The lock is free here: the action may well wait for other requests.
    if let Some(action) = before
        && let Err(error) = action()
    {
        let fault = format!("an action between two requests failed: {error:#}");
        shared.state().faults.push(fault);
    }
    Ok(reply)
}
