//! The shape that both CLIs' hook files share, and which entries in it are ours:
//! `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.

use jsonc_parser::ast::{Array, Object, Value};

use super::jsonc::{Unreadable, get_str, wrong_type};
use super::plan::{Handler, Hook};
use super::quote::shell_words;

/// One of our hooks, found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The event it is wired on.
    pub event: String,
    /// Which group of the event, counted from 0.
    pub group: usize,
    /// Which handler of the group, counted from 0.
    pub handler: usize,
    /// Which hook.
    pub hook: Hook,
    /// Its program, as written.
    pub program: String,
    /// The whole command, as written.
    pub command: String,
    /// The separate arguments, where it has some.
    pub args: Option<Vec<String>>,
    /// Seconds, where stated.
    pub timeout: Option<f64>,
    /// The CLI does not wait for it.
    pub background: bool,
    /// Shown by the CLI while it runs; part of Codex's trust hash.
    pub status_message: Option<String>,
    /// The group's matcher.
    pub matcher: Option<String>,
    /// Keys beyond those above.
    pub other_keys: bool,
}

impl Found {
    /// Whether it is exactly what is to be wired.
    pub fn is(&self, event: &str, wanted: &Handler) -> bool {
        self.event == event
            && self.command == wanted.command
            && self.args == wanted.args
            && self.timeout == Some(f64::from(wanted.timeout))
            && self.background == wanted.background
            && self.status_message.is_none()
            && self.matcher.is_none()
            && !self.other_keys
    }
}

/// An event's list in a file.
pub struct EventList<'v, 'a> {
    /// The event.
    pub event: &'v str,
    /// Its groups.
    pub groups: &'v Array<'a>,
}

/// The `hooks` object of a file, and the lists in it.
///
/// # Errors
/// When `hooks` is not an object or an event's value is not a list.
pub fn events<'v, 'a>(
    text: &str,
    root: &'v Object<'a>,
) -> Result<Option<(&'v Object<'a>, Vec<EventList<'v, 'a>>)>, Unreadable> {
    let Some(property) = root.get("hooks") else {
        return Ok(None);
    };
    let Value::Object(hooks) = &property.value else {
        return Err(wrong_type(text, &property.value, "\"hooks\"", "an object"));
    };
    let lists = hooks
        .properties
        .iter()
        // Codex keeps its trust there when hooks stand in its TOML; never a list.
        .filter(|property| property.name.as_str() != "state")
        .map(|property| match &property.value {
            Value::Array(groups) => Ok(EventList {
                event: property.name.as_str(),
                groups,
            }),
            other => Err(wrong_type(
                text,
                other,
                format!("\"hooks.{}\"", property.name.as_str()),
                "a list",
            )),
        })
        .collect::<Result<_, _>>()?;
    Ok(Some((hooks, lists)))
}

/// The handlers of a group; nothing where the group has another shape, which is the
/// CLI's to complain about.
pub fn handlers<'v, 'a>(group: &'v Value<'a>) -> Option<(&'v Object<'a>, &'v Array<'a>)> {
    let Value::Object(group) = group else {
        return None;
    };
    Some((group, group.get_array("hooks")?))
}

/// All of our hooks in a file, in its order.
///
/// # Errors
/// As [`events`].
pub fn find(text: &str, root: Option<&Object<'_>>) -> Result<Vec<Found>, Unreadable> {
    let Some(root) = root else {
        return Ok(Vec::new());
    };
    let Some((_, lists)) = events(text, root)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for list in lists {
        for (group_index, group) in list.groups.elements.iter().enumerate() {
            let Some((group, handlers)) = handlers(group) else {
                continue;
            };
            for (index, handler) in handlers.elements.iter().enumerate() {
                if let Some(ours) = ours(handler) {
                    found.push(Found {
                        event: list.event.to_owned(),
                        group: group_index,
                        handler: index,
                        matcher: get_str(group, "matcher").map(str::to_owned),
                        ..ours
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Whether a handler is ours: it runs a program with one of our names, and says `--cli`.
pub fn ours(handler: &Value<'_>) -> Option<Found> {
    let Value::Object(handler) = handler else {
        return None;
    };
    let command = get_str(handler, "command")?;
    let args = match handler.get("args").map(|property| &property.value) {
        None => None,
        Some(Value::Array(args)) => Some(
            args.elements
                .iter()
                .map(|arg| arg.as_string_lit().map(|text| text.value.to_string()))
                .collect::<Option<Vec<_>>>()?,
        ),
        Some(_) => return None,
    };
    let (program, says_cli) = match &args {
        Some(args) => (command.to_owned(), args.iter().any(|arg| is_cli(arg))),
        None => {
            let mut words = shell_words(command)?.into_iter();
            (words.next()?, words.any(|word| is_cli(&word)))
        }
    };
    let hook = Hook::of_binary(program.rsplit('/').next()?)?;
    let known = [
        "type",
        "command",
        "args",
        "timeout",
        "async",
        "statusMessage",
    ];
    says_cli.then(|| Found {
        event: String::new(),
        group: 0,
        handler: 0,
        hook,
        program,
        command: command.to_owned(),
        args,
        timeout: handler
            .get_number("timeout")
            .and_then(|number| number.value.parse().ok()),
        background: handler.get_boolean("async").is_some_and(|flag| flag.value),
        status_message: get_str(handler, "statusMessage").map(str::to_owned),
        matcher: None,
        other_keys: handler
            .properties
            .iter()
            .any(|property| !known.contains(&property.name.as_str())),
    })
}

fn is_cli(word: &str) -> bool {
    word == "--cli" || word.starts_with("--cli=")
}
