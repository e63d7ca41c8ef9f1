# SPDX-License-Identifier: BSD-3-Clause
"""The extension modules, whose declarations are read from the installed headers.

The C preprocessor expands the headers; what cffi does not parse is then removed: attributes, and
the inline definitions of functions that are declared as well. The compiler compares the result with
the headers once more when the module is compiled, so that it cannot differ from them.
"""
import os
import re
import shlex
import subprocess
import tempfile

import cffi

CC = os.environ.get("CC", "cc")
#: The library that the package is to carry; None: it uses the installed one.
CARRIED = os.environ.get("OP2_WHEEL_LIBRARY")

# Headers of the system and of other libraries: their types are declared below, or not needed.
FOREIGN = ["stdbool.h", "stddef.h", "stdint.h", "stdio.h", "mpi.h", "petscksp.h"]

# What the package itself needs from C.
OWN = """
FILE *open_memstream(char **text, size_t *length);
int fclose(FILE *stream);
void free(void *memory);
static void op2_python_release(const void *memory);
static int op2_python_iter(int space);
extern "Python" int op2_python_call(void *data, void *const *values);
extern "Python" op2_status op2_python_operator(void *data, op2_dat x, op2_dat y);
extern "Python" void op2_python_monitor(void *data, int iteration, double residual);
"""
OWN_SOURCE = """
#include <op2.h>
#include <stdio.h>
#include <stdlib.h>
static void op2_python_release(const void *memory) { op2_memory_release(&memory); }
static int op2_python_iter(int space) { return OP2_ITER(space); }
"""

# For each companion library: its headers, the pkg-config modules that have it, types of others and
# what the package itself needs from C.
COMPANIONS = {
    "mpi": (["op2/mpi.h"], ["op2-mpi", "op2-openmpi", "op2-mpich"], """
typedef int... MPI_Fint;
int MPI_Get_library_version(char *version, int *length);
""", ""),
    "meshfile": (["op2/meshfile.h"], ["op2-meshfile"], "", ""),
    "hdf5": (["op2/io.h", "op2/checkpoint.h", "op2/vtkhdf.h", "op2/xdmf.h"], ["op2-hdf5"], """
typedef struct op2_mesh_s *op2_mesh;
""", ""),
    "petsc": (["op2/petsc.h"], ["op2-petsc"], """
typedef ... *Mat;
typedef ... *Vec;
typedef ... *KSP;
typedef const char *MatType;
static void op2_python_petsc_version(char version[256]);
""", """
static void op2_python_petsc_version(char version[256]) { (void)!PetscGetVersion(version, 256); }
"""),
}


def pkg_config(*arguments):
    """The answer of pkg-config, in one line."""
    command = [*shlex.split(os.environ.get("PKG_CONFIG", "pkg-config")), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def installed(module):
    try:
        pkg_config("--exists", module)
    except subprocess.CalledProcessError:
        return False
    return True


def flags(module):
    """Arguments of the extension module that links to a library, found where it was built for."""
    names = {"-I": "include_dirs", "-L": "library_dirs", "-l": "libraries"}
    found = {"extra_compile_args": [], "extra_link_args": []}
    for word in shlex.split(pkg_config("--cflags", "--libs", module)):
        if word[:2] in names:
            found.setdefault(names[word[:2]], []).append(word[2:])
        elif word.startswith("-Wl,"):
            found["extra_link_args"].append(word)
        else:
            found["extra_compile_args"].append(word)
    found["runtime_library_dirs"] = ["$ORIGIN"] if CARRIED else found.get("library_dirs", [])
    return found


def preprocessed(headers, module, *options):
    """The text of headers and of the headers of op2 that they include."""
    include = [word for word in shlex.split(pkg_config("--cflags-only-I", module))]
    with tempfile.TemporaryDirectory() as folder:
        for name in FOREIGN:
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
        with open(os.path.join(folder, "all.c"), "w", encoding="utf-8") as file:
            file.write(including(headers))
        command = [*shlex.split(CC), "-E", "-P", "-nostdinc", "-I", folder, *include,
                   "-D__attribute__(x)=", "-DOP2_INLINE_=OP2_INLINE_", *options,
                   os.path.join(folder, "all.c")]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def including(headers):
    """The lines of C that include these headers."""
    return "".join(f"#include <{header}>\n" for header in headers)


def without_definitions(text):
    """Remove the inline definitions, which the headers mark with OP2_INLINE_."""
    kept, start = [], 0
    for match in re.finditer(r"\bOP2_INLINE_\b", text):
        if match.start() < start:
            continue
        kept.append(text[start:match.start()])
        depth, start = 0, text.index("{", match.end())
        while True:
            depth += {"{": 1, "}": -1}.get(text[start], 0)
            start += 1
            if not depth:
                break
    return "".join(kept) + text[start:]


def constants(headers, module):
    """Public macros that are integers, as cffi declares them."""
    defined = preprocessed(headers, module, "-dM")
    names = re.findall(r"^#define (OP2_[A-Z0-9_]*[A-Z0-9]) \(?-?\d+\)?$", defined, re.M)
    return "".join(f"#define {name} ...\n" for name in sorted(names))


def declarations(headers, module, without=()):
    """What headers declare, without what others have and without unknown types."""
    kept = []
    for part in split(without_definitions(preprocessed(headers, module))):
        if part not in without and "MPI_Comm" not in part and "bool _Bool" not in part:
            kept.append(part)
    return kept


def split(text):
    """The declarations of a text, each with its semicolon."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == ";" and not depth:
            parts.append(" ".join(text[start:at + 1].split()))
            start = at + 1
    return parts


def libop2():
    """The module op2._native, of libop2."""
    ffi = cffi.FFI()
    ffi.cdef("\n".join(declarations(["op2.h"], "op2") + [constants(["op2.h"], "op2"), OWN]))
    ffi.set_source("op2._native", OWN_SOURCE, **flags("op2"))
    return ffi


def companion(name):
    """The module of a companion library, or None if it is not installed."""
    headers, modules, types, source = COMPANIONS[name]
    module = next(filter(installed, modules), None)
    if module is None:
        return None
    ffi = cffi.FFI()
    ffi.include(libop2())
    others = ["op2.h"] + (["op2/meshfile.h"] if name == "hdf5" else [])
    own = declarations(headers, module, set(declarations(others, "op2")))
    ffi.cdef(types + "\n" + "\n".join(own))
    ffi.set_source("op2._native_" + name, including(["op2.h", *headers]) + source, **flags(module))
    return ffi


def mpi():
    return companion("mpi")


def meshfile():
    return companion("meshfile")


def hdf5():
    return companion("hdf5")


def petsc():
    return companion("petsc")


def builders():
    """The names of the functions above whose libraries are installed. Companions of a library that
    is carried would be those of another one."""
    companions = [] if CARRIED else COMPANIONS
    return ["libop2"] + [name for name in companions if any(map(installed, COMPANIONS[name][1]))]
