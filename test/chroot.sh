#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Try a command in a bare Debian 12: debootstrap into a temporary folder, clone this repository into
# it, run.
#   test/chroot.sh [--keep] [--tree] [--add FILE] [--no-proc] command [argument...]
# The command runs in the clone's top folder. --tree copies the working tree, uncommitted changes
# included, in place of a clone. --add copies a file there as well. --keep leaves the folder behind
# and prints its name. --no-proc leaves /proc unmounted, as plain chroot does. Needs root,
# debootstrap, git and the network;
# packages come from where this machine's apt gets its own. Exits 77 where there is no bare Debian
# to be had here, and else with the command's status.
set -eu

say() { echo "chroot: $*" >&2; }
die() { say "$*"; exit 1; }
cannot() { say "$*"; exit 77; }

suite=bookworm
keep=no
tree=no
added=
proc=yes
while [ $# -gt 0 ]; do
  case $1 in
    --keep) keep=yes ;;
    --tree) tree=yes ;;
    --add)
      [ -f "${2:-}" ] || die "which file, after --add?"
      added=$2
      shift
      ;;
    --no-proc) proc=no ;;
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --) shift; break ;;
    -*) die "unknown option $1" ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || die "which command?"
[ "$(id -u)" = 0 ] || cannot "needs root, for debootstrap, mount and chroot"
for tool in debootstrap git chroot mount apt-get; do
  command -v $tool >/dev/null 2>&1 || cannot "$tool is missing"
done

source=$(cd "$(dirname "$0")/.." && pwd)
mirror=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(REPO_URI)' |
  awk -v suite=$suite '$1 == suite { print $2; exit }')
[ -n "$mirror" ] || cannot "apt here knows no mirror of $suite"

root=$(mktemp -d)
chmod 755 "$root" # for the unprivileged user that apt uses for downloads

# The keeper cleans up when this script has ended, in whatever way: test runners kill it half a
# second after they have asked it to end. The keeper has a session of its own, and is notified by
# the end of a pipe. It deletes nothing below a mount point that is still mounted.
keeper='
  say() { echo "chroot: $*" >&2; }
  trap "" INT TERM HUP
  cat >/dev/null
  root=$1 keep=$2
  for signal in TERM KILL; do
    left=
    for process in /proc/[0-9]*; do
      [ "$(readlink "$process/root")" = "$root" ] || continue
      kill -s $signal "${process#/proc/}" && left=yes
    done 2>/dev/null
    [ -z "$left" ] || sleep 1
  done
  rm -f "$root.log"
  if [ -e "$root/proc/self" ]; then umount "$root/proc" || umount -l "$root/proc"; fi
  if [ "$keep" = yes ] || [ -e "$root/proc/self" ]; then
    say "left in $root"
  else
    rm -rf --one-file-system "$root"
  fi'
mkfifo "$root/pipe"
setsid sh -c "$keeper" sh "$root" $keep <"$root/pipe" >&2 &
keeper=$!
exec 8<&0 9>"$root/pipe"
rm "$root/pipe"

# guarded COMMAND...: runs the command such that a signal to this script is handled at once and
# passed on
running=
guarded() {
  "$@" <&8 9>&- &
  running=$!
  result=0
  wait $running || result=$?
  running=
  return $result
}
cleanup() {
  status=$?
  trap - EXIT
  trap '' INT TERM HUP
  [ -z "$running" ] || kill -s TERM "$running" 2>/dev/null || true
  exec 9>&-
  wait $keeper || true
  exit $status
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

say "Debian $suite from $mirror"
guarded debootstrap --variant=minbase $suite "$root" "$mirror" >"$root.log" 2>&1 || {
  tail -n 20 "$root.log" >&2
  cannot "debootstrap failed: $(tail -n 1 "$root.log")"
}
# The chroot reaches mirrors as this machine's apt does (proxies, dates).
apt-config dump | grep '^Acquire::[^"]*"[^"]' >"$root/etc/apt/apt.conf.d/99host" || true
[ $proc = no ] || mount -t proc proc "$root/proc" || say "/proc cannot be mounted here; going on"

mkdir "$root/srv/op2"
if [ $tree = yes ]; then
  (cd "$source" && git ls-files -z --cached --others --exclude-standard |
    tar -c --null --files-from=- --ignore-failed-read) | tar -x -C "$root/srv/op2" --no-same-owner
else
  git clone -q "$source" "$root/srv/op2"
fi
[ -z "$added" ] || cp "$added" "$root/srv/op2"

say "running: $*"
home=$(awk -F: '$1 == "root" { print $6 }' "$root/etc/passwd")
guarded env -i HOME="$home" TERM="${TERM:-dumb}" PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" /bin/sh -c 'cd /srv/op2 && exec "$@"' sh "$@"
