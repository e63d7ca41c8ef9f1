# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a kernel, as far as they show what the kernel wants for dat(access, map)."""
from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional

# Numbers of C, and names that stand for numbers in whatever header they come from.
_NUMBER = re.compile(r"^(void|char|short|int|long|float|double|signed|unsigned|_?[Bb]ool|\w+_t|"
                     r"Petsc(Scalar|Real|Int|Bool))$")
_WORDS = {"const", "volatile", "register", "struct", "union", "enum", "restrict", "__restrict",
          "__restrict__", "static"}


class Parameter(NamedTuple):
    """A parameter: its text, its name, how many pointers lead to a number (None: not known), and
    the extents of what it points to, as text: of `double c[3][2]` and of `double (*c)[2]`, this is
    2."""

    text: str
    name: str
    depth: Optional[int]
    rows: List[str]

    @property
    def packed(self) -> Optional[bool]:
        """True if the kernel wants one packed buffer, False for pointers; None: not known."""
        if self.depth is None:
            return None
        return self.depth < 2


def _without_comments(source: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.S)


def _closed(text: str, start: int) -> int:
    """The end of the parenthesis that opens at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _split(text: str) -> List[str]:
    """A list of parameters, at the commas outside all brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in parts + [text[start:]]]


def _typedefs(source: str) -> Dict[str, str]:
    """The types that a text defines, by typedef or as macros."""
    found = re.findall(r"\btypedef\s+([^;{}()\[\]]*?)\b(\w+)\s*;", source)
    found += [(text, name) for name, text in
              re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\w \t*]+?)[ \t]*$", source, re.M)]
    return {name: text.strip() for text, name in found}


def _pointers(type_: str, known: Dict[str, str], within: int = 0) -> Optional[int]:
    """The number of pointers in a type, without declarator; None if the type is not known."""
    words = [word for word in re.findall(r"\w+", type_) if word not in _WORDS]
    stars = type_.count("*")
    if words and all(_NUMBER.match(word) for word in words):
        return stars
    if len(words) != 1 or words[0] not in known or within > 8:
        return None
    inner = _pointers(known[words[0]], known, within + 1)
    return None if inner is None else stars + inner


def _parameter(text: str, known: Dict[str, str]) -> Parameter:
    extents = re.findall(r"\[([^\]]*)\]", text)
    plain = re.sub(r"\[[^\]]*\]|\b(restrict|__restrict|__restrict__|const|static)\b", " ", text)
    # The declarator's name is the last word, unless there is no name; a type of one word is not.
    inside = re.search(r"\(([^()]*)\)", plain)
    outside = plain[:inside.start()] if inside else re.sub(r"\w+\s*$", "", plain.strip())
    if not re.search(r"\w", outside):
        outside = plain
    name = (re.findall(r"\w+", plain) or [""])[-1]
    depth = _pointers(outside, known)
    to_row = inside is not None and "*" in inside.group(1)
    if depth is None:
        # Two pointers lead to a row of something, whatever that is.
        stars = plain.count("*")
        return Parameter(text, name, 2 if stars + bool(extents) - to_row >= 2 else None, [])
    depth += inside.group(1).count("*") if inside else 0
    return Parameter(text, name, depth + (bool(extents) and not to_row), extents[not to_row:])


def parameters(source: str, name: str) -> Optional[List[Parameter]]:
    """The parameters of the function `name` in a text: of its definition, or else of a declaration.
    None if there is no such function."""
    text, declared = _without_comments(source), None
    for found in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        end = _closed(text, found.end() - 1)
        after = re.match(r"\s*([{;])", text[end + 1:])
        if after and re.search(r"\w[\s*]+$", text[:found.start()]):
            known = _typedefs(text)
            declared = [_parameter(part, known) for part in _split(text[found.end():end])]
            if after.group(1) == "{":
                break
    return declared
