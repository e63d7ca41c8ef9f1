# SPDX-License-Identifier: BSD-3-Clause
"""Build the package against the installed library, which pkg-config finds."""
import importlib.util
import os

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("op2_build", os.path.join(HERE, "op2_build.py"))
op2_build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(op2_build)

setup(
    version=op2_build.pkg_config("--modversion", "op2"),
    cffi_modules=["op2_build.py:" + name for name in op2_build.builders()],
)
