#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile and run the code on pages, and print a check for each program, as TAP has it without numbers.

  test/support/blocks.py [--only LANGUAGE,...] [--python PROGRAM] [--build FOLDER] PAGE...

A block of c, c++, cpp, fortran, python or sh has a comment of HTML before it that says what it is:

  <!-- block: program, prints TEXT -->       a whole program, which prints this at last
  <!-- block: frame=NAME -->                 lines for test/frames/NAME, a program with a place for them
  <!-- block: checked by FILE -->            the file, which names the page, has the check
  <!-- block: not run: REASON -->            a skip
  <!-- blocks: checked by FILE -->           holds for all blocks of the page

Behind a frame's name may come `first: LINES`, `then: LINES`, which are run before and after the block, and
`raises NAME`, the exception that the block of Python ends with. All blocks of a page with one frame are one
program, in the order of the page. Functions, kernels and #include lines of a block go to the place of the
frame for definitions. Calls whose status a block ignores must succeed. A line `...` stands for what the
page leaves out.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = ROOT / "test/frames"
LANGUAGES = {"c": "c", "c++": "c++", "cpp": "c++", "fortran": "fortran", "python": "python", "sh": "sh"}
SUFFIX = {"c": ".c", "c++": ".cc", "fortran": ".f90", "python": ".py"}
DEFINITION = re.compile(r"#include|OP2_KERNEL|OP2_FUNCTION|static |void \w+\(|int \w+\(|use |module ")
PLACES = ("the page's definitions", "the page's statements")


class Block:
    def __init__(self, page, line, language, marker, text):
        self.page, self.line, self.language, self.text = page, line, language, text
        self.marker = marker
        self.name = f"{page.name}:{line}"

    def option(self, key):
        found = re.search(rf"\b{key}: (.*?)(?= (?:first|then): |$)", self.marker)
        return found[1] if found else ""


def blocks_of(path):
    """The blocks of a page with their markers."""
    found, marker, whole, inside = [], "", "", None
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if inside is not None:
            if line == "```":
                language, start, text = inside
                if language:
                    found.append(Block(path, start, language, marker or whole, "\n".join(text) + "\n"))
                inside, marker = None, ""
            else:
                inside[2].append(line)
        elif line.startswith("```"):
            inside = (LANGUAGES.get(line[3:]), number, [])
        else:
            comment = re.fullmatch(r"<!-- (blocks?): (.*) -->", line)
            if comment and comment[1] == "blocks":
                whole = comment[2]
            elif comment:
                marker = comment[2]
            elif line:
                marker = ""
    return found


def status_functions():
    """Names of functions and macros that return a status."""
    names = set()
    for header in (ROOT / "include/op2").glob("*.h"):
        names |= set(re.findall(r"\bop2_status\s+(op2_\w+)\(", header.read_text()))
    return names | {name[:-3] for name in names if name.endswith("_at")}


def closing(text, at):
    """The place behind the parenthesis that closes the one at this place."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place + 1
    return len(text)


def must(text, names):
    """Statements that are a call and ignore its status must succeed."""
    out, at = "", 0
    for call in re.finditer(r"(?:^|(?<=[;{}/]))(\s*)(op2_\w+)(?=\()", text, flags=re.M):
        if call.start() < at or call[2] not in names:
            continue
        end = closing(text, call.end())
        if text[end:end + 1] == ";":
            out += text[at:call.start()] + f"{call[1]}MUST({text[call.start(2):end]})"
            at = end
    return out + text[at:]


def pieces(text):
    """The block in parts that a brace or a semicolon ends, outside of all braces and parentheses."""
    part, depth = [], 0
    for line in text.split("\n"):
        part.append(line)
        code = re.sub(r"/\*.*?\*/|//.*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", "", line)
        depth += sum({"(": 1, "{": 1, ")": -1, "}": -1}.get(c, 0) for c in code)
        if depth <= 0 and (code.rstrip().endswith((";", "}")) or line.startswith("#")):
            yield "\n".join(part)
            part = []
    yield "\n".join(part)


def split(block, names):
    """The definitions and the statements of a block."""
    text = re.sub(r"^\s*\.\.\.\s*$", "", block.text, flags=re.M)
    if block.language == "python":
        return "", text
    if block.language == "fortran":
        if re.match(r"module ", text):
            return text, ""
        uses = "".join(line + "\n" for line in text.split("\n") if line.startswith("use "))
        return uses, "".join(line + "\n" for line in text.split("\n") if not line.startswith("use "))
    text = re.sub(r"^(\s*)\.\.\. ", r"\1", text, flags=re.M).replace(", ...)", ")")
    parts = list(pieces(text))
    definitions = [part for part in parts if DEFINITION.match(part.lstrip())]
    statements = [part for part in parts if not DEFINITION.match(part.lstrip())]
    body = "\n".join([block.option("first"), *statements, block.option("then")])
    return "\n".join(definitions), "{\n" + (must(body, names) if block.language == "c" else body) + "\n}\n"


def framed(frame, blocks, names):
    """The frame's program with the blocks in it."""
    definitions, statements = "", ""
    for block in blocks:
        one, other = split(block, names)
        definitions += one + "\n"
        raised = re.search(r"\braises (\w+)", block.marker)
        if raised:
            other = ("try:\n" + textwrap.indent(other, "    ") + "    raise SystemExit('no exception')\n"
                     f"except {raised[1]} as e:\n    assert str(e) in {other!r}, e\n")
        statements += other
    lines = []
    for line in (FRAMES / frame).read_text().split("\n"):
        if PLACES[0] in line:
            lines.append(definitions)
        elif PLACES[1] in line:
            lines.append(statements)
        else:
            lines.append(line)
    return "\n".join(lines)


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        shutil.copy(ROOT / "examples/channel.msh", self.folder)
        self.failed = 0

    def report(self, good, name, output=""):
        print(("ok" if good else "not ok") + " - " + name, flush=True)
        if not good:
            self.failed += 1
            for line in output.split("\n")[:30]:
                print("# " + line)

    @staticmethod
    def skip(name, reason):
        print(f"ok # SKIP {name}: {reason}", flush=True)

    def call(self, command, **more):
        try:
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=300, check=False, **more)
        except subprocess.TimeoutExpired:
            return 124, "it takes too long"
        return done.returncode, done.stdout

    def flags(self, modules):
        status, text = self.call(["pkg-config", "--cflags", "--libs", *modules])
        return None if status else text.split()

    def compiler(self, language):
        name, default = {"c": ("CC", "cc"), "c++": ("CXX", "c++"), "fortran": ("FC", "gfortran")}[language]
        words = os.environ.get(name, default).split()
        return words if shutil.which(words[0]) else None

    def program(self, name, language, text, expected=None):
        """Compile and run one program."""
        if language == "sh":
            status, output = self.call(["sh", "-e", "-c", text])
            return self.report(status == 0, f"{name} runs", output)
        stem = re.sub(r"\W", "_", name)
        source = self.folder / (stem + SUFFIX[language])
        source.write_text(text)
        if language == "python":
            if not self.options.python:
                return self.skip(name, "no Python was given")
            command = [self.options.python, str(source)]
        else:
            compiler = self.compiler(language)
            modules = re.search(r"modules: (.*?)(?: \*/)?$", text, flags=re.M)
            modules = modules[1].split() if modules else \
                ["op2-fortran"] if language == "fortran" else ["op2"]
            flags = self.flags(modules)
            if compiler is None or flags is None:
                return self.skip(name, f"no compiler, or not built: {' '.join(modules)}")
            style = {"c": ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
                           "-Wno-missing-field-initializers", f"-iquote{FRAMES}"],
                     "c++": ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused"],
                     "fortran": ["-std=f2018"]}[language]
            paths = [f"-Wl,-rpath,{self.options.build}{part}" for part in
                     ("", "/fortran", "/compat", "/fortran/compat")] if self.options.build else []
            command = [str(self.folder / stem)]
            status, output = self.call([*compiler, *style, "-o", command[0], str(source), *flags, "-lm",
                                        *paths])
            if status:
                return self.report(False, f"{name} is compiled", output)
        status, output = self.call(command)
        if status == 77:
            return self.skip(name, output.strip())
        printed = " ".join(output.split())
        good = status == 0 and (expected is None or printed.endswith(expected))
        return self.report(good, f"{name} runs" + (f" and prints {expected}" if expected else ""), output)


def one_page(path, options, runner, names):
    frames = {}
    for block in blocks_of(path):
        if options.only and block.language not in options.only:
            continue
        marker = block.marker
        checked = re.match(r"checked by (\S+)", marker)
        frame = re.match(r"frame=(\S+)", marker)
        whole = re.match(r"program(?:, prints (.*))?", marker)
        reason = re.match(r"not run: (.+)", marker)
        if checked:
            there = ROOT / checked[1]
            good = there.exists() and path.name in there.read_text()
            runner.report(good, f"{block.name} is checked by {there.name}", "which does not name the page")
        elif reason:
            runner.skip(block.name, reason[1])
        elif frame:
            if (FRAMES / frame[1]).exists():
                frames.setdefault(frame[1], []).append(block)
            else:
                runner.report(False, f"{block.name}: there is no frame {frame[1]}")
        elif whole:
            runner.program(block.name, block.language, block.text,
                           whole[1] and " ".join(whole[1].split()))
        else:
            runner.report(False, f"{block.name} has a comment that says how it is run")
    for frame, blocks in frames.items():
        lines = ", ".join(str(block.line) for block in blocks)
        runner.program(f"{path.name}:{lines} in {frame}", blocks[0].language,
                       framed(frame, blocks, names))


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--python")
    parser.add_argument("--build")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        for path in options.pages:
            one_page(path.resolve(), options, runner, status_functions())
    sys.exit(runner.failed > 0)


main()
