//! Taking our entries out of a hook file, and nothing else.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::hooks_file::{events, handlers, ours};
use super::jsonc::{BOM, Bracketed, Unreadable, parse};
use super::splice::cut;

/// Containers that the file had before we came, empty or not, and that therefore stay
/// when our entries were the only ones in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// The `hooks` object.
    pub hooks: bool,
    /// Lists of events.
    pub events: Vec<String>,
}

impl Keep {
    /// What a text has. Nothing where it cannot be read.
    pub fn of(text: &str) -> Keep {
        let Ok(parsed) = parse(text) else {
            return Keep::default();
        };
        match parsed.root.as_ref().map(|root| events(parsed.text, root)) {
            Some(Ok(Some((_, lists)))) => Keep {
                hooks: true,
                events: lists.iter().map(|list| list.event.to_owned()).collect(),
            },
            _ => Keep::default(),
        }
    }
}

/// The text without our entries, and without groups, lists and the `hooks` object that
/// held nothing else (comments count as something).
///
/// # Errors
/// When the text is not a JSON object, or not one with the shape of a hook file.
pub fn strip(text: &str, keep: &Keep) -> Result<String, Unreadable> {
    let parsed = parse(text)?;
    let Some(root) = &parsed.root else {
        return Ok(text.to_owned());
    };
    let mark = if text.starts_with(BOM) {
        BOM.len_utf8()
    } else {
        0
    };
    let ranges = ranges(parsed.text, root, keep)?;
    Ok(format!("{}{}", &text[..mark], cut(parsed.text, ranges)))
}

fn ranges(text: &str, root: &Object<'_>, keep: &Keep) -> Result<Vec<Range<usize>>, Unreadable> {
    let Some((hooks, lists)) = events(text, root)? else {
        return Ok(Vec::new());
    };
    let mut cuts = Vec::new();
    let mut doomed_events = Vec::new();
    for property in &hooks.properties {
        let list = lists
            .iter()
            .find(|list| list.event == property.name.as_str());
        let verdict = list.map_or(Verdict::Stays(Vec::new()), |list| {
            judge_list(
                text,
                list.groups.elements.as_slice(),
                &Bracketed::array(list.groups),
            )
        });
        doomed_events.push(settle(verdict, &mut cuts, || {
            keep.events
                .iter()
                .any(|event| event == property.name.as_str())
        }));
    }
    let shape = Bracketed::object(hooks);
    let verdict = judge(text, &shape, &doomed_events);
    let hooks_go = settle(verdict, &mut cuts, || keep.hooks);
    if hooks_go {
        let root_shape = Bracketed::object(root);
        let doomed: Vec<bool> = root
            .properties
            .iter()
            .map(|property| property.name.as_str() == "hooks")
            .collect();
        cuts.extend(cut_elements(text, &root_shape, &doomed));
    }
    Ok(cuts)
}

/// What becomes of a container.
enum Verdict {
    /// It stays, without these ranges.
    Stays(Vec<Range<usize>>),
    /// It held nothing but ours; if it has to stay all the same, without these.
    Goes(Vec<Range<usize>>),
}

/// Books the cuts of a container that stays; says whether it goes.
fn settle(verdict: Verdict, cuts: &mut Vec<Range<usize>>, kept: impl Fn() -> bool) -> bool {
    match verdict {
        Verdict::Stays(inner) => {
            cuts.extend(inner);
            false
        }
        Verdict::Goes(inner) => {
            let stays = kept();
            if stays {
                cuts.extend(inner);
            }
            !stays
        }
    }
}

fn judge(text: &str, shape: &Bracketed, doomed: &[bool]) -> Verdict {
    let cuts = cut_elements(text, shape, doomed);
    let commented = (0..=shape.elements.len()).any(|index| shape.gap(index, text).has_comment);
    if !doomed.is_empty() && doomed.iter().all(|doomed| *doomed) && !commented {
        Verdict::Goes(cuts)
    } else {
        Verdict::Stays(cuts)
    }
}

fn judge_list(text: &str, groups: &[Value<'_>], shape: &Bracketed) -> Verdict {
    let mut inner = Vec::new();
    let doomed: Vec<bool> = groups
        .iter()
        .map(|group| settle(judge_group(text, group), &mut inner, || false))
        .collect();
    match judge(text, shape, &doomed) {
        Verdict::Stays(cuts) => {
            inner.extend(cuts);
            Verdict::Stays(inner)
        }
        goes => goes,
    }
}

fn judge_group(text: &str, group: &Value<'_>) -> Verdict {
    let Some((group, list)) = handlers(group) else {
        return Verdict::Stays(Vec::new());
    };
    let doomed: Vec<bool> = list
        .elements
        .iter()
        .map(|handler| ours(handler).is_some())
        .collect();
    match judge(text, &Bracketed::array(list), &doomed) {
        Verdict::Goes(cuts) => {
            let shape = Bracketed::object(group);
            let bare = group
                .properties
                .iter()
                .all(|property| ["hooks", "matcher"].contains(&property.name.as_str()))
                && !(0..=shape.elements.len()).any(|index| shape.gap(index, text).has_comment);
            if bare {
                Verdict::Goes(cuts)
            } else {
                Verdict::Stays(cuts)
            }
        }
        stays => stays,
    }
}

/// The ranges to cut so that the doomed elements, the white space before them and
/// exactly the commas that have become too many are gone, and every comment is left.
fn cut_elements(text: &str, shape: &Bracketed, doomed: &[bool]) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    if !doomed.contains(&true) {
        return cuts;
    }
    let count = shape.elements.len();
    let last_survivor = doomed.iter().rposition(|doomed| !doomed);
    let commented = (0..=count).any(|index| shape.gap(index, text).has_comment);
    if last_survivor.is_none() && !commented {
        cuts.push(shape.open + 1..shape.close);
        return cuts;
    }
    let trailing_comma = shape.gap(count, text).comma.is_some();
    for (index, (start, end)) in shape.elements.iter().enumerate() {
        let after = shape.gap(index + 1, text).comma;
        if doomed[index] {
            let before = shape.gap(index, text);
            let blank = &text[before.solid_end..*start];
            let from = match blank.rfind(['\n', '\r']) {
                // The line comment before it still needs the end of its line.
                Some(line)
                    if before.ends_in_line_comment
                        && !line_ends_after(text, shape, doomed, index) =>
                {
                    before.solid_end + line + 1
                }
                _ => before.solid_end,
            };
            cuts.push(from..*end);
            cuts.extend(after.map(|comma| comma..comma + 1));
        } else if Some(index) == last_survivor && index + 1 < count && !trailing_comma {
            cuts.extend(after.map(|comma| comma..comma + 1));
        }
    }
    cuts
}

/// Whether a line ends right behind the doomed elements from `index` on.
fn line_ends_after(text: &str, shape: &Bracketed, doomed: &[bool], index: usize) -> bool {
    let mut last = index;
    while doomed.get(last + 1) == Some(&true) && !shape.gap(last + 1, text).has_comment {
        last += 1;
    }
    let rest = text[shape.elements[last].1..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    rest.trim_start_matches([' ', '\t'])
        .starts_with(['\n', '\r'])
}
