//! What waits, in the given order: as many whole messages as fit, or one part of a long one.

use super::head::What;
use super::line::{line, quoted};
use super::parts::{self, Piece};
use super::{Context, Rendered, Shown, head};
use crate::lane::Waiting;

/// Whether a first part was shown already.
pub(super) fn begun(w: &Waiting) -> bool {
    w.offset > 0 && w.offset < w.message.body.len() as u64
}

pub(super) fn render(c: &Context<'_>) -> Option<Rendered> {
    if let Some(w) = c.waiting.iter().find(|w| begun(w)) {
        return part(c, w);
    }
    whole(c).or_else(|| part(c, c.waiting.first()?))
}

/// The longest prefix of what waits that fits.
fn whole(c: &Context<'_>) -> Option<Rendered> {
    let first = c.waiting.first()?;
    let style = c.style();
    let mut body = String::new();
    let mut best = None;
    for (w, count) in c.waiting.iter().zip(1u64..) {
        body.push('\n');
        body.push_str(&line(&w.message, None, w.again, c.run, style));
        body.push('\n');
        body.push_str(&quoted(&w.message.body));
        if body.len() > c.budget {
            break;
        }
        let more = c.waiting_total() - count;
        let head = head::head(c, &first.message.handle, What::Messages(count), style);
        let tail = head::more(c, more).map_or(String::new(), |t| format!("\n{t}"));
        if head.len() + body.len() + tail.len() <= c.budget {
            best = Some((head, body.len(), tail, count));
        }
    }
    let (head, end, tail, count) = best?;
    let shown = c.waiting.iter().take(usize::try_from(count).ok()?);
    Some(Rendered {
        text: format!("{head}{}{tail}", &body[..end]),
        shown: shown
            .map(|w| Shown {
                id: w.message.id.clone(),
                offset: None,
                author_kind: w.message.author.kind,
            })
            .collect(),
        more: c.waiting_total() - count,
        introduced: c.introduce && style.full,
    })
}

/// The next part of one message, alone.
fn part(c: &Context<'_>, w: &Waiting) -> Option<Rendered> {
    let style = c.style();
    let m = &w.message;
    let space = c.part_space();
    if space <= parts::LEAST {
        return None;
    }
    let piece = Piece::next(&m.body, w.offset, space);
    let done = piece.end == m.body.len();
    let others = c.waiting_total() - 1;
    let mut lines = vec![
        head::head(c, &m.handle, What::Piece, style),
        line(m, Some(&piece), w.again, c.run, style),
        quoted(piece.text(&m.body)),
    ];
    lines.extend(head::after_piece(c, &piece, &m.body, others));
    let text = lines.join("\n");
    // The constants leave room for the longest frame; a frame that outgrew them would be a fault of
    // ours, and the bound holds all the same.
    (text.len() <= c.budget).then(|| Rendered {
        text,
        shown: vec![Shown {
            id: m.id.clone(),
            offset: (!done).then_some(piece.end as u64),
            author_kind: m.author.kind,
        }],
        more: others + u64::from(!done),
        introduced: c.introduce && style.full,
    })
}
