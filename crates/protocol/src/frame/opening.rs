//! The conversation so far: the newest whole messages that fit, in order, those that wait among
//! them.

use super::head::What;
use super::line::{line, quoted};
use super::{Context, Rendered, Shown, head};
use crate::{Message, Status};

struct Entry<'a> {
    message: &'a Message,
    waits: bool,
    again: bool,
}

/// What waits and what does not, by number, each message once.
fn entries<'a>(c: &Context<'a>) -> Vec<Entry<'a>> {
    let mut all: Vec<Entry<'a>> = c
        .waiting
        .iter()
        .map(|w| Entry {
            message: &w.message,
            waits: true,
            again: w.again,
        })
        .collect();
    all.extend(
        c.history
            .iter()
            .filter(|m| m.status != Status::Withdrawn)
            .filter(|m| !c.waiting.iter().any(|w| w.message.id == m.id))
            .map(|message| Entry {
                message,
                waits: false,
                again: false,
            }),
    );
    all.sort_by_key(|e| e.message.number);
    all
}

/// `None` when no message fits whole.
pub(super) fn render(c: &Context<'_>) -> Option<Rendered> {
    let entries = entries(c);
    let style = c.style();
    let total = c
        .history_total
        .max(entries.len() as u64)
        .max(c.waiting_total());
    let mut frames: Vec<String> = Vec::new();
    let mut chosen: Vec<&Entry<'_>> = Vec::new();
    let mut best = None;
    let mut size = 0;
    let mut too_long = 0;
    for entry in entries.iter().rev() {
        let frame = format!(
            "\n{}\n{}",
            line(entry.message, None, entry.again, c.run, style),
            quoted(&entry.message.body)
        );
        if size + frame.len() > c.budget {
            if chosen.is_empty() {
                // Too long for any opening: what was said before it is shown all the same.
                too_long += 1;
                continue;
            }
            break;
        }
        size += frame.len();
        frames.push(frame);
        chosen.push(entry);
        let waits = chosen.iter().filter(|e| e.waits).count() as u64;
        let more = c.waiting_total() - waits;
        let head = if style.full {
            head::conversation(c, reply(&chosen), chosen.len() as u64, total, too_long > 0)
        } else {
            head::head(
                c,
                reply(&chosen),
                What::Messages(chosen.len() as u64),
                style,
            )
        };
        let tail = head::more(c, more).map_or(String::new(), |t| format!("\n{t}"));
        if head.len() + size + tail.len() <= c.budget {
            best = Some((chosen.len(), head, tail, more));
        } else if best.is_none() {
            too_long += 1;
            size = 0;
            frames.clear();
            chosen.clear();
        }
    }
    let (count, head, tail, more) = best?;
    let mut text = head;
    frames[..count].iter().rev().for_each(|f| text.push_str(f));
    text.push_str(&tail);
    Some(Rendered {
        text,
        shown: chosen[..count]
            .iter()
            .rev()
            .filter(|e| e.waits)
            .map(|e| Shown {
                id: e.message.id.clone(),
                offset: None,
                author_kind: e.message.author.kind,
            })
            .collect(),
        more,
        introduced: c.introduce && style.full,
    })
}

/// The message that the hint how to answer names: the newest.
fn reply<'a>(chosen: &[&Entry<'a>]) -> &'a crate::Handle {
    &chosen[0].message.handle
}
