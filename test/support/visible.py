#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make an archive of copies of object files whose hidden symbols can be seen by other files.

Tests of internals link to a shared library of these objects: each test that contained the library would
be thirty times as large. The machine code is the library's own: only the visibility of symbols in the
objects' tables is changed, from hidden to protected, so that calls within the library stay direct.

    test/support/visible.py AR ARCHIVE OBJECT...
"""
import os
import struct
import subprocess
import sys
import tempfile

SYMTAB, UNDEFINED, LOCAL, HIDDEN, PROTECTED = 2, 0, 0, 2, 3


def make_visible(data):
    """Change the symbol table of an object file, 64-bit ELF of little endian."""
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit("visible.py: not an object file of 64-bit ELF, little endian")
    sections, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for section in range(sections, sections + size * count, size):
        kind, = struct.unpack_from("<I", data, section + 4)
        if kind != SYMTAB:
            continue
        begin, length = struct.unpack_from("<QQ", data, section + 0x18)
        for symbol in range(begin, begin + length, 24):
            info, other, where = struct.unpack_from("<BBH", data, symbol + 4)
            if where != UNDEFINED and info >> 4 != LOCAL and other & 3 == HIDDEN:
                data[symbol + 5] = other & ~3 | PROTECTED


def main():
    if len(sys.argv) < 4:
        print(__doc__)
        sys.exit("--help" not in sys.argv and "-h" not in sys.argv)
    tool, archive, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for number, name in enumerate(objects):
            with open(name, "rb") as file:
                data = bytearray(file.read())
            make_visible(data)
            copies.append(os.path.join(folder, f"{number}.o"))
            with open(copies[-1], "wb") as file:
                file.write(data)
        if os.path.exists(archive):
            os.remove(archive)
        subprocess.run([tool, "rcs", archive, *copies], check=True)


main()
