# SPDX-License-Identifier: BSD-3-Clause
# Made by cffi from the installed headers.
from typing import Any

ffi: Any
lib: Any
