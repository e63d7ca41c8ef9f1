# SPDX-License-Identifier: BSD-3-Clause
"""Writes VTU files in all encodings of the format, by its rules alone."""
import base64
import zlib

import meshio
import numpy

from mesh_compare import of_mesh

NAMES = {"f8": "Float64", "f4": "Float32", "i8": "Int64", "i4": "Int32", "i2": "Int16", "u1": "UInt8"}
BLOCK = 300  # bytes of a compressed block


class Writer:
    def __init__(self, form, header, compressed, order):
        self.form, self.compressed = form, compressed
        self.order = "<" if order == "LittleEndian" else ">"
        self.header = self.order + ("u4" if header == "UInt32" else "u8")
        self.appended = b""

    def coded(self, raw):
        """Header and data, which are encoded apart if they are compressed."""
        if not self.compressed:
            return [numpy.array([len(raw)], self.header).tobytes() + raw]
        blocks = [raw[b:b + BLOCK] for b in range(0, len(raw), BLOCK)]
        small = [zlib.compress(block) for block in blocks]
        tail = len(raw) % BLOCK
        sizes = [len(blocks), BLOCK, tail] + [len(block) for block in small]
        return [numpy.array(sizes, self.header).tobytes(), b"".join(small)]

    def array(self, name, values, kind):
        """The element of an array."""
        values = numpy.asarray(values).astype(self.order + kind)
        head = f'<DataArray type="{NAMES[kind]}" Name="{name}"'
        if values.ndim > 1:
            head += f' NumberOfComponents="{values.shape[1]}"'
        if self.form == "ascii":
            words = " ".join(repr(v) for v in values.ravel().tolist())
            extra = '<InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="0"/>'
            return f'{head} format="ascii">\n{words}\n{extra}</DataArray>\n'
        parts = self.coded(values.tobytes())
        if self.form == "raw":
            at = len(self.appended)
            self.appended += b"".join(parts)
        else:
            text = b"".join(base64.b64encode(part) for part in parts)
            if self.form == "binary":
                return f'{head} format="binary">\n  {text.decode()}\n</DataArray>\n'
            at = len(self.appended)
            self.appended += text
        return f'{head} format="appended" offset="{at}"/>\n'

    def piece(self, mesh, points, cells):
        """A piece of some cells, (block, row) each, and the points that these have."""
        number = {p: i for i, p in enumerate(points)}
        rows, types = [], []
        for b, i in cells:
            block = mesh.cells[b]
            row = block.data[i]
            rows.append([number[int(p)] for p in row])
            types.append(meshio._vtk_common.meshio_to_vtk_type[block.type])
        flat = [p for row in rows for p in row]
        ends = numpy.cumsum([len(row) for row in rows])
        text = f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">\n<PointData/>\n<CellData>\n'
        for name, data in mesh.cell_data.items():
            text += self.array(name, [data[b][i] for b, i in cells], "f4" if name == "values" else "i2")
        text += "</CellData>\n<Points>\n" + self.array("Points", mesh.points[points], "f8") + "</Points>\n<Cells>\n"
        text += self.array("connectivity", flat, "i8") + self.array("offsets", ends, "i4")
        return text + self.array("types", types, "u1") + "</Cells>\n</Piece>\n"


def pieces_of(mesh, n):
    """The cells of each piece, and its points, in the order of the first cell that has them."""
    every = [(b, i) for b, block in enumerate(mesh.cells) for i in range(len(block.data))]
    for k in range(n):
        cells = every[k * len(every) // n:(k + 1) * len(every) // n]
        points = list(range(len(mesh.points)))
        if n > 1:
            points = list(dict.fromkeys(int(p) for b, i in cells for p in mesh.cells[b].data[i]))
        yield points, cells


def renumbered(mesh, parts, want_of):
    """What should be read of pieces: points in the order in which the pieces have them."""
    number = {}
    for points, _ in parts:
        for p in points:
            number.setdefault(p, len(number))
    cells = [(block.type, numpy.array([[number[int(p)] for p in row] for row in block.data])) for block in mesh.cells]
    data = {"gmsh:physical": d for name, d in mesh.cell_data.items() if name != "values"}
    return want_of(meshio.Mesh(mesh.points[list(number)], cells, cell_data=data))


def write(path, mesh, form, header, compressed, order, pieces, want):
    """Write a mesh, with a .pvtu and a file for each piece if the path ends so; what should be read is returned."""
    parts = list(pieces_of(mesh, pieces))
    index, kind = path.endswith(".pvtu"), "UnstructuredGrid"
    head = f'version="1.0" byte_order="{order}" header_type="{header}"'
    head += ' compressor="vtkZLibDataCompressor"' if compressed else ""
    for f, group in enumerate([[part] for part in parts] if index else [parts]):
        writer = Writer(form, header, compressed, order)
        body = "".join(writer.piece(mesh, points, cells) for points, cells in group)
        with open(f"{path[:-5]}_{f}.vtu" if index else path, "wb") as out:
            out.write(f'<?xml version="1.0"?>\n<VTKFile type="{kind}" {head}>\n<{kind}>\n{body}</{kind}>\n'.encode())
            if form in ("raw", "base64"):
                out.write(f'<AppendedData encoding="{form}">\n _'.encode() + writer.appended + b"\n</AppendedData>\n")
            out.write(b"</VTKFile>\n")
    if index:
        stem = path[:-5].split("/")[-1]
        with open(path, "w") as out:
            sources = "".join(f'<Piece Source="{stem}_{f}.vtu"/>\n' for f in range(len(parts)))
            print(f'<VTKFile type="P{kind}">\n<P{kind} GhostLevel="0">\n{sources}</P{kind}>\n</VTKFile>', file=out)
    return want if pieces == 1 else renumbered(mesh, parts, of_mesh)


def write_text(path, points, cells, data):
    """Write points, cells as (VTK's type, nodes), and integers on the cells, as text."""
    writer = Writer("ascii", "UInt32", False, "LittleEndian")
    ends = numpy.cumsum([len(nodes) for _, nodes in cells])
    with open(path, "w") as out:
        print('<VTKFile type="UnstructuredGrid">\n<UnstructuredGrid>', file=out)
        print(f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">\n<CellData>', file=out)
        print("".join(writer.array(name, list(values), "i4") for name, values in data.items()), file=out)
        print("</CellData>\n<Points>" + writer.array("Points", points, "f8") + "</Points>\n<Cells>", file=out)
        print(writer.array("connectivity", [n for _, nodes in cells for n in nodes], "i4"), file=out)
        print(writer.array("offsets", ends, "i4") + writer.array("types", [t for t, _ in cells], "u1"), file=out)
        print("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>", file=out)
