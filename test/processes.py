# SPDX-License-Identifier: BSD-3-Clause
"""Find and end the processes that a process has started, in whatever group or session."""
import contextlib
import ctypes
import os
import signal
import time


def below(top):
    """The processes that the process `top` has started, and those that these have, from the top
    down, but for those that have ended."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as stat:
            state, parent = stat.read().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(entry))
    found = [top]
    for process in found:
        found += children.get(process, [])
    return found[1:]


def gone(processes, seconds, drain):
    """Wait, but no longer than so many seconds, until processes() is empty; whether it is. What is
    still written is taken by drain(), since a writer must not be blocked."""
    limit = time.monotonic() + seconds
    while processes():
        if time.monotonic() > limit:
            return False
        drain()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        time.sleep(0.02)
    return True


def end(child, drain):
    """End the command `child`, which ends what it has started, then whatever is left. A command
    that has things to clear away, as test/chroot.sh has, gets ten seconds for it."""
    def left():
        return below(os.getpid())
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: adopts orphans
    child.terminate()
    gone(lambda: child.pid in left(), 10, drain)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        if gone(left, 20, drain):
            return
