# SPDX-License-Identifier: BSD-3-Clause
"""Contexts, from which everything else is made."""
from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional, Set, Tuple

from . import structs
from ._companions import library_of
from ._native import ffi, lib
from ._object import numbers, pointer
from .errors import (ArgumentError, CallError, Error, FileError, UnavailableError, causes_of, last,
                     text)

Profile = structs.result("Profile", "op2_profile")
Times = structs.result("Times", "op2_times")
DeviceStats = structs.result("DeviceStats", "op2_device_stats")
CommStats = structs.result("CommStats", "op2_comm_stats")
CommNeighbour = structs.result("CommNeighbour", "op2_comm_neighbour")
CommDat = structs.result("CommDat", "op2_comm_dat")
PartitionReport = structs.result("PartitionReport", "op2_partition_report")

# Contexts that have not ended stay, whether somebody refers to them or not, to be ended at exit.
_live: Set["Context"] = set()


def _written(function: Callable[[Any], int]) -> str:
    """What a function of the library writes to a stream."""
    start, length = ffi.new("char **"), ffi.new("size_t *")
    stream = lib.open_memstream(start, length)
    if stream == ffi.NULL:
        raise FileError("no memory for a stream")
    try:
        status = function(stream)
        error = last() if status else None
    finally:
        lib.fclose(stream)
        written = ffi.buffer(start[0], length[0])[:].decode(errors="replace")
        lib.free(start[0])
    if error:
        raise error
    return written


def environment() -> str:
    """The table of environment variables: name, default, present value and meaning."""
    return _written(lib.op2_environment_write)


def version() -> str:
    """The version of the library that is loaded, as "1.0.0"."""
    return text(lib.op2_version()) or ""


def unavailable(backend: str) -> Optional[str]:
    """Why a backend cannot be used here; None: it can."""
    return text(lib.op2_backend_unavailable(backend.encode()))


class Context:
    """The backend, its workers, and the queue of loops.

    `backend` is "sequential", "openmp", "starpu", "opencl", "cuda", "hip", "check" or "static"; None takes
    OP2_BACKEND or the library's default. Options are those of op2_options (op2/context.h), by their
    names; `eager` is True or False. With `comm`, a communicator of mpi4py, the context is one rank
    of several.

    A context is also a context manager, which ends it.

    >>> import op2
    >>> with op2.Context("sequential", threads=1) as context:
    ...     context.backend, context.workers, context.ranks
    ('sequential', 1, 1)
    >>> context.initialised
    False
    """

    def __init__(self, backend: Optional[str] = None, *, comm: Any = None,
                 eager: Optional[bool] = None, **options: Any):
        options["backend"] = backend
        options["eager"] = None if eager is None else 1 if eager else -1
        filled, _kept = structs.fill("op2_options", options)
        # Another thread waits here while this one is inside the library without the lock of Python.
        self._lock = threading.RLock()
        self._dead: Deque[Tuple[str, Any, Any]] = deque()
        self._inside_call, self._burying = 0, False
        self._calls: List[Any] = []
        # What functions have raised: those of calls, by the places that queued them, those of
        # operators, any of whose solves may have been running, and those of monitors.
        self._raised: Dict[Tuple[Optional[str], int], Deque[BaseException]] = {}
        self._raised_in_operators: Deque[BaseException] = deque()
        self._raised_in_monitors: Dict[Any, BaseException] = {}
        self._solves: Set[Tuple[Optional[str], int]] = set()
        self._kept: List[Any] = []
        self._leaving: List[Any] = []
        self._lending: "weakref.WeakSet[Any]" = weakref.WeakSet()
        # Checkpoints, which end before the context.
        self._checkpoints: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._pid = os.getpid()
        self._handle = ffi.new("op2_context *")
        #: The handle for the C interface.
        self._p = ffi.NULL
        if comm is None:
            self._do(lib.op2_init, filled, self._handle)
        else:
            if not hasattr(comm, "py2f"):
                raise ArgumentError(f"{comm!r} is no communicator of mpi4py")
            self._do(_mpi().op2_init_mpi_f, filled, comm.py2f(), self._handle)
        self._p = self._handle[0]
        _live.add(self)

    # ---- calls of the library ----

    def _do(self, function: Any, *arguments: Any) -> None:
        """Call a function that returns a status, and raise an exception if it fails, or if a
        monitor did meanwhile."""
        # As _call(), which would cost each loop that is queued another call and another lock.
        with self._lock:
            if self._dead:
                self._bury()
            if function(*arguments):
                raise self._failure()
            if self._raised_in_monitors:
                self._raise_from_monitors()

    def _call(self, function: Any, *arguments: Any) -> None:
        """Call a function that returns a status, and raise an exception if it fails. Those of
        monitors wait for _raise_from_monitors() if it succeeds, so that what it has made or opened
        can be kept before."""
        with self._lock:
            if self._dead:
                self._bury()
            if function(*arguments):
                raise self._failure()

    def _failure(self) -> BaseException:
        """The exception for the last failure, with that of the function which caused it."""
        error = last()
        place = (error.file, error.line)
        causes = self._raised.get(place)
        if causes is None and place in self._solves:
            causes = self._raised_in_operators
        if isinstance(error, CallError) and causes:
            error.__cause__ = causes.popleft()
            if not isinstance(error.__cause__, Exception):
                return error.__cause__  # the program is to end
        return self._with_monitors([error])

    def _raise_from_monitors(self) -> None:
        """Raise what monitors have raised, unless a function that was called runs."""
        if self._raised_in_monitors and not self._inside_call:
            raise self._with_monitors([])

    def _with_monitors(self, raised: List[BaseException]) -> BaseException:
        """The first of these exceptions and of those of monitors, or one that is to end the
        program. The others become causes of it, so that none is lost."""
        if not self._inside_call:
            raised = raised + list(self._raised_in_monitors.values())
            self._raised_in_monitors.clear()
        first, *others = sorted(raised, key=lambda each: isinstance(each, Exception))
        for other in others:
            causes = causes_of(first)
            if not any(each is cause for each in causes_of(other) for cause in causes):
                causes[-1].__cause__ = other
        return first

    def _fails(self, place: Any, error: BaseException) -> None:
        """Remember the exception of a function that was queued at this place."""
        key = (text(place.file), place.line)
        self._raised.setdefault(key, deque()).append(error)

    # ---- objects that are given up ----

    def _given_up(self, kind: str, handle: Any, kept: Any = None) -> None:
        """Destroy an object later, and give up what it needs when no queued loop uses it."""
        self._dead.append((kind, handle, kept))
        if not self.initialised:
            self._bury_after_the_end()

    def _bury(self) -> None:
        """Destroy what was given up, in this order, unless a function that was called runs inside
        the library."""
        if self._inside_call or self._burying:
            return
        self._burying = True
        try:
            while self._dead:
                self._destroy(*self._dead.popleft())
        finally:
            self._burying = False

    def _bury_after_the_end(self) -> None:
        # Nothing will be called that could do it later. If another thread is here, it does.
        if self._lock.acquire(blocking=False):
            try:
                self._bury()
            finally:
                self._lock.release()

    def _destroy(self, kind: str, handle: Any, kept: Any = None) -> None:
        with self._lock:
            if kind == "scope":
                try:
                    handle()
                except Error:
                    pass  # the dat goes as well, so nobody will see its values
            else:
                own_ffi, own_lib = library_of(kind)
                getattr(own_lib, f"op2_{kind}_destroy")(own_ffi.new(f"op2_{kind} *", handle))
            if kept is not None:
                self._keep_until_done(kept)

    def _keep_until_done(self, kept: Any) -> None:
        """Keep something that queued loops use, until there are none."""
        self._leaving.append(kept)
        self._let_go()

    def _keep_call(self, call: Any) -> None:
        """Keep a call until it has run."""
        self._let_go()
        self._calls = [kept for kept in self._calls if not kept.done]
        self._calls.append(call)

    def _let_go(self) -> None:
        """Give up what was kept for queued loops and calls, if there are none."""
        if self._leaving or self._calls:
            if not self._inside_call and not self.queued:
                self._leaving.clear()
                self._calls.clear()

    def _settle_all(self) -> None:
        """End the scopes of Dat.data, before something is done that may move all values."""
        for dat in list(self._lending):
            dat._settle()

    # ---- the queue ----

    def flush(self) -> None:
        """Run everything that is queued, and wait for it."""
        try:
            self._do(lib.op2_flush, self._p)
        finally:
            self._let_go()

    def finalize(self) -> None:
        """Run what is still queued and end the context.

        Its objects can still be given up afterwards; all else that uses them raises StateError.
        """
        with self._lock:
            if self._p == ffi.NULL:
                self._bury()
                return
            if not self._inside_call:
                self._settle_all()
                for checkpoint in list(self._checkpoints):
                    checkpoint.destroy()
            self._bury()
            status = lib.op2_finalize(self._handle)
            error = self._failure() if status else None
            if self._handle[0] == ffi.NULL:
                _live.discard(self)
                self._p = ffi.NULL
                for kept in (self._calls, self._kept, self._leaving):
                    kept.clear()
        if error:
            raise error
        self._raise_from_monitors()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self.finalize()
        except Error as failure:
            # What the block has raised is the better explanation of what went wrong.
            if error is None:
                raise
            sys.stderr.write(f"op2: {failure}\n")

    @property
    def initialised(self) -> bool:
        """True if the context has not ended."""
        return bool(lib.op2_initialised(self._p))

    @property
    def queued(self) -> int:
        """The number of loops and calls that are queued and have not run."""
        return lib.op2_queued(self._p)

    @property
    def backend(self) -> Optional[str]:
        """The name of the backend; None after the end."""
        return text(lib.op2_backend_name(self._p))

    @property
    def workers(self) -> int:
        """The number of CPU workers."""
        return lib.op2_workers(self._p)

    @property
    def rank(self) -> int:
        """The number of this rank, from 0."""
        return lib.op2_rank(self._p)

    @property
    def ranks(self) -> int:
        """The number of ranks that share the context's meshes."""
        return lib.op2_ranks(self._p)

    # ---- reports ----

    def explain(self) -> str:
        """In words, what the library did with the loops and why."""
        with self._lock:
            return _written(lambda stream: lib.op2_explain(self._p, stream))

    def report(self, json: bool = False) -> str:
        """A table of where the time went, or the same as JSON."""
        function = lib.op2_report_json if json else lib.op2_report
        with self._lock:
            return _written(lambda stream: function(self._p, stream))

    @contextlib.contextmanager
    def section(self, name: str) -> Iterator[None]:
        """A section of the program, for reports and timelines: ``with context.section("flux"):``.

        The loops that are queued in it belong to it, whenever they run.
        """
        self._do(lib.op2_section_begin, self._p, name.encode())
        try:
            yield
        finally:
            self._do(lib.op2_section_end, self._p, name.encode())

    def graph(self) -> str:
        """The graph of what is queued, in Graphviz' language."""
        with self._lock:
            return _written(lambda stream: lib.op2_graph_write_dot(self._p, stream))

    def profile(self) -> List[Any]:
        """What each kernel over each set has cost so far: calls, elements, seconds, bytes."""
        return self._list(Profile, "op2_profile", lib.op2_profile_get)

    def _result(self, kind: Any, name: str, function: Any) -> Any:
        made = ffi.new(name + " *")
        self._do(function, self._p, made)
        return structs.read(kind, made)

    def times(self) -> Any:
        """The time since the context was made, in parts."""
        return self._result(Times, "op2_times", lib.op2_times_get)

    def device_stats(self) -> Any:
        """Transfers, launches and memory of the device."""
        return self._result(DeviceStats, "op2_device_stats", lib.op2_device_stats_get)

    def _list(self, kind: Any, name: str, function: Any) -> List[Any]:
        """What a function gives for 0, 1 and so on, until there is no more."""
        lines: List[Any] = []
        made = ffi.new(name + " *")
        with self._lock:
            while function(self._p, len(lines), made) == lib.OP2_SUCCESS:
                lines.append(structs.read(kind, made))
        return lines

    def comm_neighbours(self) -> List[Any]:
        """What was sent to each other rank in halo exchanges: rank, messages, bytes."""
        return self._list(CommNeighbour, "op2_comm_neighbour", lib.op2_comm_neighbour_get)

    def comm_dats(self) -> List[Any]:
        """What was sent of each dat in halo exchanges: the handle, name, exchanges, bytes."""
        return self._list(CommDat, "op2_comm_dat", lib.op2_comm_dat_get)

    def comm_stats(self) -> Any:
        """Halo exchanges of this rank."""
        return self._result(CommStats, "op2_comm_stats", lib.op2_comm_stats_get)

    # ---- ranks ----

    def partition(self, method: Any = None, *, set: Any = None, owner: Any = None,
                  coordinates: Any = None, map: Any = None) -> Any:
        """Choose the owners of elements, and move sets, maps and dats there.

        `method` is a PartitionMethod or its name; None: equal blocks of all sets. The other
        parameters are those of op2_partition_options. Returns a report.
        """
        owners = None if owner is None else numbers(owner, "i4")
        options = {"method": method or "blocks", "set": set and set._p, "map": map and map._p,
                   "coordinates": coordinates and coordinates._p,
                   "owner": None if owners is None else pointer(owners, "int32_t[]")}
        filled, _kept = structs.fill("op2_partition_options", options)
        self._settle_all()
        report = ffi.new("op2_partition_report *")
        self._do(lib.op2_partition, self._p, filled, report)
        return structs.read(PartitionReport, report)

    def __repr__(self) -> str:
        state = self.backend if self.initialised else "ended"
        return f"<op2.Context {state}>"


def _mpi() -> Any:
    """The functions of libop2-mpi, if mpi4py has the same MPI: communicators of another one mean
    nothing to it."""
    try:
        from mpi4py import MPI
        from ._native_mpi import lib as found
    except ImportError as error:
        raise UnavailableError(f"ranks need mpi4py, and this package with libop2-mpi: {error}"
                               ) from None
    version, length = ffi.new("char[8192]"), ffi.new("int *")
    found.MPI_Get_library_version(version, length)
    ours = text(version)
    theirs = MPI.Get_library_version().rstrip("\0")
    if ours != theirs:
        raise UnavailableError(f"mpi4py has {theirs!r}, and libop2-mpi {ours!r}")
    return found


@atexit.register
def _end_all() -> None:
    """End the contexts that the program has not ended, and report what nobody has seen."""
    for context in list(_live):
        if context._pid != os.getpid():
            continue
        try:
            context.finalize()
        except Error as failure:
            sys.stderr.write(f"op2: {failure}\n")


def _after_fork() -> None:
    for context in _live:
        context._lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
