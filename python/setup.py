# SPDX-License-Identifier: BSD-3-Clause
"""Build the package against the installed library, which pkg-config finds. wheel.sh puts a library
into the package, which OP2_WHEEL_LIBRARY names then."""
import importlib.util
import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("op2_build", os.path.join(HERE, "op2_build.py"))
op2_build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(op2_build)


class BuildWithLibrary(build_py):
    """The modules of the package, and the library if the package is to have one."""

    def run(self):
        super().run()
        if op2_build.CARRIED:
            shutil.copy(op2_build.CARRIED, os.path.join(self.build_lib, "op2"))


setup(
    version=op2_build.pkg_config("--modversion", "op2"),
    cffi_modules=["op2_build.py:" + name for name in op2_build.builders()],
    cmdclass={"build_py": BuildWithLibrary},
)
