"""Which public functions come from the table: their names, their rows, and the module that has each."""

import dataclasses

from compat.api.chapters import chapter
from torchlike._ops.all import ROWS

GENERATED = "torchlike._api.generated"
OPS = f"{GENERATED}.ops"


@dataclasses.dataclass(frozen=True)
class Face:
    """One function: all overloads of one name together.

    rows: the overloads. name: its public name, which may be an alias. in_place: the `op_` form.
    """

    name: str
    rows: tuple
    in_place: bool = False

    @property
    def alias_of(self) -> str:
        """The name that this is an alias of; "" if it is none."""
        own = self.rows[0].face + "_" * self.in_place
        return "" if own == self.name else own

    @property
    def chapter(self) -> str:
        """The chapter where it is written."""
        return "special" if self.name.startswith("special_") else chapter(self.rows[0])

    @property
    def is_set(self) -> bool:
        """Whether it is more than its row's own form."""
        if len(self.rows) > 1 or self.in_place or "function" in self.rows[0].by_hand.split():
            return len(self.rows) > 1
        return any(a.name == "keepdim" for a in self.rows[0].schema.args)

    @property
    def source(self) -> tuple:
        """(module, attribute, owner) of a method: the function itself where it is a set, else the row's own form."""
        module = f"{GENERATED}.{self.chapter}" if self.is_set else f"{OPS}.{chapter(self.rows[0])}"
        return module, self.name, f"the row {self.rows[0].name}"


def writable(row) -> bool:
    """Whether the row's own form in place is written."""
    return row.inplace and not (row.view is not None and "in_place" in row.by_hand.split())


def _grouped(wanted) -> dict:
    """Public name without aliases -> rows."""
    found: dict = {}
    for row in ROWS.values():
        if not row.is_private and wanted(row):
            found.setdefault(row.face, []).append(row)
    return found


def _named(groups, in_place=False, spaces=True) -> list:
    """The faces of these rows under all their names; not `spaces`: without those of torch.special."""
    faces = []
    for name, rows in groups.items():
        aliases = (alias for row in rows for alias in row.aliases if spaces or not alias.startswith("special_"))
        faces += [Face(each + "_" * in_place, tuple(rows), in_place) for each in (name, *aliases)]
    return faces


def functions(*, nn: bool) -> list:
    """The functions that are written: of the torch namespace; or those behind `torch.nn.functional` alone."""
    return _named(_grouped(lambda row: "function" not in row.by_hand.split() and row.function is not nn
                           and (row.function or chapter(row) == "nn_functional")))


def methods() -> list:
    """Tensor's methods from rows."""
    return _named(_grouped(lambda row: row.method and "method" not in row.by_hand.split()), spaces=False)


def in_place(*, method: bool) -> list:
    """The forms in place: Tensor's methods, or functions behind `torch.nn.functional`."""
    return _named(_grouped(lambda row: writable(row) and "in_place" not in row.by_hand.split() and row.method is method),
                  in_place=True, spaces=False)


def extra_ops(of_chapter) -> list:
    """Faces that are their row's own form under another name than the row's: aliases, and rows with an overload's name."""
    faces = [*methods(), *in_place(method=True), *in_place(method=False)]
    return [face for face in faces if not face.is_set and chapter(face.rows[0]) == of_chapter
            and face.name != face.rows[0].name + "_" * face.in_place]


def foreach() -> list:
    """(name, row, suffix) of the forms for lists of tensors."""
    return [(f"_foreach_{row.face}{suffix}", row, suffix) for row in ROWS.values() if row.foreach for suffix in ("", "_")]
