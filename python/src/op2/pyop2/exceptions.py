# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of PyOP2's interface. What the library itself refuses raises op2.Error.

>>> from op2 import pyop2 as op2
>>> issubclass(op2.MapValueError, ValueError), issubclass(op2.DimTypeError, TypeError)
(True, True)
"""
from __future__ import annotations


class DataTypeError(TypeError):
    """The type of values is none that a dat can have."""


class DimTypeError(TypeError):
    """A dim is neither an integer nor a tuple of integers."""


class ArityTypeError(TypeError):
    """An arity is no integer."""


class IndexTypeError(TypeError):
    """The index of a map is neither an integer nor an iteration index."""


class NameTypeError(TypeError):
    """A name is no string."""


class SetTypeError(TypeError):
    """Something else was given where a set belongs."""


class SizeTypeError(TypeError):
    """The size of a set is neither an integer nor a tuple of integers."""


class SubsetIndexOutOfBounds(TypeError):
    """An element of a subset is none of its superset."""


class MapTypeError(TypeError):
    """Something else was given where a map belongs."""


class DataSetTypeError(TypeError):
    """Something else was given where a data set belongs."""


class DatTypeError(TypeError):
    """Something else was given where a dat belongs."""


class KernelTypeError(TypeError):
    """Something else was given where a kernel belongs."""


class SparsityTypeError(TypeError):
    """Something else was given where a sparsity belongs."""


class MatTypeError(TypeError):
    """Something else was given where a matrix belongs."""


class DataValueError(ValueError):
    """Values do not fit into the shape or the type of what they are for."""


class IndexValueError(ValueError):
    """The index of a map, a dat or a loop is out of range."""


class ModeValueError(ValueError):
    """The access mode is none that this kind of argument can have."""


class MapValueError(ValueError):
    """A map leads from or to another set than is needed."""


class ConfigurationError(RuntimeError):
    """An option has a value that it cannot have."""


__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)]
