#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of section 3 of the manual, made from what Doxygen has read in the public headers.

  doc/site/man_pages.py XML OUTPUT VERSION DATE

Doxygen's own pages are one for each header and are not fit for a reader who asks for a function, so
its XML is taken instead: every function, macro, structure, enumeration and other type gets a page,
every header one about what its functions have in common, and the values of enumerations lead to the
page of theirs.
"""

import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as ElementTree

WIDTH = 78  # mandoc objects to lines of more than 80 bytes


def escaped(text):
    """Plain text as roff has it."""
    return text.replace("\\", "\\e")


def lines_of(text):
    """The text in lines that roff takes for text, even where one begins with a dot."""
    text = re.sub(r"\s+", " ", text).strip()
    for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
        yield r"\&" + line if line[0] in ".'" else line


def inline(node):
    """A node within a paragraph, as one string with its marks for fonts."""
    inner = escaped(node.text or "") + "".join(
        inline(child) + escaped(child.tail or "") for child in node)
    if node.tag in ("computeroutput", "bold"):
        return r"\fB" + inner.replace("-", r"\-") + r"\fP"
    if node.tag == "emphasis":
        return r"\fI" + inner + r"\fP"
    if node.tag == "ref":
        return r"\fB" + inner + r"\fP"
    return {"sp": " ", "ndash": r"\(en", "mdash": r"\(em", "linebreak": " "}.get(node.tag, inner)


class Page:
    """The text of one page, which keeps out paragraphs that would be empty."""

    def __init__(self, name, version, date):
        self.lines = [r'.\" SPDX-License-Identifier: BSD-3-Clause',
                      f'.TH {name.upper()} 3 "{date}" "op2 {version}" "op2"']
        self.fresh = True

    def macro(self, line):
        self.lines.append(line)
        self.fresh = True

    def text(self, text):
        for line in lines_of(text):
            self.lines.append(line)
            self.fresh = False

    def paragraph(self):
        if not self.fresh:
            self.macro(".PP")

    def section(self, title):
        self.macro(f'.SH "{title.upper()}"' if " " in title else f".SH {title.upper()}")

    def item(self, term):
        self.macro(".TP")
        self.text(term)
        self.fresh = True

    def literal(self, lines):
        self.paragraph()
        self.lines += [".nf"] + [escaped(line).replace("-", r"\-") for line in lines] + [".fi"]
        self.fresh = False

    def write(self, folder, name):
        (folder / f"{name}.3").write_text("\n".join(self.lines) + "\n")


def programlisting(page, node):
    page.literal(["".join(inline(part) for part in line).rstrip().replace(r"\e", "\\")
                  or r"\&" for line in node])


def table(page, node):
    """A table as a list: its first column are the terms, and heads name what is in the others."""
    rows = [[" ".join(inline(para) for para in entry).strip() for entry in row] for row in node]
    heads, rows = rows[0], rows[1:]
    for row in rows:
        page.item(rf"\fB{row[0]}\fP" if r"\f" not in row[0] else row[0])
        cells = row[1:]
        if len(cells) > 1:
            cells = [f"{head}: {cell}" for head, cell in zip(heads[1:], cells)]
        page.text("; ".join(cells))
    page.macro(".PP")
    page.fresh = True


def items(page, node):
    for item in node:
        page.macro(r".IP \(bu 2")
        for para in item:
            blocks(page, para)
    page.macro(".PP")


def blocks(page, para, skip=("par", "see")):
    """A paragraph, with the lists, tables and programs in it; its named parts are left out."""
    page.paragraph()
    text = escaped(para.text or "")
    for child in para:
        if child.tag in ("itemizedlist", "orderedlist", "table", "programlisting", "verbatim",
                         "simplesect"):
            page.text(text)
            text = ""
            if child.tag == "table":
                table(page, child)
            elif child.tag.endswith("list"):
                items(page, child)
            elif child.tag == "programlisting":
                programlisting(page, child)
            elif child.tag == "verbatim":
                page.literal((child.text or "").split("\n"))
            elif child.get("kind") not in skip:
                for inner in child.findall("para"):
                    blocks(page, inner)
        else:
            text += inline(child)
        text += escaped(child.tail or "")
    page.text(text)


def tidy(page):
    """Paragraphs that would be empty are dropped."""
    kept = []
    for line in page.lines:
        if kept and kept[-1] == ".PP" and line.startswith((".PP", ".SH", ".TP", ".IP")):
            kept.pop()
        kept.append(line)
    while kept[-1] == ".PP":
        kept.pop()
    page.lines = kept


def plain(node):
    return re.sub(r"\s+", " ", "".join(node.itertext())).strip() if node is not None else ""


def description(page, entity):
    page.section("Description")
    for para in entity.find("briefdescription"):
        blocks(page, para)
    for para in entity.find("detaileddescription"):
        blocks(page, para)


def named_parts(page, entity):
    for part in entity.find("detaileddescription").iter("simplesect"):
        if part.get("kind") == "par":
            page.section(part.find("title").text)
            for para in part.findall("para"):
                blocks(page, para)


def related(entity, own, known):
    """Pages of the entities that the description leads to, and of its header."""
    found = {plain(ref).rstrip("()") for part in ("briefdescription", "detaileddescription")
             for ref in entity.find(part).iter("ref")}
    return sorted(name for name in found if name in known and name != own)


def see_also(page, names):
    if not names:
        return
    page.section("See also")
    for position, name in enumerate(names):
        name = name.replace("-", r"\-")
        page.lines.append(f".BR {name} (3){',' if position + 1 < len(names) else ''}"
                          .replace(" (3),", " (3) ,"))


def declaration(member):
    """What a program would write to declare it, in lines."""
    kind, name = member.get("kind"), member.find("name").text
    if kind == "function":
        params = [plain(p.find("type")) + ("" if plain(p.find("type")).endswith("*") else " ") +
                  plain(p.find("declname")) + plain(p.find("array"))
                  for p in member.findall("param") if plain(p.find("type")) != "void"]
        text = f"{plain(member.find('type'))} {name}({', '.join(params) or 'void'});"
        text = text.replace(" *" + " " + name, " *" + name)
    elif kind == "define":
        params = [plain(p.find("defname")) for p in member.findall("param")]
        text = f"#define {name}" + (f"({', '.join(params)})" if params else "")
    else:
        text = plain(member.find("definition")) + plain(member.find("argsstring")) + ";"
    text = text.replace("* const", "*const").replace(" * ", " *")
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def begin(entity, name, header, version, date, synopsis):
    page = Page(name, version, date)
    page.section("Name")
    brief = plain(entity.find("briefdescription")).rstrip(".")
    page.text(rf"{name} \- {escaped(brief)}".replace(name, name.replace("-", r"\-"), 1))
    page.section("Synopsis")
    page.literal([f"#include <{header}>", *([""] if synopsis else []), *synopsis])
    return page


class Manual:
    def __init__(self, xml, output, version, date):
        self.compounds = [ElementTree.parse(path).getroot().find("compounddef")
                          for path in sorted(xml.glob("*.xml"))
                          if path.name.endswith("_8h.xml") or path.name.startswith("struct")]
        self.output, self.version, self.date = output, version, date
        self.members = [(self.header(compound), member) for compound in self.compounds
                        if compound.get("kind") == "file" for member in compound.iter("memberdef")]
        self.known = {compound.find("compoundname").text for compound in self.compounds
                      if compound.get("kind") == "struct"}
        self.known |= {member.find("name").text for _, member in self.members}

    @staticmethod
    def header(compound):
        return compound.find("location").get("file")

    def write(self, page, name):
        tidy(page)
        page.write(self.output, name)

    def member(self, header, member):
        name, kind = member.find("name").text, member.get("kind")
        if kind == "enum":
            synopsis = [f"enum {name};"]
        else:
            synopsis = declaration(member)
        page = begin(member, name, header, self.version, self.date, synopsis)
        description(page, member)
        if kind == "enum":
            page.section("Values")
            for value in member.findall("enumvalue"):
                self.listed(page, value, value.find("name").text)
                link = self.output / (value.find("name").text + ".3")
                link.write_text(f".so man3/{name}.3\n")
        named_parts(page, member)
        see_also(page, related(member, name, self.known) + [self.overview(header)])
        self.write(page, name)

    @staticmethod
    def overview(header):
        return "op2-" + pathlib.PurePath(header).stem if "/" in header else "op2"

    @staticmethod
    def listed(page, entity, term):
        page.item(rf"\fB{escaped(term)}\fP")
        for part in ("briefdescription", "detaileddescription"):
            for para in entity.find(part):
                page.text(inline(para))

    def structure(self, compound):
        name = compound.find("compoundname").text
        header = self.header(compound)
        page = begin(compound, name, header, self.version, self.date, [f"struct {name};"])
        description(page, compound)
        page.section("Members")
        for member in compound.iter("memberdef"):
            text = plain(member.find("definition")).replace(name + "::", "")
            text += plain(member.find("argsstring"))
            self.listed(page, member, re.sub(r" ?\*(?:\s*const)? (?=\w)", " *", text))
        see_also(page, related(compound, name, self.known) + [self.overview(header)])
        self.write(page, name)

    def header_page(self, compound):
        header = self.header(compound)
        name = self.overview(header)
        page = begin(compound, name, header, self.version, self.date, [])
        description(page, compound)
        for kind, title in (("function", "Functions"), ("define", "Macros"), ("enum", "Types"),
                            ("typedef", "Types")):
            for member in compound.iter("memberdef"):
                if member.get("kind") == kind:
                    if f".SH {title.upper()}" not in page.lines:
                        page.section(title)
                    page.item(rf"\fB{member.find('name').text}\fP(3)")
                    page.text(escaped(plain(member.find("briefdescription"))))
        others = {self.overview(self.header(other)) for other in self.compounds
                  if other.get("kind") == "file"} - {name}
        see_also(page, sorted(others))
        self.write(page, name)

    def all(self):
        for header, member in self.members:
            if member.get("kind") in ("function", "define", "enum", "typedef"):
                self.member(header, member)
        for compound in self.compounds:
            if compound.get("kind") == "struct":
                self.structure(compound)
            else:
                self.header_page(compound)


def main():
    if len(sys.argv) != 5:
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    output = pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    Manual(pathlib.Path(sys.argv[1]), output, sys.argv[3], sys.argv[4]).all()


main()
