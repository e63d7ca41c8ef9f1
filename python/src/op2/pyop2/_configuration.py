# SPDX-License-Identifier: BSD-3-Clause
"""The context that all objects belong to, and how it is chosen.

PyOP2 has no contexts. Here the first object makes one, unless init() has made it.
"""
from __future__ import annotations

from typing import Any, Optional, Union

from .. import structs
from ..context import Context
from .exceptions import ConfigurationError

#: The first version whose kernels get one packed buffer for dat(access, map).
PACKED_SINCE = 2019


class Configuration(dict):
    """The options of init() and configure(), by name. Unknown ones are kept, as in PyOP2."""

    def reconfigure(self, **options: Any) -> None:
        """Change options. Those of the context count when init() makes the next one."""
        version = options.get("version")
        if version is not None and (not isinstance(version, int) or not 2012 <= version <= 2024):
            raise ConfigurationError(f"version is {version!r}, and is a year from 2012 to 2024")
        self.update(options)


# Options of PyOP2's that mean something else in the library, or have other values there.
_OTHERS = {"cflags", "log_level", "eager"}
_LOG_LEVELS = {"DEBUG": 4, "INFO": 3, "WARNING": 2, "ERROR": 1, "CRITICAL": 1}

configuration = Configuration(lazy_evaluation=True, version=None)
_current: Optional[Context] = None


def configure(**options: Any) -> None:
    """Change options: `version=2016` or another year says what kernels get for dat(access, map)
    where their own parameter does not show it: pointers until 2018, a packed buffer since 2019."""
    configuration.reconfigure(**options)


def packed_by_version() -> Optional[bool]:
    """True or False if the configured version says what dat(access, map) gives; else None."""
    version = configuration["version"]
    return None if version is None else version >= PACKED_SINCE


def init(**options: Any) -> None:
    """Make the context. Options are those of op2_options by name (`backend`, `threads`, ...),
    `comm` for ranks of MPI, and `lazy_evaluation`; PyOP2's other options are kept and have no
    effect."""
    global _current
    if initialised():
        backend = options.get("backend")
        if backend is not None and backend != context().backend:
            raise RuntimeError(f"init(): the backend is '{context().backend}' until exit(), and "
                               f"not '{backend}'")
        configuration.reconfigure(**options)
        return
    configuration.reconfigure(**options)
    known = set(structs.fields("op2_options")) - _OTHERS
    chosen = {name: value for name, value in configuration.items() if name in known}
    eager = None if configuration["lazy_evaluation"] else True
    level = _LOG_LEVELS.get(str(configuration.get("log_level")))
    _current = Context(comm=configuration.get("comm"), eager=eager, log_level=level, **chosen)


def initialised() -> bool:
    """True between init(), or the first object, and exit()."""
    return _current is not None and _current.initialised


def exit() -> None:
    """Run what is queued and end the context. Later objects belong to a new one."""
    global _current
    ended, _current = _current, None
    if ended is not None:
        ended.finalize()


def context() -> Context:
    """The op2.Context of all objects, made at the first need."""
    if _current is None or not _current.initialised:
        init()
    assert _current is not None
    return _current


def years(packed: bool) -> Union[int, str]:
    """The versions of PyOP2 with this meaning of dat(access, map), for messages."""
    return f"since {PACKED_SINCE}" if packed else f"until {PACKED_SINCE - 1}"
