#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write a Fortran module, made from public headers.

    fortran/make-module.py TEMPLATE OUTPUT HEADER... [--uses HEADER...]

TEMPLATE (fortran/op2.f90.in, fortran/op2_hdf5.f90.in) holds what is written by hand; lines @NAME@ in
it are replaced by what is made here: constants, derived types, interfaces of the C functions, and a
procedure for each. The `@shape` of a function's documentation says which parameters are arrays, and
what their extents are. An extent that is itself a parameter is not a parameter in Fortran. Headers
after --uses are those of a module that the new one uses: their types are known, and not made again.
"""
import re
import sys
import textwrap

# The numbers of elements, slots and so on, which begin with 0 in C and with 1 in Fortran. This table
# and below_one(), from_one() of the template are the only places that know of it.
FROM_ONE = {
    'op2_subset_create': ['idx'], 'op2_map_create': ['idx'], 'op2_map_create_partial': ['idx'],
    'op2_map_create_global': ['idx'], 'op2_map_create_permuted': ['perm'],
    'op2_set_create_halo': ['global'], 'op2_set_global': ['number'],
    'op2_set_numbering': ['number'], 'op2_sparsity_get': ['starts', 'columns'],
    'op2_arg_dat': ['idx'], 'op2_arg_map_idx': ['slot'], 'op2_arg_info': ['reduction'],
    'op2_dat_get_block': ['first'], 'op2_dat_set_block': ['first'], 'op2_profile_get': ['i'],
    'op2_comm_neighbour_get': ['i'], 'op2_comm_dat_get': ['i'],
    'op2_map_get': ['idx'], 'op2_map_get_global': ['idx'], 'op2_object_get': ['i'],
    'op2_mesh_group_get': ['i'], 'op2_file_read_rows': ['first'],
}
# Parameters that C allows to be null, beside the input structures, which all are. They are optional
# in Fortran and come after the others.
OPTIONAL = {
    'op2_sparsity_size': ['rows', 'places'], 'op2_sparsity_get': ['starts', 'columns'],
    'op2_partition': ['report'], 'op2_dat_shape': ['dim', 'type', 'owned', 'total'],
    'op2_gbl_shape': ['dim', 'type'], 'op2_const_shape': ['dim', 'type'],
    'op2_map_shape': ['arity', 'rows'],
    'op2_mat_shape': ['row_dim', 'column_dim', 'type', 'places'],
    'op2_mesh_group': ['name'], 'op2_mesh_geometry_at': ['volume', 'centroid'],
    'op2_faces_geometry_at': ['normal', 'centre'], 'op2_file_write_set': ['name'],
    'op2_file_write_map': ['name'], 'op2_file_write_dat': ['name'], 'op2_file_update_dat': ['name'],
    'op2_checkpoint_step': ['stop'],
}
# Outputs that are set also if the function fails.
ALWAYS_SET = {'op2_checkpoint_step': ['stop']}
# Functions that keep the address of the program's values, beside those called _wrap.
KEEPS_VALUES = ['op2_checkpoint_add_counter']
# Arrays that may be left out when an object is declared; the extents are parameters then.
ABSENT_ARRAY = {'op2_dat_create': 'data', 'op2_gbl_create': 'data', 'op2_map_create': 'idx'}
# Functions whose procedures are written by hand in the template.
BY_HAND = ['op2_kernel_create', 'op2_operator_create', 'op2_call_at', 'op2_call_owned_at', 'op2_subset_indices',
           'op2_sparsity_create', 'op2_solve_nested_at', 'op2_solve_blocks_at', 'op2_error_message',
           'op2_mat_get', 'op2_mat_set', 'op2_mat_add', 'op2_solver_monitor', 'op2_arg_opaque',
           'op2_map_create_entries', 'op2_file_read_all', 'op2_file_read_matrices']
# Structures that are passed by value and made by functions only.
VALUES = ['op2_where', 'op2_arg', 'op2_scalar']
# Structures that only procedures written by hand use.
MIRRORS = ['op2_kernel_desc', 'op2_function_text', 'op2_operator_desc', 'op2_map_pair', 'op2_entries_desc']
KINDS = [('r8', 'real(real64)', 'OP2_F64'), ('r4', 'real(real32)', 'OP2_F32'),
         ('i1', 'integer(int8)', 'OP2_I8'), ('i2', 'integer(int16)', 'OP2_I16'),
         ('i4', 'integer(int32)', 'OP2_I32'), ('i8', 'integer(int64)', 'OP2_I64'),
         ('l4', 'logical', 'OP2_I32')]
NUMBERS = {'int': 'integer(c_int)', 'int32_t': 'integer(c_int32_t)',
           'int64_t': 'integer(c_int64_t)', 'double': 'real(c_double)', 'bool': 'logical(c_bool)'}
# Extents as the headers have them, by what Fortran computes them from.
EXTENTS = {'from total size': 'total_of(from%handle)', 'from owned size': 'op2_set_size(from)',
           'map owned size': 'rows_of(map)', 'set total size': 'total_of(set%handle)', 'total': 'ends(4)',
           'total - owned': 'ends(4) - ends(2)', 'rows + 1': 'nonzeros_of(sparsity, .true.) + 1',
           'places': 'nonzeros_of(sparsity, .false.)'}


class Param:
    """A parameter of a C function, or a field of a structure."""

    def __init__(self, text):
        text = re.sub(r'\s+', ' ', text.strip())
        match = re.fullmatch(r'(.*?)(\w+)((?:\[[^\]]*\])?)', text)
        self.name, self.extent = match[2], match[3].strip('[]')
        self.type = re.sub(r'\s*\*\s*', '*', match[1]).strip()
        self.const = self.type.startswith('const ')
        self.base = self.type.replace('const ', '').replace('*const', '*').rstrip('*')
        self.stars = self.type.count('*')


class Function:
    def __init__(self, doc, text):
        text = re.sub(r'\s+', ' ', text)
        match = re.fullmatch(r'(.*?)(\w+)\((.*)\)', text.strip())
        self.result, self.name = match[1].replace(' *', '*').strip(), match[2]
        params = re.sub(r'/\*.*?\*/', '', match[3])
        self.params = [] if params.strip() == 'void' else [Param(p) for p in params.split(',')]
        brief = re.search(r'@brief (.*?\.)(?=\s|$)', doc, re.S)
        self.brief = re.sub(r'\s+', ' ', brief[1].replace('::', '')) if brief else ''
        shape = re.search(r'@shape(.*?)(?=@\w+ |$)', doc, re.S)
        self.shape = {name: re.findall(r'\[([^\]]*)\]', dims) for name, dims in
                      re.findall(r'(\w+)\)?((?:\[[^\]]*\])+)', shape[1] if shape else '')}
        for p in self.params:
            if p.extent:
                self.shape.setdefault(p.name, [p.extent])
        dims = {d for p in self.params if p.name in self.shape and p.base != 'void' or
                p.base == 'void' and p.stars == 1 for d in self.shape.get(p.name, [])}
        self.implied = {p.name for p in self.params if p.type == 'int' or p.type == 'int64_t'
                        if p.name in dims}


class Headers:
    def __init__(self, paths, used=()):
        self.constants, self.handles, self.structs, self.enums = [], [], {}, []
        self.functions, self.callbacks = [], []
        self.read_all(used)
        others = len(self.constants), len(self.handles), len(self.structs), len(self.functions)
        self.read_all(paths)
        self.inputs = {p.base for f in self.functions for p in f.params
                       if p.base in self.structs and p.const and p.stars == 1}
        self.inputs -= set(VALUES + MIRRORS)
        self.outputs = {p.base for f in self.functions for p in f.params
                        if p.base in self.structs and not p.const and p.stars == 1} - set(VALUES)
        # What the module itself has.
        self.constants, self.own_handles = self.constants[others[0]:], self.handles[others[1]:]
        self.own_structs = dict(list(self.structs.items())[others[2]:])
        self.functions = self.functions[others[3]:]

    def read_all(self, paths):
        for path in paths:
            with open(path, encoding='utf-8') as file:
                self.read(file.read())

    def read(self, text):
        text = re.sub(r'/\*\* @cond.*?@endcond \*/', '', text, flags=re.S)
        for name, value in re.findall(r'^#define (OP2_\w+)\s+\(?(-?\d+)\)?\s*(?:/\*.*)?$', text, re.M):
            self.constants.append((name, value))
        text = re.sub(r'^#(?:.*\\\n)*.*$', '', text, flags=re.M)
        bare = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
        for name, body in re.findall(r'typedef enum (\w+) \{(.*?)\}', bare, re.S):
            self.enums.append(name)
            value = -1
            for item in filter(None, (i.strip() for i in body.split(','))):
                item, _, given = (part.strip() for part in item.partition('='))
                value = int(given) if given else value + 1
                self.constants.append((item, str(value)))
        self.handles += re.findall(r'typedef struct \w+_s \*(\w+);', bare)
        for name, body in re.findall(r'typedef struct (\w+) \{(.*?)\} \1;', bare, re.S):
            self.structs[name] = [Param(f) for line in body.split(';') if line.strip()
                                  for f in split_fields(line)]
        self.callbacks += re.findall(r'typedef \w+ \(\*(\w+)\)\(', bare)
        for doc, proto in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*OP2_API\s+(?:OP2_NODISCARD\s+)?'
                                     r'([^;]*);', text, re.S):
            self.functions.append(Function(re.sub(r'\n \*', '\n', doc), proto))


def split_fields(line):
    """The fields of one declaration: `op2_gbl a, b` declares two of a type."""
    first, *others = [part.strip() for part in line.split(',')]
    start = re.match(r'(.*[\s*])\w+', first, re.S)[1] if others else ''
    return [first] + [start + other for other in others]


def wrapped(line, indent):
    """A line of at most 100 columns, continued where there is a blank."""
    out, rest = [], line
    while len(indent) + len(rest) > 98:
        cut = rest.rfind(', ', 0, 96 - len(indent)) + 1
        out.append(indent + rest[:cut] + ' &')
        rest = '  ' + rest[cut:].lstrip()
    return out + [indent + rest]


class Procedure:
    """The text of one procedure while it is put together."""

    def __init__(self, maker, function, suffix):
        self.maker, self.f, self.suffix = maker, function, suffix
        self.name = fortran_name(function.name) + suffix
        self.first = fortran_name(function.name) not in maker.generics
        self.args, self.late, self.decls, self.locals = [], [], [], {}
        self.before, self.checks, self.after, self.last, self.actual = [], [], [], [], []

    def arg(self, name, declaration, optional=False, extent=''):
        (self.late if optional else self.args).append(name)
        self.decls.append(f"{declaration}{', optional' if optional else ''} :: {name}{extent}")

    def local(self, name, declaration):
        self.locals[name] = f'{declaration} :: {name}'

    def check(self, condition_code):
        self.checks.append(condition_code)

    def text(self):
        args = self.args + self.late
        status = self.f.result == 'op2_status'
        if status:
            args = args + ['stat']
            self.decls.append('integer, intent(out), optional :: stat')
            self.locals['code'] = 'integer(c_int) :: code'
        call = f"c_{self.f.name}({', '.join(self.actual)})"
        function = not status and self.f.result != 'void'
        lines = ['  !> ' + line for line in textwrap.wrap(self.f.brief, 94)] if self.first else []
        head = f"{'function' if function else 'subroutine'} {self.name}({', '.join(args)})"
        lines += wrapped(head + (' result(answer)' if function else ''), '  ')
        for decl in self.decls + list(self.locals.values()):
            lines += wrapped(decl, '    ')
        if function:
            lines.append(f'    {self.maker.result(self.f.result)} :: answer')
        for line in self.before:
            lines += wrapped(line, '    ')
        lines += self.body(call, status, function)
        lines.append(f"  end {'function' if function else 'subroutine'}")
        return lines + ['']

    def body(self, call, status, function):
        lines = []
        if status:
            for i, step in enumerate(self.checks + [call]):
                lines += wrapped(('if (code == OP2_SUCCESS) ' if i else '') + f'code = {step}', '    ')
            if self.after:
                lines.append('    if (code == OP2_SUCCESS) then')
                for line in self.after:
                    lines += wrapped(line, '      ')
                lines.append('    end if')
            lines += ['    ' + line for line in self.last]
            lines.append('    call finish(code, stat)')
        elif function:
            text = {'const char*': f'text_of({call})'}.get(self.f.result, call)
            part = '%handle' if self.f.result in self.maker.h.handles else ''
            lines += wrapped(f'answer{part} = {text}', '    ')
        else:
            lines += wrapped(f'call {call}', '    ')
            lines += ['    ' + line for line in self.after]
        return lines


def fortran_name(name):
    return name[:-3] if name.endswith('_at') else name


class Maker:
    def __init__(self, headers):
        self.h = headers
        self.generics, self.procedures, self.public = {}, [], []

    # ---- C's side ----

    def result(self, text):
        if text == 'const char*':
            return 'character(:), allocatable'
        if text == 'bool':
            return 'logical'
        if text in VALUES + self.h.handles:
            return f'type({text})'
        return NUMBERS[text]

    def mirror(self, p):
        """The type of a parameter or field as C has it, without attributes."""
        if p.stars or p.base in self.h.handles:
            return 'type(c_ptr)'
        if p.base in self.h.callbacks:
            return 'type(c_funptr)'
        if p.base in self.h.enums:
            return 'integer(c_int)'
        if p.base in self.h.structs:
            return f'type({p.base})' if p.base in VALUES else f'type(c_{p.base})'
        return NUMBERS[p.base]

    def interface_param(self, f, p):
        name, array = p.name, p.name in f.shape and p.base != 'void'
        if p.stars == 1 and p.base in self.h.inputs | self.h.outputs | {'void', 'FILE'}:
            return f'type(c_ptr), value :: {name}'
        if p.base == 'char' and p.stars == 1:
            optional = ', optional' if name in OPTIONAL.get(f.name, []) else ''
            return f'character(kind=c_char), intent(in){optional} :: {name}(*)'
        if p.stars == 0 and not p.extent:
            return f'{self.mirror(p)}, value :: {name}'
        if p.base in MIRRORS and not array:
            return f'type(c_{p.base}), intent(in) :: {name}'
        inner = Param(p.type.replace('*', '', 1) + ' ' + name) if p.stars else p
        kind = 'type(c_ptr)' if p.stars > 1 else self.mirror(inner)
        intent = 'in' if p.const and p.stars < 2 else 'inout'
        absent = name in OPTIONAL.get(f.name, []) or name == ABSENT_ARRAY.get(f.name)
        optional = ', optional' if absent else ''
        return f"{kind}, intent({intent}){optional} :: {name}{'(*)' if array and p.stars < 2 else ''}"

    def interfaces(self):
        lines = ['  interface']
        for f in self.h.functions:
            names = ', '.join(p.name for p in f.params)
            kind = 'subroutine' if f.result == 'void' else 'function'
            tail = '' if f.result == 'void' else ' result(answer)'
            lines += wrapped(f'{kind} c_{f.name}({names}) bind(c, name="{f.name}"){tail}', '    ')
            lines.append('      import')
            lines += ['      ' + self.interface_param(f, p) for p in f.params]
            if f.result != 'void':
                answer = {'op2_status': 'integer(c_int)', 'const char*': 'type(c_ptr)',
                          'bool': 'logical(c_bool)', **dict.fromkeys(self.h.handles, 'type(c_ptr)')
                          }.get(f.result) or self.result(f.result)
                lines.append(f'      {answer} :: answer')
            lines.append(f'    end {kind}')
        return lines + ['  end interface']

    # ---- types ----

    def initial(self, p):
        kind = self.mirror(p)
        return {'type(c_ptr)': ' = c_null_ptr', 'type(c_funptr)': ' = c_null_funptr',
                'real(c_double)': ' = 0'}.get(kind, ' = 0' if kind.startswith('integer') else '')

    def types(self):
        lines = []
        for name in self.h.own_handles:
            lines += [f'  type :: {name}', '    type(c_ptr) :: handle = c_null_ptr', '  end type']
            self.public.append(name)
        for name, fields in self.h.own_structs.items():
            value = name in VALUES
            lines.append(f"  type, bind(c) :: {'' if value else 'c_'}{name}")
            lines += ['    private'] if value else []
            for p in fields:
                extent = f'({p.extent})' if p.extent else ''
                lines.append(f'    {self.mirror(p)} :: {p.name}{extent}{self.initial(p)}')
            lines.append('  end type')
            if value:
                self.public.append(name)
            elif name not in MIRRORS:
                lines += self.public_type(name, fields)
            if name in self.h.inputs:
                lines += self.kept_type(name, fields)
                self.procedures += self.keep(name, fields)
        return lines

    def public_type(self, name, fields):
        self.public.append(name)
        lines = [f'  type :: {name}']
        for p in fields:
            if p.name.startswith('reserved'):
                continue
            if p.base == 'char':
                lines.append(f'    character(:), allocatable :: {p.name}')
            elif p.base in self.h.handles:
                lines.append(f'    type({p.base}) :: {p.name}')
            elif p.base == 'void':
                lines.append(f'    type(c_ptr) :: {p.name} = c_null_ptr')
            elif p.stars:
                lines.append(f'    {NUMBERS[p.base]}, allocatable :: {p.name}(:)')
            else:
                extent = f'({p.extent})' if p.extent else ''
                lines.append(f'    {self.mirror(p)} :: {p.name}{extent}{self.initial(p)}')
        return lines + ['  end type']

    # ---- procedures ----

    def procedure(self, f, suffix, data=None, wide='c_int64_t', absent=False):
        proc = Procedure(self, f, suffix)
        omitted = ABSENT_ARRAY.get(f.name) if absent else None
        implied = set() if absent else set(f.implied)
        for p in f.params:
            if p.base == 'void' and p.stars == 1 and data:
                implied.add('type')
        for p in f.params:
            if p.base == 'op2_where':
                continue
            if p.name == omitted:
                self.absent_param(proc, p)
            elif p.name not in implied:
                self.param(proc, f, p, data, wide)
        self.fill_actual(proc, f, implied, data)
        for name in [p.name for p in f.params if p.base == 'op2_where']:
            proc.arg(name, 'type(op2_where), intent(in)', True)
        self.procedures += proc.text()
        self.generics.setdefault(fortran_name(f.name), []).append(proc.name)

    def absent_param(self, proc, p):
        if p.base == 'void':
            return
        proc.locals['nothing'] = f'{NUMBERS[p.base]}, pointer :: nothing(:)'
        proc.before.append('nullify(nothing)')

    def param(self, proc, f, p, data, wide):
        name, shape = p.name, f.shape.get(p.name)
        optional = name in OPTIONAL.get(f.name, [])
        if p.base in self.h.handles:
            intent = 'in' if p.stars == 0 or p.const else 'inout'
            array = shape and p.stars
            proc.arg(name, f'type({p.base}), intent({intent})', optional, '(:)' if array else '')
            if optional:
                proc.local(f'c_{name}', 'type(c_ptr)')
                proc.before += [f'c_{name} = c_null_ptr', f'if (present({name})) c_{name} = {name}%handle']
        elif p.base in ('char', 'FILE'):
            self.text_param(proc, f, p)
        elif p.base in self.h.inputs:
            self.input_struct(proc, p)
        elif p.base in self.h.outputs:
            self.output_struct(proc, p, optional)
        elif p.base == 'void':
            self.values(proc, f, p, data)
        elif p.base in VALUES or p.base in self.h.structs:
            proc.arg(name, f'type({p.base}), intent(in)', False, '(:)' if shape else '')
        elif p.base == 'bool' and p.stars:
            self.truth(proc, f, p, optional)
        elif p.stars or p.extent:
            self.numbers(proc, f, p, optional, wide)
        else:
            kind = {'int64_t': f'integer({wide})'}.get(p.base) or self.mirror(p)
            proc.arg(renamed(name), f'{kind}, intent(in)', optional)

    def text_param(self, proc, f, p):
        """Strings, and files, which are given by their paths."""
        if p.base == 'char' and p.stars == 1:
            optional = p.name in OPTIONAL.get(f.name, [])
            proc.arg(p.name, 'character(*), intent(in)', optional)
            if optional:
                # One that is not allocated is an absent argument of the C function.
                proc.local(f'c_{p.name}', 'character(:), allocatable')
                proc.before.append(f'if (present({p.name})) c_{p.name} = trim({p.name})//c_null_char')
            return
        proc.local('at', 'type(c_ptr)')
        if p.base == 'char':
            proc.arg(p.name, 'character(:), allocatable, intent(inout)')
            proc.after.append(f'{p.name} = text_of(at)')
        else:
            proc.arg('path', 'character(*), intent(in)')
            proc.check(f"opened('{f.name}', path, at)")
            proc.last.append(f"call close_file('{f.name}', path, at, code)")

    @staticmethod
    def truth(proc, f, p, optional):
        """An output that is true or false: a default logical."""
        proc.arg(p.name, 'logical, intent(inout)', optional)
        proc.local(f'c_{p.name}', 'logical(c_bool)')
        proc.before.append(f'c_{p.name} = .false.')
        lines = proc.last if p.name in ALWAYS_SET.get(f.name, []) else proc.after
        lines.append(f'{"if (present(" + p.name + ")) " if optional else ""}{p.name} = c_{p.name}')

    def numbers(self, proc, f, p, optional, wide):
        """Arrays of numbers, or outputs that are one number."""
        shape = f.shape.get(p.name)
        kind = 'integer(c_int)' if p.base in self.h.enums else NUMBERS[p.base]
        if p.const and p.base == 'int64_t':
            kind = f'integer({wide})'
        extent = f"({', '.join([':'] * len(shape))})" if shape else ''
        if shape and shape[0].isdigit():
            extent = f'({shape[0]})'
        proc.arg(p.name, f"{kind}, intent({'in' if p.const else 'inout'})", optional, extent)
        if shape and shape[0] in EXTENTS:
            rank = len(shape)
            size = f'size({p.name}, {rank}, c_int64_t)'
            expected = EXTENTS[shape[0]]
            check = f"extent_error('{f.name}', '{p.name}', {rank}, {size}, int({expected}, c_int64_t))"
            proc.check(self.guarded(proc, f, p, expected) if optional else check)
        if shape and shape[-1] == 'arity' and 'arity' not in f.implied and \
                f.params[0].base == 'op2_map':
            proc.check(f"extent_error('{f.name}', '{p.name}', 1, size({p.name}, 1, c_int64_t), "
                       f'arity_of({f.params[0].name}))')
        if p.name in FROM_ONE.get(f.name, []) and not p.const:
            proc.after.append(f'{"if (present(" + p.name + ")) " if optional else ""}'
                              f'call from_one({p.name})')

    def guarded(self, proc, f, p, expected):
        found = f'extent_{p.name}'
        proc.local(found, 'integer(c_int64_t)')
        proc.before.append(f'{found} = {expected}')
        proc.before.append(f'if (present({p.name})) {found} = size({p.name}, 1, c_int64_t)')
        return f"extent_error('{f.name}', '{p.name}', 1, {found}, {expected})"

    def values(self, proc, f, p, data):
        """Untyped memory, of a kind and rank."""
        kind, constant, rank = data
        pointer = f.name.endswith('_wrap') or f.name in KEEPS_VALUES
        extent = '' if rank == 0 else '(:)' if rank == 1 else '(:, :)'
        scope = p.stars == 2
        proc.local('at', 'type(c_ptr)')
        if scope:
            proc.arg(p.name, f'{kind}, pointer, intent(inout)', False, extent)
            self.scope(proc, f, p, constant, rank)
            return
        attributes = ('contiguous, ' if rank else '') + (
            'pointer, intent(in)' if pointer else f"target, intent({'in' if p.const else 'inout'})")
        proc.arg(p.name, f'{kind}, {attributes}', False, extent)
        proc.before.append('at = c_loc(nowhere)' if rank else f'at = c_loc({p.name})')
        if rank:
            proc.before.append(f'if (size({p.name}) > 0) at = c_loc({p.name})')
        self.values_check(proc, f, p, constant, rank)

    def values_check(self, proc, f, p, constant, rank):
        shape = f.shape[p.name]
        rows = f'size({p.name}, {rank}, c_int64_t)'
        dim = {0: '1', 1: '1' if len(shape) == 2 else f'size({p.name})',
               2: f'size({p.name}, 1)'}[rank]
        owner = f.params[0]
        if len(shape) == 2 and shape[0] != 'n' and owner.base == 'op2_set':
            proc.check(f"extent_error('{f.name}', '{p.name}', {rank}, {rows}, "
                       f'{EXTENTS[shape[0]]})')
        elif owner.base == 'op2_dat':
            section = {'set owned size': '1', 'set total size': '2', 'n': '0'}[shape[0]]
            proc.check(f"dat_error('{f.name}', {owner.name}, {constant}, {dim}, {rows}, {section})")
        elif owner.base in ('op2_gbl', 'op2_const'):
            proc.check(f"{owner.base[4:]}_error('{f.name}', {owner.name}, {constant}, {dim})")

    def scope(self, proc, f, p, constant, rank):
        if f.name.endswith('_end'):
            proc.before.append('at = c_null_ptr')
            proc.after.append(f'nullify({p.name})')
            return
        proc.local('extents', 'integer(c_int64_t)')
        proc.locals['extents'] = 'integer(c_int64_t) :: extents(2)'
        proc.before.append('at = c_null_ptr')
        owner = f.params[0].name
        dim, extents = {('dat', 2): ('0', ', extents'), ('dat', 1): ('1', ', extents(2:)'),
                        ('gbl', 1): ('0', ', extents(:1)'), ('gbl', 0): ('1', '')}[owner, rank]
        proc.check(f"{owner}_scope_error('{f.name}', {owner}, {constant}, {dim}, extents)")
        proc.after.append(f'call c_f_pointer(at, {p.name}{extents})')

    def input_struct(self, proc, p):
        kept = f'kept_{p.name}'
        proc.arg(p.name, f'type({p.base}), intent(in)', True)
        proc.local(kept, f'type(kept_{p.base}), target')
        proc.local('at', 'type(c_ptr)')
        proc.before.append(f'call keep_{p.base}({p.name}, {kept})')
        if p.base == 'op2_partition_options':
            proc.before.append('at = c_null_ptr')
            proc.before.append(f'if (present({p.name})) at = c_loc({kept}%c)')
            proc.check(f'owner_error({p.name})')
        else:
            proc.before.append(f'at = c_loc({kept}%c)')

    def kept_type(self, name, fields):
        """A structure as C has it, with copies of the strings and lists that it points to."""
        lines = [f'  type :: kept_{name}', f'    type(c_{name}) :: c']
        for p in fields:
            if p.base == 'char':
                lines.append(f'    character(kind=c_char), allocatable :: {p.name}(:)')
            elif p.stars and p.base in NUMBERS:
                lines.append(f'    {NUMBERS[p.base]}, allocatable :: {p.name}(:)')
        return lines + ['  end type']

    def keep(self, name, fields):
        lines = [f'  subroutine keep_{name}(given, kept)',
                 f'    type({name}), intent(in), optional :: given',
                 f'    type(kept_{name}), target, intent(out) :: kept',
                 '    if (.not. present(given)) return']
        for p in fields:
            source, target = f'given%{p.name}', f'kept%c%{p.name}'
            if p.name.startswith('reserved'):
                continue
            if p.base == 'char':
                lines.append(f'    call give_text({source}, kept%{p.name}, {target})')
            elif p.base in self.h.handles:
                lines.append(f'    {target} = {source}%handle')
            elif p.stars:
                lines += [f'    if (allocated({source})) then', f'      kept%{p.name} = {source}',
                          f'      {target} = c_loc(kept%{p.name})', '    end if']
            else:
                lines.append(f'    {target} = {source}')
        return lines + ['  end subroutine', '']

    def output_struct(self, proc, p, optional):
        proc.arg(p.name, f'type({p.base}), intent(inout)', optional)
        proc.local(f'c_{p.name}', f'type(c_{p.base}), target')
        lines = []
        for field in self.h.structs[p.base]:
            if field.name.startswith('reserved'):
                continue
            source, target = f'c_{p.name}%{field.name}', f'{p.name}%{field.name}'
            if field.base == 'char':
                lines.append(f'{target} = text_of({source})')
            elif field.base in self.h.handles:
                lines.append(f'{target}%handle = {source}')
            else:
                lines.append(f'{target} = {source}')
        if optional:
            lines = [f'if (present({p.name})) then'] + ['  ' + line for line in lines] + ['end if']
        proc.after += lines

    def fill_actual(self, proc, f, implied, data):
        for p in f.params:
            proc.actual.append(self.actual(proc, f, p, implied, data))

    def actual(self, proc, f, p, implied, data):
        name, one = p.name, p.name in FROM_ONE.get(f.name, [])
        if p.base == 'op2_where':
            return 'here(where)'
        if name == ABSENT_ARRAY.get(f.name) and name not in proc.args:
            return 'c_null_ptr' if p.base == 'void' else 'nothing'
        if name in implied:
            return self.implied_value(f, p, data)
        if name in OPTIONAL.get(f.name, []) and (p.base in self.h.handles or p.base == 'char'):
            return f'c_{name}'
        if p.base in self.h.handles:
            return f'{name}%handle'
        if p.base == 'char' and p.stars == 1:
            return f'trim({name})//c_null_char'
        if p.base == 'bool' and p.stars:
            return f'c_{name}'
        if p.base in ('char', 'FILE', 'void') or p.base in self.h.inputs:
            return 'at'
        if p.base in self.h.outputs:
            return f'c_loc(c_{name})'
        if p.stars == 0 and not p.extent:
            if p.base == 'int64_t':
                return f"int({renamed(name)}{' - 1' if one else ''}, c_int64_t)"
            return (f'slot_of({name})' if name in ('idx', 'slot') else f'{name} - 1') if one else name
        if p.const and p.base in NUMBERS:
            text = f'int({name}, c_int64_t)' if p.base == 'int64_t' else name
            return f'below_one({text})' if one else text
        return name

    def implied_value(self, f, p, data):
        if p.name == 'type':
            return data[1]
        for q in f.params:
            shape = f.shape.get(q.name, [])
            if p.name in shape:
                rank = data[2] if q.base == 'void' else len(shape)
                if rank == 0 or rank < len(shape) and p.name == 'dim':
                    return '1'
                where = rank - shape.index(p.name)
                return f"size({q.name}, {where}{', c_int64_t' if p.base == 'int64_t' else ''})"
        raise ValueError(f'{f.name}: no array has the extent {p.name}')

    def ranks(self, f):
        """The ranks that the untyped memory of a function can have in Fortran."""
        shape = next(f.shape[p.name] for p in f.params if p.base == 'void' and p.name in f.shape)
        return (2, 1) if len(shape) == 2 else (1, 0)

    def make(self, f):
        if any(p.base == 'void' for p in f.params):
            begin = self.scope_shape(f)
            for rank in begin:
                for suffix, kind, constant in KINDS:
                    self.procedure(f, f'_{suffix}_{rank}', (kind, constant, rank))
        elif any(p.base == 'int64_t' and (p.const or not p.stars and not p.extent and p.name not in f.implied)
                 for p in f.params):
            for suffix, wide in (('_n4', 'c_int32_t'), ('_n8', 'c_int64_t')):
                self.procedure(f, suffix, wide=wide)
        else:
            self.procedure(f, '' if f.name not in ABSENT_ARRAY else '_given')
        if f.name in ABSENT_ARRAY:
            self.procedure(f, '_absent', absent=True)

    def scope_shape(self, f):
        if f.name.endswith(('_begin', '_end')):
            rows = ['set total size'] if f.params[0].base == 'op2_dat' else []
            f.shape.setdefault('data', rows + ['dim'])
        return self.ranks(f)

    def all(self):
        for f in self.h.functions:
            if f.name not in BY_HAND:
                self.make(f)
        destroy = [name for name in self.generics if name.endswith('_destroy')]
        self.generics['op2_destroy'] = destroy
        lines = []
        for name, procedures in self.generics.items():
            self.public.append(name)
            if procedures == [name]:
                continue
            lines.append(f'  interface {name}')
            lines += [f'    module procedure :: {p}' for p in procedures]
            lines.append('  end interface')
        return lines


def renamed(name):
    return 'n' if name == 'size' else name


def main(argv):
    if argv[1:2] in (['-h'], ['--help']):
        print(__doc__)
        return 0
    paths, used = argv[3:], []
    if '--uses' in paths:
        where = paths.index('--uses')
        paths, used = paths[:where], paths[where + 1:]
    if not paths:
        print('make-module.py: TEMPLATE, OUTPUT and HEADER are needed (--help)', file=sys.stderr)
        return 2
    headers = Headers(paths, used)
    maker = Maker(headers)
    generics = maker.all()
    types = maker.types()
    constants = [f'  integer(c_int), parameter :: {n} = {v}' for n, v in headers.constants]
    public = [f'  public :: {name}' for name in [n for n, _ in headers.constants] + maker.public]
    parts = {'CONSTANTS': constants, 'TYPES': types, 'PUBLIC': public, 'GENERICS': generics,
             'C_INTERFACES': maker.interfaces(), 'PROCEDURES': maker.procedures}
    with open(argv[1], encoding='utf-8') as template, open(argv[2], 'w', encoding='utf-8') as out:
        for line in template:
            name = line.strip().strip('@')
            out.write('\n'.join(parts[name]) + '\n' if line.strip() == f'@{name}@' else line)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
