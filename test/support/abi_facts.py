#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print what programs that were compiled rely on, one fact on a line, sorted.

    test/support/abi_facts.py [--object HEADERS.o --include DIR] [--macros TEXT] [LIBRARY...]

HEADERS.o has debugging information of all types of the headers in DIR, and a variable of_F of the
type of each function F (test/suite/t015-abi-dump.sh compiles it). TEXT is what the preprocessor
prints with -dM. LIBRARY is a shared library, whose SONAME and symbols with versions are printed.
Fields named reserved are left out, since later versions take new fields from them.
"""
import argparse
import os
import re

try:
    from elftools.elf.elffile import ELFFile
except ImportError:  # --help needs nothing
    ELFFile = None


def name_of(die):
    value = die.attributes.get("DW_AT_name")
    return value.value.decode() if value else None


def target(die):
    return die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None


def size_of(die):
    """The bytes of a type, or of the one that it is another name of."""
    while die is not None and "DW_AT_byte_size" not in die.attributes:
        die = target(die)
    return die.attributes["DW_AT_byte_size"].value if die is not None else 0


def parameters(die):
    kinds = {"DW_TAG_formal_parameter": lambda child: spelled(target(child)),
             "DW_TAG_unspecified_parameters": lambda child: "..."}
    return ", ".join(kinds[child.tag](child) for child in die.iter_children()
                     if child.tag in kinds) or "void"


def array(die):
    counts = ""
    for child in die.iter_children():
        bound = child.attributes.get("DW_AT_upper_bound")
        counts += f"[{bound.value + 1 if bound else ''}]"
    return spelled(target(die)) + counts


def spelled(die):
    """A type as C has it, by the name that its user gave it."""
    if die is None:
        return "void"
    if die.tag == "DW_TAG_pointer_type":
        inner = target(die)
        if inner is not None and inner.tag == "DW_TAG_subroutine_type":
            return f"{spelled(target(inner))} (*)({parameters(inner)})"
        return spelled(inner) + " *"
    if die.tag == "DW_TAG_const_type":
        inner = target(die)
        pointer = inner is not None and inner.tag == "DW_TAG_pointer_type"
        return spelled(inner) + "const" if pointer else "const " + spelled(inner)
    if die.tag == "DW_TAG_array_type":
        return array(die)
    if die.tag == "DW_TAG_subroutine_type":
        return f"{spelled(target(die))} ({parameters(die)})"
    kind = {"DW_TAG_structure_type": "struct ", "DW_TAG_union_type": "union ",
            "DW_TAG_enumeration_type": "enum "}.get(die.tag, "")
    return kind + (name_of(die) or "without a name")


def fields(die, name):
    """The size of a structure, and where its fields are."""
    yield f"struct {name}: {size_of(die)} bytes"
    for child in die.iter_children():
        field = name_of(child) or ""
        if child.tag == "DW_TAG_member" and not field.startswith("reserved"):
            where = child.attributes.get("DW_AT_data_member_location")
            bits = child.attributes.get("DW_AT_data_bit_offset")
            at = f"bit {bits.value}" if bits else f"{where.value if where else 0}"
            yield f"struct {name}.{field}: at {at}, {spelled(target(child))}"


def type_facts(die):
    """What a type of the headers is."""
    name = name_of(die)
    inner = target(die)
    if die.tag == "DW_TAG_typedef":
        base = inner is not None and inner.tag == "DW_TAG_base_type"
        yield f"typedef {name}: {spelled(inner)}" + (f", {size_of(inner)} bytes" if base else "")
        if inner is not None and not name_of(inner) and inner.tag == "DW_TAG_structure_type":
            yield from fields(inner, name)
        die, name = (inner, name) if inner is not None and not name_of(inner) else (die, name)
    elif die.tag == "DW_TAG_structure_type" and name and "DW_AT_declaration" not in die.attributes:
        yield from fields(die, name)
    if die.tag == "DW_TAG_enumeration_type" and name:
        yield f"enum {name}: {size_of(die)} bytes"
        for child in die.iter_children():
            yield f"enum {name}: {name_of(child)} = {child.attributes['DW_AT_const_value'].value}"


def object_facts(path, folder):
    """The types of an object's headers, and of its variables of_F."""
    folder = os.path.realpath(folder)
    with open(path, "rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        for unit in dwarf.iter_CUs():
            lines = dwarf.line_program_for_CU(unit).header
            top = unit.get_top_DIE()
            for die in top.iter_children():
                name = name_of(die) or ""
                if die.tag == "DW_TAG_variable" and name.startswith("of_"):
                    function = target(target(die))
                    yield f"function {name[3:]}: {spelled(function)}"
                elif in_folder(die, lines, folder):
                    yield from type_facts(die)


def in_folder(die, lines, folder):
    """True if a type is declared in a header of the folder; it is named by its directory there."""
    number = die.attributes.get("DW_AT_decl_file")
    if number is None or not number.value:
        return False
    entry = lines.file_entry[number.value - 1]
    if not entry.dir_index:
        return False
    place = lines.include_directory[entry.dir_index - 1].decode()
    return os.path.realpath(place).startswith(folder)


def macro_facts(path):
    """Macros that are numbers, or made of one: their values are in programs."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"#define (OP2_\w+(?:\([^)]*\))?) (.*[^\w.]?\b(?:0x)?\d.*)$", line)
            if found and not re.search(r"[{;]|__", found[2]) and "OP2_VERSION_" not in found[1]:
                yield f"macro {found[1]}: {found[2].strip()}"


def symbol_facts(path):
    """The SONAME of a library, and the versions of its symbols."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        tags = elf.get_section_by_name(".dynamic").iter_tags("DT_SONAME")
        soname = "".join(tag.soname for tag in tags)
        versions = elf.get_section_by_name(".gnu.version")
        defined = elf.get_section_by_name(".gnu.version_d")
        yield f"library {os.path.basename(path)}: SONAME {soname}"
        for index, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            bind = symbol["st_info"]["bind"]
            if symbol["st_shndx"] in ("SHN_UNDEF", "SHN_ABS") or bind == "STB_LOCAL":
                continue
            version = "no version"
            number = versions.get_symbol(index)["ndx"] if versions and defined else 0
            if isinstance(number, int):
                version = next(defined.get_version(number & 0x7fff)[1]).name
            if version != "OP2_PRIVATE":
                yield f"library {os.path.basename(path)}: {symbol.name}, {version}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--object")
    parser.add_argument("--include")
    parser.add_argument("--macros")
    parser.add_argument("libraries", nargs="*")
    chosen = parser.parse_args()
    if not ELFFile:
        parser.error("pyelftools is missing (Debian: python3-pyelftools)")
    facts = set()
    if chosen.object:
        facts |= set(object_facts(chosen.object, chosen.include))
    if chosen.macros:
        facts |= set(macro_facts(chosen.macros))
    for library in chosen.libraries:
        facts |= set(symbol_facts(library))
    print("\n".join(sorted(facts)))


if __name__ == "__main__":
    main()
