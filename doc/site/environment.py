#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of environment variables, made from the library's own table of them.

  doc/site/environment.py           print the page
  doc/site/environment.py --write   write it to doc/environment.md
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "lib/context/options.def"
PAGE = ROOT / "doc/environment.md"

# The variables by what a user wants, with the sentence before each table. A new one must be put here.
SECTIONS = (
    ("Where and how loops run", "", "BACKEND THREADS EAGER QUEUE_MAX BLOCK_SIZE CHUNK_US IDLE_MS TEAM NUMA RENUMBER"),
    ("Seeing", "", "LOG REPORT PROGRESS TRACE GRAPH GRAPH_COSTS TOOLS_LIBS MARKERS SCHEDULE"),
    ("Finding faults", "", "CHECK_SAMPLE NAN VERIFY SHADOW"),
    ("Compiler and cache", "", "CC CFLAGS LDFLAGS CC_TIMEOUT CACHE_DIR CACHE_MB CACHE_TRUST"),
    ("Generated code", "", "SIMD STREAM_MB CONTRACT LIBM TRIAL"),
    ("What the queue does",
     "Each mechanism can be switched off; [laziness](laziness.md) says what they do.",
     "FUSE REPLAY PROGRAM_BYTES RECYCLE SLICES"),
    ("Devices", "", "DEVICE DEVICE_MEMORY DEVICE_MPI DEVICE_STRATEGY DEVICE_GRAPHS PLACE PLACE_COSTS"),
    ("Ranks", "", "OVERLAP MERGE DETERMINISTIC LINK WAIT_MAX"),
)

HEAD = """# Environment variables

<!-- Made by doc/site/environment.py from lib/context/options.def: change that file and run the program with --write. -->

`op2_init` reads these. `op2_environment_write` and `op2-info --environment` print them with the values that they
have; one that is misspelt is warned of. Variables with a member of `op2_options` (third column) give way to what the
program sets there. Those with a star must have the same value on all ranks, and `op2_init_mpi` returns an error on all
where they have not.
"""

TAIL = """
Variables of others are read as well: `OMP_NUM_THREADS` and `OMP_WAIT_POLICY` on the backend `openmp`;
`STARPU_SCHED`, `STARPU_HOSTNAME` and `STARPU_PERF_MODEL_DIR` on `starpu`; `CUDA_HOME` and `CUDA_PATH`, where NVRTC
is; `ROCM_PATH` and `HIP_PATH`, where HIP is; `XDG_CACHE_HOME`, `HOME` and `TMPDIR`. Names that makefiles of OP2 use, as `OP2_INSTALL_PATH` and `OP2_COMPILER`,
are known and not warned of.
"""


def conditional(text):
    """The table without the lines of a build that checks itself."""
    return re.sub(r"#ifdef OP2_VERIFY_DEFAULT\n.*?#else\n(.*?)#endif\n", r"\1", text, flags=re.S)


def variables():
    """Name to (kind, arguments), strings joined as C joins them."""
    text = re.sub(r"/\*.*?\*/", "", conditional(TABLE.read_text()), flags=re.S)
    found = {}
    for kind, body in re.findall(r'^(TEXT|FLAG|NUMBER)\(((?:[^()"]|\([^)]*\)|"[^"]*")*)\)', text,
                                 flags=re.M):
        body = re.sub(r'"\s+"', "", body)
        arguments = [part.strip().strip('"') for part in re.findall(r'"[^"]*"|[^,"]+', body)
                     if part.strip()]
        found[arguments[0]] = (kind, arguments)
    return found


def values(kind, arguments):
    if kind == "TEXT":
        return "text"
    if kind == "FLAG":
        return "0, 1"
    least, most = arguments[5:7]
    if arguments[0] == "SIMD":
        return "0, 16, 32, 64"
    if arguments[0] == "RENUMBER":
        return "0, 1, auto"
    if most in ("INT_MAX", "2147483647"):
        return f"from {least}"
    shift = re.fullmatch(r"1 << (\d+)", most)
    return f"{least} to {2 ** int(shift[1]) if shift else most}"


def row(name, kind, arguments):
    field, who, ranks = arguments[1:4]
    shown, meaning = arguments[-2:]
    cells = (f"`OP2_{name}`" + (" \\*" if ranks == "AGREED" else ""), values(kind, arguments),
             f"`{field}`" if who == "PROGRAM" else "", shown, meaning)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def page():
    table = variables()
    lines = [HEAD]
    for title, sentence, names in SECTIONS:
        lines += [f"## {title}", ""] + ([sentence, ""] if sentence else [])
        lines += ["| variable | values | `op2_options` | default | meaning |", "|---|---|---|---|---|"]
        for name in names.split():
            lines.append(row(name, *table.pop(name)))
        lines.append("")
    if table:
        sys.exit("environment.py: in no section: " + ", ".join(sorted(table)))
    return "\n".join(lines).rstrip("\n") + "\n" + TAIL


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
    elif sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(page(), end="")


main()
