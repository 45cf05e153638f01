//! Adding our entries to a hook file: insertions only, every byte of the file stays.

use jsonc_parser::ast::Object;
use serde::Serialize;

use super::hooks_file::events;
use super::jsonc::{BOM, Bracketed, Unreadable, parse};
use super::plan::{Group, Plan};
use super::splice::{Insertion, insert};
use super::style::{Style, line_indent};

/// A key and its value in a file.
struct Property<'p, T>(&'p str, &'p T);

impl<T: Serialize> Property<'_, T> {
    fn render(&self, style: &Style, indent: &str) -> Result<String, serde_json::Error> {
        Ok(format!(
            "{}: {}",
            style.render(&self.0, indent)?,
            style.render(self.1, indent)?
        ))
    }
}

/// All events as one object, in the plan's order.
pub(super) struct Events<'p>(pub &'p [(&'static str, Group)]);

impl Serialize for Events<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(event, group)| (event, [group])))
    }
}

/// Why nothing was added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The file is not one that we dare to edit.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Cannot happen with the types that we write; said instead of hidden.
    #[error("cannot write the entries as JSON: {0}")]
    Render(#[from] serde_json::Error),
}

/// The insertions that add the plan to a text (which has none of our entries yet).
/// Offsets are of the whole text, byte order mark included.
///
/// # Errors
/// When the text is not a JSON object, or not one with the shape of a hook file.
pub fn insertions(text: &str, plan: &Plan) -> Result<Vec<Insertion>, AddError> {
    let mark = if text.starts_with(BOM) {
        BOM.len_utf8()
    } else {
        0
    };
    let parsed = parse(text)?;
    let mut added = match &parsed.root {
        None => vec![Insertion {
            at: 0,
            text: whole_file(parsed.text, plan)?,
        }],
        Some(root) => into_object(parsed.text, root, plan)?,
    };
    for insertion in &mut added {
        insertion.at += mark;
    }
    Ok(added)
}

/// The file where there was none.
fn whole_file(blank: &str, plan: &Plan) -> Result<String, AddError> {
    let style = Style::of(blank, None);
    let hooks = Property("hooks", &Events(&plan.events)).render(&style, &style.unit)?;
    let (unit, eol) = (&style.unit, style.eol);
    let end = if blank.contains('\n') { "" } else { eol };
    Ok(format!("{{{eol}{unit}{hooks}{eol}}}{end}"))
}

fn into_object(text: &str, root: &Object<'_>, plan: &Plan) -> Result<Vec<Insertion>, AddError> {
    let root_shape = Bracketed::object(root);
    let style = Style::of(text, Some(&root_shape));
    let Some((hooks, lists)) = events(text, root)? else {
        let indent = style.child_indent(text, &root_shape);
        let property = Property("hooks", &Events(&plan.events)).render(&style, &indent)?;
        return Ok(append(text, &style, &root_shape, vec![property]));
    };
    let hooks_shape = Bracketed::object(hooks);
    let indent = style.child_indent(text, &hooks_shape);
    let mut added = Vec::new();
    let mut new_events = Vec::new();
    for (event, group) in &plan.events {
        if let Some(list) = lists.iter().find(|list| list.event == *event) {
            let shape = Bracketed::array(list.groups);
            let indent = style.child_indent(text, &shape);
            added.extend(append(
                text,
                &style,
                &shape,
                vec![style.render(group, &indent)?],
            ));
        } else {
            new_events.push(Property(event, &[group]).render(&style, &indent)?);
        }
    }
    if !new_events.is_empty() {
        added.extend(append(text, &style, &hooks_shape, new_events));
    }
    added.sort_by_key(|insertion| insertion.at);
    Ok(added)
}

/// Appends elements, each on a line of its own, after everything that is there, the
/// comments behind the last element included.
fn append(
    text: &str,
    style: &Style,
    container: &Bracketed,
    elements: Vec<String>,
) -> Vec<Insertion> {
    let gap = container.gap(container.elements.len(), text);
    let indent = style.child_indent(text, container);
    let eol = style.eol;
    let mut added = Vec::new();
    let mut block = String::new();
    let has_elements = !container.elements.is_empty();
    if has_elements && gap.comma.is_none() {
        if gap.solid_end == gap.start {
            block.push(',');
        } else {
            // A comment follows the last element: the comma goes before it.
            added.push(Insertion {
                at: gap.start,
                text: ",".to_owned(),
            });
        }
    }
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            block.push(',');
        }
        block.push_str(eol);
        block.push_str(&indent);
        block.push_str(element);
    }
    if gap.comma.is_some() {
        block.push(',');
    }
    if !text[gap.solid_end..gap.end].contains('\n') {
        block.push_str(eol);
        block.push_str(line_indent(text, container.open));
    }
    added.push(Insertion {
        at: gap.solid_end,
        text: block,
    });
    added
}

/// A text with the plan's entries added, and what was inserted.
///
/// # Errors
/// As [`insertions`].
pub fn add(text: &str, plan: &Plan) -> Result<(String, Vec<Insertion>), AddError> {
    let added = insertions(text, plan)?;
    Ok((insert(text, &added), added))
}
