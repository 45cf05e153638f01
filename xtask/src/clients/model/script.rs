//! What the scripted model says, as data.
//!
//! A script has a main conversation and, by a marker in their prompts, side
//! conversations (subagents, nested CLIs). Every conversation takes its own
//! steps in turn; after the last one the model only says `done`.

use std::collections::VecDeque;

use crate::clients::packages::Cli;

/// One tool call of a response. The names and arguments differ by CLI.
#[derive(Clone, Debug)]
pub enum Tool {
    /// A shell command through the CLI's shell tool.
    Shell(String),
    /// A subagent with this prompt (Claude Code: `Agent`, Codex: `spawn_agent`).
    Agent(String),
    /// Codex only: waits for the subagent that was spawned last.
    AwaitAgent,
    /// Any tool by its own name and input.
    Named {
        name: String,
        input: serde_json::Value,
    },
}

/// One answer of the model.
#[derive(Clone, Debug)]
pub enum Reply {
    /// One response with these tool calls, several are made in parallel.
    Tools(Vec<Tool>),
    /// Plain text: the agent wants to stop.
    Say(String),
    /// An HTTP error instead of an answer, of a kind that is not retried.
    Refuse,
}

type Before = Box<dyn FnOnce() -> anyhow::Result<()> + Send>;

/// A reply, and what is to happen between the request's arrival and it.
pub struct Step {
    pub before: Option<Before>,
    pub reply: Reply,
}

/// The steps of one conversation, in order.
#[derive(Default)]
pub struct Steps(pub VecDeque<Step>);

impl Steps {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn reply(mut self, reply: Reply) -> Self {
        self.0.push_back(Step {
            before: None,
            reply,
        });
        self
    }

    /// One shell call.
    pub fn shell(self, command: impl Into<String>) -> Self {
        self.reply(Reply::Tools(vec![Tool::Shell(command.into())]))
    }

    /// Several shell calls in one response.
    pub fn parallel<S: Into<String>>(self, commands: impl IntoIterator<Item = S>) -> Self {
        let tools = commands
            .into_iter()
            .map(|c| Tool::Shell(c.into()))
            .collect();
        self.reply(Reply::Tools(tools))
    }

    /// One tool call of any kind.
    pub fn tool(self, tool: Tool) -> Self {
        self.reply(Reply::Tools(vec![tool]))
    }

    /// A subagent, waited for. Claude Code's tool waits by itself.
    pub fn errand(self, cli: Cli, prompt: impl Into<String>) -> Self {
        let spawned = self.tool(Tool::Agent(prompt.into()));
        match cli {
            Cli::Claude => spawned,
            Cli::Codex => spawned.tool(Tool::AwaitAgent),
        }
    }

    pub fn say(self, text: impl Into<String>) -> Self {
        self.reply(Reply::Say(text.into()))
    }

    pub fn refuse(self) -> Self {
        self.reply(Reply::Refuse)
    }

    /// Runs `action` when the request that the last added step answers has
    /// arrived, before it is answered: exactly between two model requests.
    pub fn after_request(
        mut self,
        action: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
    ) -> Self {
        if let Some(step) = self.0.back_mut() {
            step.before = Some(Box::new(action));
        }
        self
    }
}

/// A conversation other than the main one.
pub struct Side {
    /// Unique words that stand in the conversation's first prompt.
    pub marker: String,
    pub steps: Steps,
}

/// Everything the model says in one take.
#[derive(Default)]
pub struct Script {
    pub main: Steps,
    pub sides: Vec<Side>,
}

impl Script {
    pub fn side(mut self, marker: impl Into<String>, steps: Steps) -> Self {
        self.sides.push(Side {
            marker: marker.into(),
            steps,
        });
        self
    }
}

impl From<Steps> for Script {
    fn from(main: Steps) -> Self {
        Self {
            main,
            sides: Vec::new(),
        }
    }
}
