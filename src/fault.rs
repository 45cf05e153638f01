//! Lets a test kill a hook, or let it panic, right after one of its steps.

/// The steps between which a hook may die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It holds a lease.
    Lease,
    /// It wrote what it is about to show.
    Note,
    /// It printed.
    Print,
    /// It wrote that it printed.
    Rename,
    /// It acknowledged.
    Ack,
}

/// Kills this process as nothing could stop it, when `ROOM_TEST_KILL_AFTER` names the step, and
/// panics when `ROOM_TEST_PANIC_AFTER` does. Only in builds with debug assertions; the released
/// hooks know no such variables.
#[cfg(debug_assertions)]
pub(crate) fn after(step: Step) {
    let name = format!("{step:?}").to_lowercase();
    let wanted = |variable| std::env::var(variable).is_ok_and(|wanted| wanted == name);
    assert!(!wanted("ROOM_TEST_PANIC_AFTER"), "after {name}");
    if wanted("ROOM_TEST_KILL_AFTER") {
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn after(_step: Step) {}
