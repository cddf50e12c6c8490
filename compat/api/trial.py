"""The functions of rows that are not written yet: the text that the command would write, run. For tests of new rows."""

import types
from typing import NamedTuple

from compat.api import faces, functions
from compat.api.modules import module_text


class Faces(NamedTuple):
    """Public functions by name: of the torch namespace, and Tensor's methods."""

    functions: dict
    methods: dict


def faces_of(row) -> Faces:
    """What the command would write for this row.

    Args:
        row: a row of the table; overloads of the same name count, too.

    Returns:
        Its functions and methods, as objects.
    """
    found = [face for face in faces.functions(nn=False) if row in face.rows]
    methods = [face for face in (*faces.methods(), *faces.in_place(method=True)) if row in face.rows]
    sets = [functions.in_place(face.rows, face.name) for face in methods if face.is_set and face.in_place]
    public = _run([functions.function(face.rows, face.name, face.alias_of) for face in found] + sets)
    own = _run([(functions.row_in_place if face.in_place else functions.row_form)(face.rows[0], face.name)
                for face in methods])
    made = {face.name: (public if face.is_set else own)[face.name] for face in methods}
    wanted = {face.name: public[face.name] for face in found}
    return Faces({**wanted, **{name: made[name] for name in row.inplace_functions}}, made)


def _run(texts) -> dict:
    made = types.ModuleType("torchlike._api.generated.trial")
    exec(compile(module_text("A trial.", texts), "<compat.api>", "exec"), vars(made))  # noqa: S102 - our own text
    return vars(made)
