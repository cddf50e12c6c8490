"""The text of functions that are made from rows: each row's own form, and the functions of the torch namespace."""

import dataclasses

from compat.api import docs
from compat.api.types import is_named, literal, of_arguments, of_result

WIDTH = 125
GIVEN = "given"  # a list of ints given as separate arguments
OLDER = "older"  # what a deprecated form has beyond the others


@dataclasses.dataclass
class Text:
    """A function as text, and what its module must have for it: rows, and closures that record one in one frame."""

    name: str
    text: str
    rows: dict  # {constant: row name}
    shorts: dict  # {name: "unary" or "binary" of a row}


# -- the parts of a body

def constant(row) -> str:
    """What the row is called in a written module."""
    return "_" + row.name.replace(".", "_").upper()


def _normal(arg, row) -> str:
    """The expression that makes a parameter hashable."""
    if arg.name in row.static:
        return f"static_number({arg.name})"
    kind = arg.type
    if kind == "int[*]":
        return f"varargs({GIVEN}, {arg.name})" if not arg.kwonly else f"int_list({arg.name})"
    if kind.startswith("int[") and not kind.endswith("?") and kind != "int[1]":
        return f"int_list({arg.name})"
    if kind.startswith("int["):
        return f"ints({arg.name})"
    return f"integer({arg.name})" if kind in ("int", "int?", "SymInt") else arg.name


def _pack(items) -> str:
    found = list(items)
    return f"({', '.join(found)}{',' if len(found) == 1 else ''})"


def arguments(row, first) -> tuple:
    """The three tuples that `bind` takes, as text."""
    operands, numbers, params = [], [], []
    for i, arg in enumerate(row.schema.args):
        name = _name(i, arg, first)
        if arg.is_operand:
            operands.append(f"tuple({name})" if arg.type.startswith(("Tensor[]", "Tensor?[]")) else name)
        elif arg.name in row.numbers:
            plain = arg.default is ... or arg.default is None
            numbers.append(name if plain else f"None if {_is_default(arg, row)} else {name}")
        else:
            params.append(_normal(arg, row))
    return _pack(operands), _pack(numbers), _pack(params)


def _is_default(arg, row) -> str:
    """Whether a number has its default; 1.0 and True are other numbers than 1 where PyTorch looks at their kind."""
    return f"{arg.name} is ONE" if arg.default == 1 and arg.name in row.fits else f"{arg.name} == {literal(arg.default)}"


def _name(i, arg, first) -> str:
    return first if arg.name == "self" and (i == 0 or first == "input") else arg.name


def _short(row, first):
    """(condition, closure, its arguments, its name) of a row that a closure can record in one frame; or None."""
    plain = len(row.operands) + len(row.numbers) == len(row.schema.args)
    optional = any(a.is_operand and a.type != "Tensor" for a in row.schema.args)
    defaults = [a for a in row.schema.args if a.name in row.numbers]
    if row.view is not None or not plain or optional or len(row.schema.returns) != 1 or row.schema.returns == ("[]",) \
            or any(a.default is ... or a.default is None for a in defaults) or len(row.operands) not in (1, 2):
        return None
    names = [first if o == "self" else o for o in row.operands]
    condition = " and ".join(_is_default(a, row) for a in defaults)
    return condition, "unary" if len(names) == 1 else "binary", ", ".join(names), f"_record_{row.name.replace('.', '_')}"


def returned(row, first, text) -> str:
    """The expression that calls the row; notes in `text` what it needs."""
    operands, numbers, params = arguments(row, first)
    short = _short(row, first)
    condition, maker, names, name = short or ("", "", "", "")
    if short is not None:
        text.shorts[name] = f'{maker}(ROWS["{row.name}"])'
        if not condition:
            return f"{name}({names})"
    text.rows[constant(row)] = row.name
    if row.view is not None:
        return f"{'_views' if row.view.member is not None else '_view'}({constant(row)}, {first}, {params})"
    general = f"bind({constant(row)}, {operands}, {numbers}, {params})".replace(", (), ())", ")").replace(", ())", ")")
    if short is not None:
        return f"{name}({names}) if {condition} else {general}"
    if is_named(row):
        return f"return_types.{row.face}(*{general})"
    return f"as_tuple({general})" if row.schema.returns == ("[]",) else general


# -- whole functions

def row_form(row, name="") -> Text:
    """The row under its own name with its own signature: what methods are, and what hand-written functions call."""
    text = Text(name or row.name.replace(".", "_"), "", {}, {})
    first = row.schema.args[0].name if row.schema.args else ""
    found = parameters([row], first)
    body = [f'"""{docs.summary(row)}"""', *_other_forms([row], text, first, found), f"return {returned(row, first, text)}"]
    text.text = _def(text.name, found, of_result([row]), body)
    return text


def row_in_place(row, name="") -> Text:
    """The row in place: ``Tensor.name_(...)``, which PyTorch also has as a function of ``input``."""
    return _written_in_place([row], name or row.name.replace(".", "_") + "_", [f"return {_in_place(row)}"])


def _in_place(row) -> str:
    if row.view is not None:
        given = "".join(f", {a.name}" for a in row.schema.args[1:])
        return f'become_view({constant(row)}, input, "{row.face}"{given})'
    if row.write.stand_in:
        return f"compare({constant(row)}, input, other)"
    operands, numbers, params = arguments(row, "input")
    return f"inplace({constant(row)}, {operands}, {numbers}, {params})".replace(", (), ())", ")").replace(", ())", ")")


def function(rows, name="", of="") -> Text:
    """``torch.name(input, ..., out=None)`` of a row, or of all its overloads; `of`: the function that it is an alias of."""
    row = rows[0]
    name = name or row.face
    text = Text(name, "", {}, {})
    with_out = all(r.view is None and r.out for r in rows)
    found = parameters(rows, "input", with_out)
    body = [docs.of_function(rows, name, of, with_out, numpy_names(rows)), *_other_forms(rows, text, "input", found)]
    if with_out:
        read = arguments(row, "input")[0] if row.layout == "pointwise" else "()"
        hidden = name in _names(found)  # by an argument
        itself = [f"lambda: {returned(row, 'input', text)}"] if hidden else [name, *_again(found)]
        call = ", ".join(["out", f'"{row.face}"', read, *itself])
        body.append(f"if out is not None:\n    return written({call})")
    body += _choice(rows, "input", lambda r: returned(r, "input", text))
    text.text = _def(name, found, of_result(rows), body)
    return text


def in_place(rows, name="") -> Text:
    """``Tensor.name_(...)`` of all overloads of a function."""
    return _written_in_place(rows, name or rows[0].face + "_", _choice(rows, "input", _in_place))


def _written_in_place(rows, name, choice) -> Text:
    text = Text(name, "", {constant(r): r.name for r in rows}, {})
    found = parameters(rows, "input", with_self=True)
    body = [f'"""`{rows[0].face}` in place."""', *_other_forms(rows, text, "input", found), *choice]
    text.text = _def(name, found, "Tensor", body)
    return text


def _other_forms(rows, text, first, found) -> list:
    """The statements that bring other forms of a call into the one that follows: a deprecated one, and numpy's names."""
    body = []
    if any(r.older for r in rows):
        call = f"{text.name}, {constant(rows[0])}, ({', '.join([*_needed(rows, first), f'*{OLDER}'])})"
        text.rows[constant(rows[0])] = rows[0].name
        body.append(f"if {OLDER}:\n    return older_form({call}{', out=out' if 'out' in _names(found) else ''})")
    names = numpy_names(rows)
    late = _needed_from_dim(rows)
    if late:
        del names["axis"]
        condition = " or ".join([*dict.fromkeys(f"{n} is None" for n in ("dim", late[-1])), "axis is not None"])
        rest = "".join(f", {n}={n}" for n in late[1:])
        body.append(f'if {condition}:\n    dim = by_axis("{rows[0].face}", dim, axis{rest})')
    for theirs, ours in names.items():
        given = ", ".join([f'"{theirs}"', ours, theirs, *_default(found, ours)])
        body.append(f"if {theirs} is not None:\n    {ours} = numpys({given})")
    return body


def _default(found, name) -> list:
    """The text of the default of a parameter, where it is not None."""
    default = next(p for p in found if p.partition(":")[0] == name).partition(" = ")[2]
    return [] if default in ("", "None") else [default]


def _needed(rows, first) -> list:
    """The parameters that every overload needs, by name."""
    longest = max(rows, key=lambda r: len(r.schema.args))
    return [_name(i, arg, first) for i, arg in enumerate(longest.schema.args) if arg.default is ... and not arg.kwonly]


def _needed_from_dim(rows) -> list:
    """"dim", where it must be given, and the parameters behind it that must be, too."""
    if any(a.name == "dim" and (a.default is not ... or a.kwonly) for r in rows for a in r.schema.args):
        return []
    needed = _needed(rows, "")
    if "dim" not in needed or rows[0].is_private or not all("dim" in [a.name for a in r.schema.args] for r in rows):
        return []
    return needed[needed.index("dim"):]


def _names(found) -> list:
    return [parameter.partition(":")[0].strip() for parameter in found]


def _again(found) -> list:
    """The arguments of a call of the function by itself."""
    pieces, keyword = [], False
    for parameter in found:
        name = parameter.partition(":")[0].partition("=")[0].strip()
        if parameter == "*" or name == f"*{OLDER}":
            keyword = True
        elif name not in ("out", "axis", "keepdims"):
            pieces.append(f"{name}={name}" if keyword and not name.startswith("*") else name)
            keyword = keyword or name.startswith("*")
    return pieces


# -- overloads

def _choice(rows, first, call) -> list:
    """The statements that call the overload which PyTorch's parser would choose."""
    ordered = sorted(rows, key=lambda r: (not _conditions(r, rows, first), r.scalars != "self"))
    body = [f"if {_conditions(r, rows, first)}:\n    return {call(r)}" for r in ordered[:-1]]
    if [r.name for r in ordered if not _conditions(r, rows, first)] != [ordered[-1].name]:
        raise ValueError(f"overloads of {rows[0].face}: not exactly one takes what the others leave")
    return [*body, f"return {call(ordered[-1])}"]


def _conditions(row, rows, first) -> str:
    """When this overload is chosen: its numbers are no tensors, and what it does not have is not given."""
    mine = {a.name for a in row.schema.args}
    found = [f"not isinstance({first if name == 'self' else name}, Tensor)" for name in row.scalars.split()]
    absent = {a.name: a for r in rows for a in r.schema.args if a.name not in mine}
    needed = [a for a in absent.values() if a.default is ... and not a.type.endswith("?")]
    for arg in needed or absent.values():
        found.append(_at_default(arg.name, _absent(arg)))
    return " and ".join(found)


def _absent(arg):
    """The value of an argument that only some overloads have which stands for the others."""
    return arg.default if arg.default is not ... else 0 if arg.type == "int" and arg.kwonly else None


def numpy_names(rows) -> dict:
    """{numpy's name: PyTorch's} of arguments, which PyTorch's parser takes, too."""
    names = {a.name for r in rows for a in r.schema.args if not r.is_private}
    return {theirs: ours for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")) if ours in names}


def _at_default(name, default) -> str:
    return f"{name} is None" if default is None else f"not {name}" if default is False else f"{name} == {literal(default)}"


# -- signatures

def parameters(rows, first, with_out=False, with_self=False) -> list:
    """The parameters of a function of these overloads, annotated; ``*`` before those by keyword only."""
    longest = max(rows, key=lambda r: len(r.schema.args))
    pieces, starred, types, star = [], False, {}, f"*{OLDER}: Any" if any(r.older for r in rows) else "*"
    late = _needed_from_dim(rows)
    for i, arg in enumerate(longest.schema.args):
        same = [a for r in rows for a in r.schema.args if a.name == arg.name]
        default = None if arg.name in late else _absent(arg) if len(same) < len(rows) else arg.default
        if arg.kwonly and not starred:
            pieces.append(star)
            starred = True
        name = _name(i, arg, first)
        if arg.type == "int[*]" and not arg.kwonly:
            pieces += [f"*{GIVEN}: int | Sequence[int]", f"{name}: Sequence[int] | None = None"]
            starred = True
            continue
        types[arg.name] = "Tensor" if with_self and not i else of_arguments(same, default)
        piece = f"{name}: {types[arg.name]}"
        pieces.append(piece if default is ... else f"{piece} = {literal(default)}")
    more = [f"{theirs}: {types[ours].removesuffix(' | None')} | None = None" for theirs, ours in numpy_names(rows).items()]
    more += [f"out: {_out(rows)} | None = None"] if with_out else []
    return [*pieces, *([star] if (more or star != "*") and not starred else []), *more]


def _out(rows) -> str:
    kinds = {len(r.schema.returns) > 1 or r.schema.returns == ("[]",) for r in rows}
    return " | ".join(t for t, has in (("Tensor", False), ("Sequence[Tensor]", True)) if has in kinds)


def _def(name, found, result, body) -> str:
    """A function's text; long signatures are wrapped."""
    head = f"def {name}({', '.join(found)}) -> {result}:"
    lines = [head] if len(head) <= WIDTH else _wrapped(f"def {name}(", found, f") -> {result}:")
    for statement in body:
        for line in statement.split("\n"):
            lines += _fitting(f"    {line}") if line else [""]
    return "\n".join(lines) + "\n"


def _wrapped(head, pieces, tail) -> list:
    lines, line = [], head
    for n, piece in enumerate(pieces):
        end = ", " if n < len(pieces) - 1 else tail
        if len(line + piece + end.rstrip()) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * len(head)
        line += piece + end
    return [*lines, line]


def _fitting(line) -> list:
    """A statement on lines that fit: broken before its last arguments."""
    if len(line) <= WIDTH or '"""' in line:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    lines = []
    while len(line) > WIDTH:
        at = line.rfind(", ", 0, WIDTH) + 1
        if " if " in line and " else " in line and line.rfind(" else ", 0, WIDTH - 2) > 0 and not lines:
            at = line.rfind(" else ", 0, WIDTH - 2)
            lines.append(line[:at] + " \\")
            line = indent + line[at + 1:]
            continue
        lines.append(line[:at])
        line = indent + line[at + 1:]
    return [*lines, line]




def of_lists(name, row, suffix) -> Text:
    """``torch._foreach_name(self, ...)``."""
    text = Text(name, "", {}, {})
    found, first = ["self: Sequence[Tensor]"], f'"{row.face}", "{suffix}", self'
    if len(row.operands) == 1:
        call = f"each({first})"
    elif len(row.operands) == 3:
        found += ["tensor1: Sequence[Tensor]", "tensor2: Sequence[Tensor]", "value: Number | Sequence[Number] | Tensor = 1"]
        found += ["*", "scalars: Sequence[Number] | Tensor | None = None"]
        call = f"ternary({first}, tensor1, tensor2, value, scalars)"
    else:
        text.rows[constant(row)] = row.name
        found = ["self: Sequence[Tensor] | Number", "other: Sequence[Tensor] | Sequence[Number] | Tensor | Number"]
        alpha = "alpha" in row.numbers
        found += ["*", "alpha: Number = 1"] if alpha else []
        call = f'pair({constant(row)}, "{suffix}", self, other{", alpha" if alpha else ""})'
    body = [f'"""`{row.face}` of each tensor of a list{", in place" if suffix else ""}."""', f"return {call}"]
    text.text = _def(name, found, "Sequence[Tensor]", body)
    return text
