//! The files in `hooks/` of the repository: ready configuration for whoever wires by
//! hand, and the plugin manifests, all from the one [`super::plan`].
//!
//! They name the programs without a directory: they have to be on `PATH`.

use serde::Serialize;

use super::binaries::Binaries;
use super::launch_claude;
use super::plan::{AgentCli, Features, Plan};

#[derive(Serialize)]
struct HookFile<'p> {
    hooks: super::hooks_add::Events<'p>,
}

#[derive(Serialize)]
struct CodexManifest {
    #[serde(flatten)]
    common: launch_claude::Manifest,
    hooks: &'static str,
}

#[derive(Serialize)]
struct Marketplace<O, S> {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<O>,
    plugins: [Listed<S>; 1],
}

#[derive(Serialize)]
struct Listed<S> {
    name: &'static str,
    source: S,
}

#[derive(Serialize)]
struct Owner {
    name: &'static str,
}

#[derive(Serialize)]
struct LocalSource {
    source: &'static str,
    path: &'static str,
}

/// Path below `hooks/` and content of every ready file.
pub fn files() -> Vec<(&'static str, String)> {
    let plan = |cli| Plan::new(cli, Features::default(), &Binaries::on_path(), false);
    let (claude, codex) = (plan(AgentCli::Claude), plan(AgentCli::Codex));
    let hook_file = |plan: &Plan| {
        launch_claude::pretty(&HookFile {
            hooks: super::hooks_add::Events(&plan.events),
        })
    };
    let listed = "agent-room";
    vec![
        ("claude.settings.json", hook_file(&claude)),
        ("codex.hooks.json", hook_file(&codex)),
        (
            "claude-plugin/.claude-plugin/plugin.json",
            launch_claude::manifest(),
        ),
        (
            "claude-plugin/hooks/hooks.json",
            launch_claude::hooks(&claude),
        ),
        (
            "codex-plugin/.codex-plugin/plugin.json",
            launch_claude::pretty(&CodexManifest {
                common: launch_claude::Manifest::default(),
                hooks: "./hooks/hooks.json",
            }),
        ),
        (
            "codex-plugin/hooks/hooks.json",
            launch_claude::hooks(&codex),
        ),
        (
            ".claude-plugin/marketplace.json",
            launch_claude::pretty(&Marketplace {
                name: listed,
                owner: Some(Owner { name: listed }),
                plugins: [Listed {
                    name: listed,
                    source: "./claude-plugin",
                }],
            }),
        ),
        (
            ".agents/plugins/marketplace.json",
            launch_claude::pretty(&Marketplace {
                name: listed,
                owner: None::<Owner>,
                plugins: [Listed {
                    name: listed,
                    source: LocalSource {
                        source: "local",
                        path: "./codex-plugin",
                    },
                }],
            }),
        ),
    ]
}
