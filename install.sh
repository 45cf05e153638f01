#!/bin/sh
# Installs agent-room for one user. Never needs root, touches no agent CLI's settings unless asked,
# and can be run again at any time.
set -eu

usage() {
  cat <<'EOT'
usage: install.sh [--prefix DIR] [--from DIR] [--wire CLI[,CLI]] [--uninstall]

  --prefix DIR   install below DIR (default: ~/.local); binaries go to DIR/bin
  --from DIR     take the binaries from DIR instead of building them
  --wire CLIS    then wire the hooks into these agent CLIs: claude, codex, or claude,codex
  --uninstall    unwire the hooks and remove what was installed
EOT
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
wrong() {
  printf 'install.sh: %s\n' "$*" >&2
  usage >&2
  exit 2
}

prefix=${HOME:+$HOME/.local}
from=
wire=
uninstall=no
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --from | --wire)
      [ $# -ge 2 ] || wrong "$1 needs a value"
      case $1 in
        --prefix) prefix=$2 ;;
        --from) from=$2 ;;
        --wire) wire=$2 ;;
      esac
      shift
      ;;
    --prefix=*) prefix=${1#*=} ;;
    --from=*) from=${1#*=} ;;
    --wire=*) wire=${1#*=} ;;
    --uninstall) uninstall=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong "unknown argument: $1" ;;
  esac
  shift
done
[ -n "$prefix" ] || wrong "neither HOME nor --prefix tells where to install"
case $prefix in
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
esac
clis=
# Words only: no name is looked up among the files here.
set -f
[ -z "$wire" ] || [ -n "$(printf '%s' "$wire" | tr -d ', ')" ] || wrong "--wire needs claude or codex"
for cli in $(printf '%s' "$wire" | tr ',' ' '); do
  case $cli in
    claude | codex) clis="$clis $cli" ;;
    *) wrong "--wire knows claude and codex, not '$cli'" ;;
  esac
done

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
bin=$prefix/bin
binaries="room roomd room-relay stop-gate heartbeat"

if [ "$uninstall" = yes ]; then
  if [ -x "$bin/room" ]; then
    # Only what points at this installation is unwired; anything else stays as it is.
    for cli in claude codex; do
      "$bin/room" uninstall "$cli" || say "could not unwire $cli; look at the message above"
    done
    # Asked as a person: a run may not stop it.
    (unset RUN_ID; "$bin/room" daemon stop) >/dev/null 2>&1 || :
  fi
  for name in $binaries; do
    if [ -e "$bin/$name" ] || [ -L "$bin/$name" ]; then
      rm -f -- "$bin/$name" || fail "could not remove $bin/$name"
      say "removed $bin/$name"
    fi
  done
  # As the programs themselves find it: a relative path counts as none.
  kept=
  case ${ROOM_HOME:-} in
    /*) kept=$ROOM_HOME ;;
    *)
      case ${XDG_STATE_HOME:-} in
        /*) kept=$XDG_STATE_HOME/agent-room ;;
        *) kept=${HOME:+$HOME/.local/state/agent-room} ;;
      esac
      ;;
  esac
  if [ -d "$kept" ]; then
    say "Messages and runs are kept in $kept; remove it to forget them."
  fi
  exit 0
fi

if [ -z "$from" ]; then
  if [ -x "$here/bin/room-relay" ]; then
    from=$here/bin
  else
    [ -f "$here/Cargo.toml" ] || fail "no binaries beside this script, and no source to build them from"
    command -v cargo >/dev/null 2>&1 ||
      fail "cargo is not there: install Rust (https://rustup.rs), or pass --from a folder with the binaries"
    say "building (release) …"
    # The hooks by themselves, so that nothing of the rest is compiled into them.
    (cd "$here" &&
      cargo build --release --quiet -p agent-room --bins &&
      cargo build --release --quiet -p room -p roomd --bins) || fail "the build failed"
    host=$(cd "$here" && rustc -vV | sed -n 's/^host: //p')
    from=${CARGO_TARGET_DIR:-$here/target}/$host/release
  fi
fi
for name in $binaries; do
  [ -f "$from/$name" ] || fail "$from/$name is not there"
done

mkdir -p -- "$bin" || fail "could not make $bin"
for name in $binaries; do
  [ ! -d "$bin/$name" ] || fail "$bin/$name is a folder; move it away"
done
for name in $binaries; do
  # Beside its place, then renamed: a hook that runs meanwhile is the old or the new one, whole.
  new=$bin/.$name.new.$$
  cp -- "$from/$name" "$new" && chmod 755 "$new" && mv -f -- "$new" "$bin/$name" || {
    rm -f -- "$new"
    fail "could not write $bin/$name"
  }
done
say "installed into $bin: $binaries"

for cli in $clis; do
  "$bin/room" install "$cli" --user || fail "the binaries are installed, but wiring $cli failed"
done

say ""
say "What to do next:"
case :$PATH: in
  *:"$bin":*) ;;
  *) say "  put $bin on your PATH:  export PATH=\"$bin:\$PATH\"" ;;
esac
say "  room doctor                            says what is found and what is missing"
say "  room run demo -- claude                runs an agent in the room 'demo'"
say "  room post demo \"please use tabs\"       says a word to it, from another terminal"
[ -n "$clis" ] || say "No agent CLI's settings were touched: 'room run' hands the hooks to the CLI that it starts."
