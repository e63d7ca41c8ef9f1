# SPDX-License-Identifier: BSD-3-Clause
"""Fails with a list of the public names of op2.pyop2, and of its classes, that a page leaves out."""
import inspect
import re
import sys

from op2 import pyop2

names = set(pyop2.__all__) | {name for name in vars(pyop2) if not name.startswith("_")
                              and not inspect.ismodule(getattr(pyop2, name))}
for public in list(names):
    kind = getattr(pyop2, public)
    for base in inspect.getmro(kind) if inspect.isclass(kind) else ():
        if base.__module__.startswith("op2.pyop2"):
            names |= {name for name in vars(base) if not name.startswith("_")}
with open(sys.argv[1], encoding="utf-8") as page:
    prose = re.sub(r"```.*?```", "", page.read(), flags=re.S)
text = " ".join(re.findall(r"`[^`]+`", prose))
missing = sorted(name for name in names if not re.search(rf"\b{name}\b", text))
if missing:
    sys.exit("not in the page: " + ", ".join(missing))
