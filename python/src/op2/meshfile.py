# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from the files of mesh generators, and results on them. They need libop2-meshfile, and
results in VTKHDF libop2-hdf5."""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Type,
                    Union)

from ._companions import companion, library_of
from ._native import ffi
from ._object import DTYPES, Object
from ._place import where
from ._queue import handle, queue
from .errors import ArgumentError, OptionError, text
from .mesh import Map, Set, Subset
from .values import Dat

if TYPE_CHECKING:
    from .context import Context

Path = Union[str, "os.PathLike[str]"]


class Group(NamedTuple):
    """A group of elements that a file has."""

    #: The name in the file.
    name: str
    #: The dimension of its elements.
    dimension: int
    #: Their number, on all ranks.
    elements: int


class Edges(NamedTuple):
    """The edges of a mesh."""

    #: The set of edges.
    edges: Set
    #: The map to the two ends of each, the one with the lower number first.
    nodes: Map


class Faces(NamedTuple):
    """The faces of a mesh: edges in two dimensions.

    Normals by the order of the corners point from the first cell to the second, or out of the mesh
    (op2_faces_create() in op2/meshfile.h).
    """

    #: The set of faces between two cells.
    interior: Set
    #: The map to these cells, the one with the lower number first.
    cells: Map
    #: The map to the corners of interior faces.
    nodes: Map
    #: The set of faces of one cell only.
    boundary: Set
    #: The map to this cell.
    boundary_cell: Map
    #: The map to the corners of boundary faces.
    boundary_nodes: Map


class _MeshHandle(Object):
    """The owner of a mesh in C, which its sets, maps and dats keep as well."""

    _kind = "mesh"

    def __init__(self, context: "Context", path: str):
        super().__init__(context, path)
        self._lib = companion("meshfile")[1]
        self._create(self._lib.op2_mesh_read, context._p, os.fsencode(path))


class Mesh:
    """A mesh that read_mesh() has read.

    Its sets, maps and coordinates are parts of it, which keep it; destroy() gives up all of them.
    """

    def __init__(self, context: "Context", path: Path):
        #: The context that the mesh is of.
        self.context = context
        self._handle = _MeshHandle(context, os.fspath(path))
        self._ffi, self._lib = companion("meshfile")
        #: The parts that have been made, to be given up by destroy().
        self._parts: List[Object] = []
        lib = self._lib
        #: The set of all nodes.
        self.nodes: Set = self._part(Set, lib.op2_mesh_nodes(self._handle._p))
        #: The set of cells: the elements of the highest dimension.
        self.cells: Set = self._part(Set, lib.op2_mesh_cells(self._handle._p))
        #: The map from cells to their nodes. A cell that has fewer than the arity has its last node
        #: again in the slots behind it.
        self.cell_nodes: Map = self._map(self.cells, self.nodes,
                                         lib.op2_mesh_cell_nodes(self._handle._p))
        #: The coordinates of the nodes, as in the file.
        self.coordinates: Dat = self._dat(self.nodes, lib.op2_mesh_coordinates(self._handle._p))
        self._faces: Optional[Faces] = None
        self._edges: Optional[Edges] = None
        self._neighbours: Optional[Map] = None

    # ---- parts ----

    def _part(self, kind: Type[Any], found: Any) -> Any:
        made = kind._borrow(self._handle, found)
        self._parts.append(made)
        return made

    def _map(self, source: Set, target: Set, found: Any) -> Map:
        made: Map = self._part(Map, found)
        made.source, made.target = source, target
        return made

    def _dat(self, on: Set, found: Any) -> Dat:
        made: Dat = self._part(Dat, found)
        info = made._info()
        made.set = on
        made._declare(None, info.dim, DTYPES[info.type], ())
        return made

    def _do(self, function: Any, *arguments: Any) -> None:
        """Call a function of the mesh."""
        self.context._do(function, self._handle._p, *arguments)

    def destroy(self) -> None:
        """Give the mesh up now, with its sets, maps and dats. Using these afterwards raises
        ArgumentError; what is queued keeps what it uses, and subsets stay."""
        for part in self._parts:
            part._return()
        self._parts.clear()
        self._handle.destroy()

    # ---- contents ----

    def _info(self) -> Any:
        return self._handle._info()

    @property
    def path(self) -> str:
        """The file that the mesh was read from."""
        return self._handle.name or ""

    @property
    def dimension(self) -> int:
        """The dimension of the cells: 1, 2 or 3."""
        return self._info().dimension

    @property
    def unused_nodes(self) -> int:
        """The number of nodes that belong to no cell."""
        return self._info().unused_nodes

    @property
    def cell_counts(self) -> Dict[str, int]:
        """The number of cells of each type that the mesh has, on all ranks: point, line, triangle,
        quadrilateral, tetrahedron, pyramid, prism or hexahedron."""
        info = self._info()  # whose memory the array is
        counts = list(info.cells_of)
        return {name: counts[kind] for name, kind in self._types().items() if counts[kind]}

    def _types(self) -> Dict[str, int]:
        found = self._ffi.typeof("op2_cell_type").relements
        return {name[len("OP2_CELL_"):].lower(): kind for name, kind in found.items()}

    def cells_of(self, type: str) -> Subset:
        """The subset of the cells of one type. Loops over it use the first slots of cell_nodes."""
        types = self._types()
        if type not in types:
            raise OptionError(f"type is '{type}', and is one of {', '.join(types)}")
        return self._subset(self.cells, self._lib.op2_mesh_cells_of, types[type])

    @property
    def groups(self) -> List[Group]:
        """The groups of elements, in the order of the file."""
        found = self._ffi.new("op2_mesh_group_info *")
        made = []
        for i in range(self._info().groups):
            self._do(self._lib.op2_mesh_group_get, i, found)
            made.append(Group(text(found.name) or "", found.dimension, found.elements))
        return made

    def group(self, name: Optional[str], of: Set) -> Subset:
        """The subset of the elements of a set of the mesh that are in the group of this name: of
        boundary or interior faces, cells, or nodes. None: that are in no group."""
        named = ffi.NULL if name is None else name.encode()
        return self._subset(of, self._lib.op2_mesh_group, named, handle(of, Set))

    def _subset(self, base: Set, function: Any, *arguments: Any) -> Subset:
        made = Subset.__new__(Subset)
        Object.__init__(made, self.context)
        made.base = base
        made._create(function, self._handle._p, *arguments)
        return made

    # ---- faces, edges and neighbours ----

    def faces(self) -> Faces:
        """The faces of the cells, each once. Among ranks the first call is best made before
        Context.partition()."""
        if self._faces is None:
            found = self._ffi.new("op2_faces *")
            self._do(self._lib.op2_faces_create, found)
            inner, outer = self._part(Set, found.interior), self._part(Set, found.boundary)
            self._faces = Faces(inner, self._map(inner, self.cells, found.cells),
                                self._map(inner, self.nodes, found.nodes),
                                outer, self._map(outer, self.cells, found.boundary_cell),
                                self._map(outer, self.nodes, found.boundary_nodes))
        return self._faces

    def edges(self) -> Edges:
        """The edges of the cells, each once. Among ranks as faces()."""
        if self._edges is None:
            edges, nodes = ffi.new("op2_set *"), ffi.new("op2_map *")
            self._do(self._lib.op2_edges_create, edges, nodes)
            made = self._part(Set, edges[0])
            self._edges = Edges(made, self._map(made, self.nodes, nodes[0]))
        return self._edges

    def neighbours(self) -> Map:
        """The map from cells to their neighbours across faces; slots that are left lead to the cell
        itself. Among ranks as faces()."""
        if self._neighbours is None:
            found = ffi.new("op2_map *")
            self._do(self._lib.op2_neighbours_create, found)
            self._neighbours = self._map(self.cells, self.cells, found[0])
        return self._neighbours

    # ---- geometry ----

    def geometry(self, volume: Optional[Dat] = None,
                 centroid: Optional[Dat] = None) -> Tuple[Dat, Dat]:
        """Queue the computation of the area or volume and of the centroid of every cell, in new
        dats or in those that are given."""
        volume = Dat(self.cells) if volume is None else volume
        centroid = self._vectors(self.cells) if centroid is None else centroid
        queue(self.context, self._lib.op2_mesh_geometry_at, self._handle, volume, centroid)
        return volume, centroid

    def faces_geometry(self, of: Set, normal: Optional[Dat] = None,
                       centre: Optional[Dat] = None) -> Tuple[Dat, Dat]:
        """Queue the computation of the normal of every face, as long as the face or its area, and
        of its centre, in new dats or in those that are given. `of` is the set of interior faces or
        that of boundary faces."""
        normal = self._vectors(of) if normal is None else normal
        centre = self._vectors(of) if centre is None else centre
        queue(self.context, self._lib.op2_faces_geometry_at, self._handle, of, normal, centre)
        return normal, centre

    def _vectors(self, on: Set) -> Dat:
        return Dat(on, dim=self.coordinates.dim)

    # ---- results ----

    def write_vtu(self, path: Path, dats: Iterable[Dat]) -> None:
        """Queue the writing of dats as a VTU file for ParaView. The values are those that the dats
        have at this place of the queue; the file is complete when Context.flush() or the end of the
        context returns, which raise CallError if it could not be written.

        Dats are on nodes, and on one of the sets of cells, interior faces and boundary faces."""
        given = _handles(dats)
        self.context._do(self._lib.op2_vtu_write_at, where(), self._handle._p,
                         os.fsencode(os.fspath(path)), len(given), given)

    def series(self, path: Path, format: Optional[str] = None) -> "Series":
        """A series of results at several times. `format` is "vtu", for a VTU file for each time and
        a list of them in STEM.pvd, "vtkhdf", for one file of HDF5, or "xdmf", for a file of HDF5 for
        each time with an XDMF file; None: "vtkhdf" if the path ends in .vtkhdf, "xdmf" if it ends in
        .xdmf or .xmf, and else "vtu"."""
        name = os.fspath(path)
        if format is None:
            format = "xdmf" if name.endswith((".xdmf", ".xmf")) else \
                "vtkhdf" if name.endswith(".vtkhdf") else "vtu"
        if format not in ("vtu", "vtkhdf", "xdmf"):
            raise OptionError(f"format is '{format}', and is one of vtu, vtkhdf, xdmf")
        return Series(self, name, format)

    def __repr__(self) -> str:
        return f"<op2.Mesh '{self.path}'>"


class Series(Object):
    """Results at several times, which Mesh.series() makes. A block of `with` ends it; what is queued
    is written nevertheless."""

    _kind = "vtu_series"

    def __init__(self, mesh: Mesh, path: str, format: str):
        super().__init__(mesh.context, path)
        self._mesh = mesh._handle
        handle_of_mesh = self._mesh._p
        if format != "vtu":
            # The module of libop2-hdf5 has another type of this name.
            self._kind, handle_of_mesh = format, ffi.cast("void *", handle_of_mesh)
        self._lib = library_of(self._kind)[1]
        self._create(self._function("create"), handle_of_mesh, os.fsencode(path))

    def _function(self, name: str) -> Any:
        return getattr(self._lib, f"op2_{self._kind}_{name}")

    def write(self, time: float, dats: Iterable[Dat]) -> None:
        """Queue the writing of dats at a time, as Mesh.write_vtu() does. In VTKHDF all times have
        dats of the same names, types, dims and sets, in the same order. With XDMF the values are
        written at once."""
        if self._mesh._p == ffi.NULL:
            raise ArgumentError(f"{self}: its mesh has been given up")
        given = _handles(dats)
        if self._kind == "xdmf":
            self.context._do(self._function("write"), self._p, time, len(given), given)
        else:
            self.context._do(self._function("write_at"), where(), self._p, time, len(given), given)

    def __enter__(self) -> "Series":
        return self

    def __exit__(self, *_error: Any) -> None:
        self.destroy()


def read_mesh(context: "Context", path: Path) -> Mesh:
    """Read a mesh from a file of Gmsh, SU2, VTK, XDMF, CGNS or Exodus, whose contents decide which
    it is.

    >>> import op2, tempfile
    >>> name = tempfile.mkdtemp() + "/two.su2"
    >>> with open(name, "w") as file:
    ...     _ = file.write('''NDIME= 2
    ... NPOIN= 4
    ... 0 0
    ... 1 0
    ... 1 1
    ... 0 1
    ... NELEM= 2
    ... 5 0 1 2
    ... 5 0 2 3
    ... NMARK= 1
    ... MARKER_TAG= wall
    ... MARKER_ELEMS= 2
    ... 3 0 1
    ... 3 1 2
    ... ''')
    >>> with op2.Context("sequential") as context:
    ...     mesh = op2.read_mesh(context, name)
    ...     faces = mesh.faces()
    ...     wall = mesh.group("wall", faces.boundary)
    ...     volume, _ = mesh.geometry()
    ...     mesh.cell_counts, faces.interior.size, wall.size, volume.get()
    ({'triangle': 2}, 1, 2, array([0.5, 0.5]))
    """
    return Mesh(context, path)


def _handles(dats: Iterable[Dat]) -> List[Any]:
    """The handles of dats that are written."""
    return [handle(dat, Dat) for dat in ([dats] if isinstance(dats, Dat) else dats)]
