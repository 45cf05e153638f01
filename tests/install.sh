#!/bin/sh
# Tests install.sh with binaries that were built before.
# usage: tests/install.sh DIR   (a folder made by `cargo xtask dist`)
set -eu
made=${1:?usage: tests/install.sh DIR}
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
made=$(CDPATH='' cd -- "$made" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
passed=0
unset RUN_ID ROOM_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME || :
export HOME="$work/home dir"
mkdir -p "$HOME"

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}
ok() {
  passed=$((passed + 1))
  printf 'ok: %s\n' "$*"
}
# Everything below the home, its modes and its contents, in one line a file.
state() { (cd "$HOME" && find . -type f -exec ls -l {} + | awk '{print $1, $NF}' | sort && find . -type f -exec cksum {} + | sort); }

mkdir -p "$HOME/.claude"
printf '{\r\n  // mine\r\n  "model": "opus",\r\n}\r\n' >"$HOME/.claude/settings.json"
state >"$work/before"

sh "$made/install.sh" >"$work/out" || fail "a plain installation: $(cat "$work/out")"
for name in room roomd room-relay stop-gate heartbeat; do
  "$HOME/.local/bin/$name" --version >/dev/null || fail "$name does not run"
done
cmp -s "$HOME/.claude/settings.json" - <<EOT || fail "a plain installation touched the settings"
$(printf '{\r\n  // mine\r\n  "model": "opus",\r\n}\r\n')
EOT
ok "installs from a made folder, touches no settings"

state >"$work/first"
sh "$made/install.sh" >/dev/null || fail "a second installation"
state >"$work/second"
cut -d' ' -f1,2 "$work/first" >"$work/a" && cut -d' ' -f1,2 "$work/second" >"$work/b"
cmp -s "$work/a" "$work/b" || fail "a second installation changed something"
ok "a second installation changes nothing"

sh "$made/install.sh" --wire claude,codex >"$work/out" || fail "wiring: $(cat "$work/out")"
grep -q room-relay "$HOME/.claude/settings.json" || fail "claude is not wired"
grep -q room-relay "$HOME/.codex/hooks.json" || fail "codex is not wired"
sh "$made/install.sh" --wire claude,codex >/dev/null
[ "$(grep -c stop-gate "$HOME/.claude/settings.json")" = 1 ] || fail "wired twice"
ok "wires when asked, once"

sh "$made/install.sh" --uninstall >"$work/out" 2>&1 || fail "removing: $(cat "$work/out")"
[ ! -e "$HOME/.local/bin/room" ] || fail "room is still there"
grep -qF "are kept in $HOME/.local/state/agent-room;" "$work/out" || fail "does not say what is kept: $(cat "$work/out")"
state | grep -v '/state/agent-room' >"$work/after"
cmp -s "$work/before" "$work/after" || fail "not as before: $(diff "$work/before" "$work/after")"
sh "$made/install.sh" --uninstall >/dev/null || fail "removing twice"
ok "removes everything it installed and wired, settings to the byte; twice is fine"

sh "$made/install.sh" --prefix "$work/other place" >"$work/out" || fail "a prefix with a space"
[ -x "$work/other place/bin/room" ] || fail "the prefix was not used"
grep -q "other place/bin" "$work/out" || fail "does not say where it installed"
ok "takes a prefix with a space"

for bad in "--prefix" "--wire gemini" "--wire *" "--wire ," "--nonsense"; do
  # shellcheck disable=SC2086 # words on purpose
  set -f
  if sh "$made/install.sh" $bad >"$work/out" 2>&1; then fail "accepted $bad"; fi
  grep -q '^install.sh: ' "$work/out" || fail "no clear message for $bad"
done
if sh "$made/install.sh" --from "$work" >"$work/out" 2>&1; then fail "installed from an empty folder"; fi
grep -q 'room is not there' "$work/out" || fail "does not say what is missing"
mkdir -p "$work/taken/bin/roomd"
if sh "$made/install.sh" --prefix "$work/taken" >"$work/out" 2>&1; then fail "installed into a folder's place"; fi
grep -q 'is a folder' "$work/out" || fail "does not say what is in the way"
[ ! -e "$work/taken/bin/room" ] || fail "half installed"
ok "says clearly what is wrong with its arguments"

printf '%s passed, 0 failed\n' "$passed"
