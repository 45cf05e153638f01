//! Wiring: putting the hooks where an agent CLI finds them, and looking whether they are.
//!
//! Two ways, both idempotent. **Per launch** ([`launch_claude`], [`launch_codex`]): the
//! hooks go with the command line of one session and no file of the user is touched.
//! **Installed** ([`claude_settings`], [`codex_hooks`]): the user's configuration is
//! edited, and can be restored to the byte. What is wired is one table ([`plan`]).
//!
//! Nothing here prints; functions return reports and errors that say what was wrong,
//! where, and what to do.

pub mod binaries;
pub mod claude_obstacles;
pub mod claude_settings;
pub mod codex_config;
pub mod codex_hooks;
pub mod codex_trust;
pub mod config_files;
pub mod document;
pub mod edit_error;
pub mod edit_file;
pub mod hooks_add;
pub mod hooks_file;
pub mod hooks_strip;
pub mod inspect;
pub mod install;
pub mod jsonc;
pub mod launch_claude;
pub mod launch_codex;
pub mod places;
pub mod plan;
pub mod probe;
pub mod quote;
pub mod reader;
pub mod ready;
pub mod record;
pub mod splice;
pub mod style;
