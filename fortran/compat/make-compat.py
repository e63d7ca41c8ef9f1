#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write a Fortran module of OP2's interface.

    fortran/compat/make-compat.py TEMPLATE OUTPUT

TEMPLATE (base.f90.in, reference.f90.in) is copied. What stands between @KINDS and @END is repeated for each
kind of values, between @LOOPS and @END for each number of arguments, between @EACH:WORD... and @END for
each word; @KINDS:NAME@ is a list of the name with all suffixes of kinds.
"""
import re
import sys

# Suffix, declaration, bytes, and the name that OP2's calls have for the type.
KINDS = [('r8', 'real(real64)', 8, 'real(8)'), ('r4', 'real(real32)', 4, 'real(4)'),
         ('i4', 'integer(int32)', 4, 'integer(4)'), ('i8', 'integer(int64)', 8, 'integer(8)'),
         ('l4', 'logical', 4, 'logical')]
MOST = 64  # arguments of a loop
WIDTH = 100


def numbered(form, n):
    return ', '.join(form.format(i) for i in range(1, n + 1))


def wrapped(line):
    """A line of at most WIDTH columns, continued behind commas."""
    indent = ' ' * (len(line) - len(line.lstrip()) + 2)
    out = []
    while len(line) > WIDTH and not line.lstrip().startswith('!'):
        cut = line.rfind(', ', 0, WIDTH - 2) + 1
        out.append(line[:cut] + ' &')
        line = indent + line[cut:].lstrip()
    return out + [line]


def block(head, lines):
    """The lines of a block, repeated as its head says."""
    if head == '@KINDS':
        rows = [{'suffix': s, 'kind': k, 'bytes': b, 'type': t} for s, k, b, t in KINDS]
    elif head == '@LOOPS':
        rows = [{'n': n, 'parameters': numbered('a{}', n), 'arguments': numbered('arg{}', n),
                 'values': numbered('values({})', n)} for n in range(1, MOST + 1)]
    else:
        rows = [{'each': word} for word in head.partition(':')[2].split()]
    return [line.format(**row) for row in rows for line in lines]


def expanded(lines):
    out, inside, head = [], [], None
    for line in lines:
        if re.match(r'@(KINDS$|LOOPS$|EACH:)', line):
            head, inside = line, []
        elif line == '@END':
            out += block(head, inside)
            head = None
        elif head:
            inside.append(line)
        else:
            out.append(re.sub(r'@KINDS:(\w+)@',
                              lambda m: ', '.join(m[1] + kind[0] for kind in KINDS), line))
    return out


def main(argv):
    if argv[1:2] in (['-h'], ['--help']):
        print(__doc__)
        return 0
    if len(argv) != 3:
        print('make-compat.py: TEMPLATE and OUTPUT are needed (--help)', file=sys.stderr)
        return 2
    with open(argv[1], encoding='utf-8') as template:
        lines = expanded(template.read().splitlines())
    with open(argv[2], 'w', encoding='utf-8') as out:
        for line in lines:
            out.write('\n'.join(wrapped(line)) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
