#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print what is wrong with the recipes of packaging/, compared with the sources beside them.

    test/support/recipes.py SOURCES

(--help prints this.) Recipes are parsed, not run: Spack's and EasyBuild's as Python, conda's as YAML, the others by their own
rules. Each option has to be one of meson_options.txt with a value that it can have, each feature has to
be decided, each dependency has to be one that meson.build looks for, and versions have to agree.
"""
import argparse
import ast
import configparser
import os
import re

try:
    import yaml
except ImportError:
    yaml = None

# What recipes call a dependency, and what of the build has it. None: no library.
LIBRARIES = {
    "xxhash": "'libxxhash'", "starpu": "'starpu-1.3'", "hwloc": "'module': 'hwloc'",
    "libhwloc": "'module': 'hwloc'", "scotch": "find_library('scotch'",
    "ptscotch": "find_library('ptscotch'", "mpi": "dependency('mpi-c'",
    "openmpi": "dependency('mpi-c'", "hdf5": "'hdf5-serial'", "petsc": "'PETSc'",
    "zlib": "dependency('zlib'", "libdeflate": "dependency('libdeflate'", "zlib-api": "dependency('zlib'", "expat": "dependency('expat'",
    "opencl-c-headers": "'CL/cl.h'",
    "meson": "meson_version", "ninja": "", "pkgconfig": "import('pkgconfig')",
    "pkg-config": "import('pkgconfig')", "pkgconf": "import('pkgconfig')", "c": "", "cxx": "",
    "fortran": "add_languages('fortran'", "c-compiler": "",
}
# The least versions, and what of the build has them.
LEAST = {
    "meson": ("1.0", "meson_version: '>= 1.0'"), "hwloc": ("2", "'least': '>= 2.0'"),
    "libhwloc": ("2", "'least': '>= 2.0'"), "starpu": ("1.3", "'starpu-1.3'"),
    "scotch": ("7", "Scotch 7"), "ptscotch": ("7", "Scotch 7"),
    "petsc": ("3.18", r"PETSC_VERSION_LT\(3, 18, 0\)"),
}


class Sources:
    """What the sources say: options, their values, the version, and the text of the build."""

    def __init__(self, root):
        self.root = root
        self.meson = self.text("meson.build")
        self.options, self.features = {}, []
        for name, kind, rest in re.findall(r"option\('(\w+)', type: '(\w+)'(.*?)(?=\noption|\Z)",
                                           self.text("meson_options.txt"), re.S):
            values = re.search(r"choices: \[(.*?)\]", rest)
            self.options[name] = re.findall(r"'(\w+)'", values[1]) if values else \
                ["auto", "enabled", "disabled"]
            if kind == "feature":
                self.features.append(name)
        self.version = ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                                           self.text("include/op2/version.h")))

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()


def wrong_options(sources, words):
    """What is wrong with options -Dname=value, of which all features are to be among."""
    chosen = dict(re.findall(r"-D([a-z0-9_]+)=(\w+)", words))
    for name, value in chosen.items():
        if name not in sources.options and name != "b_ndebug":  # which is Meson's own
            yield f"no option {name} in meson_options.txt"
        elif name in sources.options and value not in sources.options[name]:
            yield f"option {name} cannot be {value}"
    for name in sources.features:
        if name not in chosen:
            yield f"option {name} is not decided"


def wrong_dependency(sources, name, version=""):
    """What is wrong with a dependency of this name and least version."""
    key = name.lower()
    if key not in LIBRARIES:
        yield f"nothing of the build is called {name}"
    elif LIBRARIES[key] not in sources.meson:
        yield f"meson.build does not look for {name}"
    elif version and key in LEAST:
        least, where = LEAST[key]
        if version != least or not re.search(where, sources.meson):
            yield f"{name} {version} is not the least version, {least}"


def calls(tree, name):
    """The calls of a function in a text of Python, as their values and keywords."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
            keywords = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            yield [ast.literal_eval(value) for value in node.args], keywords


def spack(sources):
    text = sources.text("packaging/spack/package.py")
    tree = ast.parse(text)
    versions = [values[0] for values, _ in calls(tree, "version")]
    if versions != [sources.version]:
        yield f"versions {versions} and not {sources.version}"
    variants = [values[0] for values, _ in calls(tree, "variant")]
    for name in variants:
        if name not in sources.options:
            yield f"variant {name} is no option of meson_options.txt"
    for values, words in calls(tree, "depends_on"):
        name, least = re.match(r"([a-z0-9-]+)(?:@([\d.]+))?", values[0]).groups()
        yield from wrong_dependency(sources, name, least or "")
        for variant in re.findall(r"[+~]([a-z0-9]+)", words.get("when", "")):
            if variant not in variants:
                yield f"{values[0]} depends on variant {variant}, which is none"
    listed = next(node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
                  and node.targets[0].id == "features")
    decided = "".join(f" -D{name}=enabled" for name in ast.literal_eval(listed))
    for name in ast.literal_eval(listed):
        if name not in variants:
            yield f"feature {name} is no variant"
    yield from wrong_options(sources, text.replace("={0}", "=") + decided)


def easybuild(sources):
    folder = os.path.join(sources.root, "packaging/easybuild")
    for name in sorted(os.listdir(folder)):
        text = sources.text("packaging/easybuild/" + name)
        found, options = {}, ""
        for node in ast.parse(text).body:
            target = node.targets[0].id if isinstance(node, ast.Assign) else node.target.id
            if target == "configopts":
                options += ast.literal_eval(node.value)
            elif target in ("name", "version", "toolchain", "dependencies", "builddependencies"):
                found[target] = ast.literal_eval(node.value)
        chain = found["toolchain"]
        if name != f"{found['name']}-{found['version']}-{chain['name']}-{chain['version']}.eb":
            yield f"the name {name} is not that of its contents"
        if found["version"] != sources.version:
            yield f"version {found['version']} and not {sources.version}"
        for dependency in found["dependencies"] + found["builddependencies"]:
            yield from wrong_dependency(sources, dependency[0])
        yield from wrong_options(sources, options)


def conda(sources):
    text = sources.text("packaging/conda/meta.yaml")
    values = dict(re.findall(r'{% set (\w+) = "(.*)" %}', text))
    text = re.sub(r"{%.*%}", "", text)
    text = re.sub(r'{{ (\w+) }}', lambda found: values[found[1]], text)
    text = re.sub(r'{{ compiler\("(\w+)"\) }}', r"\1", text)
    text = re.sub(r"{{.*}}", "op2", text)
    recipe = yaml.safe_load(text)
    if str(recipe["package"]["version"]) != sources.version:
        yield f"version {recipe['package']['version']} and not {sources.version}"
    for part, words in recipe["requirements"].items():
        for word in words:
            name, _, least = word.partition(" >=")
            yield from wrong_dependency(sources, name.split()[0], least)
    yield from wrong_options(sources, " ".join(recipe["build"]["script"]))
    if not os.path.exists(os.path.join(sources.root, recipe["about"]["license_file"])):
        yield "no file of the licence"


def debian(sources):
    yield from wrong_options(sources, sources.text("packaging/debian/rules"))


def containers(sources):
    known = "FROM|ENV|WORKDIR|COPY|RUN|USER|CMD".split("|")
    text = re.sub(r"\\\n", " ", sources.text("packaging/docker/Dockerfile"))
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    for line in lines:
        if line.split()[0] not in known:
            yield f"Dockerfile: {line}"
    for script in re.findall(r"&& ((?:packaging|test)/\S+)", text):
        if not os.access(os.path.join(sources.root, script), os.X_OK):
            yield f"Dockerfile: no script {script}"
    text = sources.text("packaging/apptainer/op2.def")
    sections = re.findall(r"^%(\w+)", text, re.M)
    for section in sections:
        if section not in ("files", "post", "environment", "test", "runscript", "labels"):
            yield f"op2.def: no section {section}"
    if not re.search(r"^Bootstrap: docker\nFrom: \S+$", text, re.M):
        yield "op2.def: no base"
    if f"Version {sources.version}" not in text:
        yield f"op2.def: version and not {sources.version}"


def modules(sources):
    lua = sources.text("packaging/modulefiles/op2.lua")
    tcl = sources.text("packaging/modulefiles/op2.tcl")
    paths = {}
    for name, parts in re.findall(r'prepend_path\("(\w+)", (.*)\)$', lua, re.M):
        paths[name] = "/".join(re.findall(r'"(\w+)"', parts))
    other = {name: path.strip("/") for name, path in
             re.findall(r"^prepend-path (\w+) +\$prefix(\S*)$", tcl, re.M)}
    if paths != other or len(paths) < 6:
        yield f"the module files differ: {sorted(set(paths.items()) ^ set(other.items()))}"
    for name, text in (("op2.lua", lua), ("op2.tcl", tcl)):
        if set(re.findall(r"\d+\.\d+\.\d+", text)) != {sources.version}:
            yield f"{name}: version and not {sources.version}"
        if "conflict" not in text:
            yield f"{name}: no conflict"
    if not tcl.startswith("#%Module1.0\n"):
        yield "op2.tcl: not the first line of a module file"


def wrap(sources):
    parser = configparser.ConfigParser()
    parser.read_string(sources.text("packaging/meson/op2.wrap"))
    if set(parser["wrap-git"]) != {"url", "revision", "depth"}:
        yield "the wrap has other keys"
    for name in parser["provide"]["dependency_names"].split(", "):
        given = "'op2-' + mpi_name" if name == "op2-mpi" else f"'{name}'"
        if f"override_dependency({given}" not in sources.meson:
            yield f"the build does not provide {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources")
    sources = Sources(parser.parse_args().sources)
    for check in (spack, easybuild, conda, debian, containers, modules, wrap):
        if check is conda and not yaml:
            print("conda: PyYAML is missing")
            continue
        for problem in check(sources):
            print(f"{check.__name__}: {problem}")


if __name__ == "__main__":
    main()
