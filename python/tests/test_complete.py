# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the library is used by the package, or left out for a reason."""
import importlib
import pathlib
import re

import op2

LEFT_OUT = {
    "op2_call_owned_at": "the package itself keeps what a call uses",
    "op2_error_message": "op2_error_get has the message as well",
    "op2_dat_shape": "dats know the shape of their arrays",
    "op2_gbl_shape": "as op2_dat_shape",
    "op2_const_shape": "as op2_dat_shape",
    "op2_map_create": "op2_map_create_entries makes all maps",
    "op2_map_create_partial": "as op2_map_create",
    "op2_map_create_global": "as op2_map_create",
    "op2_memory_release": "through a function of op2_build.py, which takes the pointer itself",
    "op2_nested_petsc": "PETSc.Mat().createNest() makes one matrix of those of op2.petsc.mat()",
    "op2_nested_petsc_end": "as op2_nested_petsc",
    "op2_object_get": "objects of Python are what the program holds",
    "op2_objects": "as op2_object_get",
    "op2_scalar_value": "scalars are made as structures",
    "op2_scalar_gbl": "as op2_scalar_value",
    "op2_scalar_ratio": "as op2_scalar_value",
    "op2_scalar_times": "as op2_scalar_value",
}


def functions():
    """The functions that the modules of cffi have."""
    found = set()
    for name in ("_native", "_native_mpi", "_native_hdf5", "_native_petsc", "_native_meshfile"):
        try:
            module = importlib.import_module("op2." + name)
        except ImportError:
            continue
        found |= {each for each in dir(module.lib)
                  if each.startswith("op2_") and not each.startswith("op2_python_")}
    return found


def used(text):
    """The functions whose names stand in a text, or are put together there."""
    found = set(re.findall(r"op2_[a-z0-9_]+", text))
    for name in re.findall(r'_(?:apply|reduce)\("(\w+)"', text):
        found |= {f"op2_dat_{name}_at", f"op2_gbl_{name}_at"}
    for kind in re.findall(r'_kind = "(\w+)"', text):
        found |= {f"op2_{kind}_destroy", f"op2_{kind}_info_get"}
    for groups in re.findall(r'self\._do\("(\w+)"|_reader\("(\w+)"|_objects\("(\w+)"', text):
        found |= {"op2_file_" + name for name in groups if name}
    for name in re.findall(r'self\._do\("(\w+)"', text):
        found.add("op2_checkpoint_" + name)
    # What is put together of two parts or more.
    found |= {f"op2_{kind}_{mode}_{end}" for kind in ("dat", "gbl") for mode in ("read", "write")
              for end in ("begin", "end")}
    found |= {"op2_file_write_" + kind for kind in ("set", "map", "dat")}
    found |= {f"op2_{kind}_{end}" for kind in ("vtu_series", "vtkhdf")
              for end in ("create", "write_at", "destroy")}
    found |= {f"op2_xdmf_{end}" for end in ("create", "write", "destroy")}
    found |= {"op2_checkpoint_add_" + kind for kind in ("dat", "gbl", "const")}
    found |= {f"op2_{kind}_petsc{end}" for kind in ("mat", "dat") for end in ("", "_end")}
    return found


def test_complete():
    folder = pathlib.Path(op2.__file__).parent
    text = "".join(path.read_text() for path in folder.rglob("*.py"))
    missing = functions() - used(text)
    assert len(functions()) > 150
    assert missing <= set(LEFT_OUT), "functions that are neither used nor left out"
    assert not set(LEFT_OUT) & used(text), "functions that are used and left out"


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", op2.version())


def test_unavailable():
    assert op2.unavailable("sequential") is None and op2.unavailable("abacus")
