"""The user's names: of leaves, of data, and of values in between."""

import ast
import builtins
import itertools
import keyword
import linecache
import re
import sys

from torchlike._record.cell import storage_of
from torchlike._record.site import is_ours, place
from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import Module


def user_frames() -> list:
    """The variables of the frames outside torchlike, the innermost first; those of modules last."""
    found, outer, frame = [], [], sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_code):
            if frame.f_globals is not frame.f_locals:
                found.append(dict(frame.f_locals))
            if all(frame.f_globals is not known for known in outer):
                outer.append(frame.f_globals)
        frame = frame.f_back
    return [*found, *map(dict, outer)]


class Names:
    """What the user calls things.

    Args:
        found: what `user_frames` gave.
        order: the Nodes of the graph.
    """

    def __init__(self, found, order):
        self._of_tensor: dict = {}
        self._of_cell: dict = {}
        self._of_storage: dict = {}
        self._of_edge: dict = {}
        self._modules: dict = {}  # {path: Module}, as leaves' names have it
        leaves = {id(node.variable) for node in order if node.is_leaf}
        for variables in found:
            self._take(variables, leaves)
        self._count = itertools.count()

    def _take(self, variables, leaves) -> None:
        modules, containers = {}, []
        for name, value in variables.items():
            if name.startswith("__") or name in ("self", "cls"):
                continue
            if isinstance(value, Tensor):
                self._add(name, value)
            elif isinstance(value, Module):
                modules[name] = value
            elif isinstance(value, dict | list | tuple) and len(value) <= 1000:
                containers.append((name, value))
        self._take_modules(modules, leaves)
        for name, values in containers:
            items = values.items() if isinstance(values, dict) else enumerate(values)
            for key, value in items:
                if isinstance(value, Tensor):
                    self._add(key if isinstance(key, str) else f"{name}[{key}]", value)

    def _take_modules(self, modules, leaves) -> None:
        new = leaves - self._of_tensor.keys()
        held = {name: [(part, p) for part, p in module.named_parameters() if id(p) in new]
                for name, module in modules.items()}
        held = {name: parts for name, parts in held.items() if parts}
        best = max(map(len, held.values()), default=0)
        whole = [name for name, parts in held.items() if len(parts) == best]
        single = best and len(whole) == 1 and set().union(*({id(p) for _, p in parts} for parts in held.values())) == \
            {id(p) for _, p in held[whole[0]]}
        for name, parts in sorted(held.items(), key=lambda item: -len(item[1])):
            start = "" if single else f"{name}."
            for part, p in parts:
                self._add(f"{start}{part}", p)
            for part, module in modules[name].named_modules():
                self._modules.setdefault(tuple(f"{start}{part}".strip(".").split(".")), module)
        for module in modules.values():
            for part, buffer in module.named_buffers():
                self._add(part, buffer)

    def _add(self, name, x) -> None:
        self._of_tensor.setdefault(id(x), name)
        self._of_cell.setdefault(id(x._cell), name)
        self._of_storage.setdefault(id(storage_of(x._cell)), name)
        if x._edge is not None and len(x._edge) == 2:
            self._of_edge.setdefault(x._edge, name)

    def of_leaf(self, x) -> str:
        """The name of a leaf: its variable's, or ``leaf0`` and so on.

        Args:
            x: the Tensor.

        Returns:
            The name.
        """
        found = self._of_tensor.get(id(x))
        if found is None:
            found = self._of_tensor[id(x)] = f"leaf{next(self._count)}"
        return found

    def module(self, path):
        """The module of a path, as in the names of leaves.

        Args:
            path: a tuple of names, the outermost module's first.

        Returns:
            The Module; None where it is not known.
        """
        return self._modules.get(path)

    def known(self, cell):
        """The name under which somebody holds the tensor of a cell.

        Args:
            cell: the Cell, or None.

        Returns:
            The name as the user writes it, or None.
        """
        return None if cell is None else self._of_cell.get(id(cell))

    def of_constant(self, constant) -> str:
        """The name of a constant, in capitals.

        Args:
            constant: the Constant.

        Returns:
            The name: that of its variable, or of one that it is part of; ``CONSTANT`` where there is none.
        """
        cell = constant.cell
        found = None if cell is None else self._of_cell.get(id(cell)) or self._of_storage.get(id(storage_of(cell)))
        return "CONSTANT" if found is None else identifier(found).upper()

    def of_values(self, steps) -> None:
        """Finds the names of all values in between: variables that hold them, or that their lines assign.

        Args:
            steps: the Steps of the program, in order.
        """
        later: dict = {}  # {statement: (place among the steps, instruction) of its next step}
        for place_, step in reversed([*enumerate(steps)]):
            statement = statement_of(step.site)
            if statement is None:
                continue
            next_place, instruction = later.get(statement, (None, -1))
            later[statement] = place_, step.site[1]
            if instruction > step.site[1] or (instruction == step.site[1] and next_place == place_ + 1):
                continue  # its line goes on there
            for k, name in enumerate(_targets(statement, len(step.makes))):
                if name is not None:
                    self._of_edge.setdefault(step.makes[k], name)

    def name_value(self, key, name) -> None:
        """Gives a value a name.

        Args:
            key: its key.
            name: the name.
        """
        self._of_edge.setdefault(key, name)

    def of_value(self, key):
        """The user's name of a value.

        Args:
            key: its key.

        Returns:
            An identifier, or None.
        """
        found = self._of_edge.get(key)
        return None if found is None else identifier(found)


def identifier(name: str) -> str:
    """A name as an identifier that hides nothing.

    Args:
        name: any text.

    Returns:
        For instance ``blocks_0_weight`` for ``blocks.0.weight``.
    """
    found = re.sub(r"\W+", "_", name).strip("_") or "value"
    found = f"p{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) or found in _TAKEN else found


_TAKEN = {"jax", "jnp", "lax", "params", "grads", *dir(builtins)}
_PARSED: dict = {}  # {file name: (lines, statements)}, of the files that the last calls have seen


def statement_of(site):
    """The assignment that a line of the user's program belongs to, as its targets.

    Args:
        site: see `_record/site.py`.

    Returns:
        (file, first line, targets), or None.
    """
    file, line, _ = place(site)
    if file is None:
        return None
    lines = linecache.getlines(file)
    known = _PARSED.get(file)
    if known is None or known[0] is not lines:
        if len(_PARSED) > 32:
            _PARSED.clear()
        known = _PARSED[file] = lines, _assignments("".join(lines))
    return next(((file, *found) for first, last, found in known[1] if first <= line <= last), None)


def _assignments(text) -> list:
    """(first line, last line, (first line, targets)) of each assignment, the innermost first."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            names = tuple(part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else None
                          for part in parts)
            found.append((node.lineno, node.end_lineno, (node.lineno, names)))
    found.sort(key=lambda item: item[1] - item[0])
    return found


def _targets(statement, count) -> tuple:
    names = statement[-1]
    if len(names) == 1:
        return names
    return names if len(names) == count else ()
