"""The text of the modules that say where each public name is from: the torch namespace and its parts, Tensor's methods."""

import dataclasses
import sys

from compat.api import faces
from torchlike._api.families import FAMILIES, own_names

HEAD = '"""{}\n\nWritten by ``python -m compat.api`` from the operator table: do not edit.\n"""\n\n'


SPACES = ("linalg_", "special_", "fft_")
_BORROWED = {"linalg": ("matmul",), "fft": ("Tensor",)}  # of the torch namespace, and there, too


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a public name is from: an attribute of a module; `owner` says which row or family it is, for errors."""

    module: str
    attribute: str
    owner: str

    def imported(self, name) -> str:
        """The line that imports it as `name`."""
        return f"from {self.module} import {self.attribute} as {name}"


class TwiceError(ValueError):
    """A public name has two owners."""


def texts() -> dict:
    """{path below the root: text} of everything that says where names are from."""
    functions, where = collect("FUNCTIONS"), "torchlike/_api/generated"
    in_torch = {name: source for name, source in functions.items() if not name.startswith(SPACES)}
    in_spaces = {name: source for name, source in functions.items() if name.startswith(SPACES)}
    found = {
        f"{where}/torch_names.py": _explicit("The functions of the torch namespace, and where they are from.", in_torch),
        f"{where}/space_names.py": _explicit("The functions of torch.linalg, torch.special and torch.fft.", in_spaces),
        f"{where}/nn_names.py": _explicit("Functions behind `torch.nn.functional` that the torch namespace does not have.",
                                          collect("NN")),
        f"{where}/methods.py": methods()}
    known = {**in_torch, "Tensor": Source("torchlike._record.tensor", "Tensor", "")}
    for prefix in SPACES:
        space = prefix.removesuffix("_")
        full = {name: source for name, source in in_spaces.items() if name.startswith(prefix)}
        found[f"torchlike/_C/_{space}.py"] = _explicit(f"`torch._C._{space}`: the functions of torch.{space}, by their "
                                                       "full names.", full)
        own = {name.removeprefix(prefix): source for name, source in full.items()}
        own |= {name: known[name] for name in _BORROWED.get(space, ())}
        found[f"torchlike/{space}.py"] = _explicit(f"`torch.{space}`: https://pytorch.org/docs/stable/{space}.html", own)
    return found


def collect(kind) -> dict:
    """{public name: Source} of one kind of names: "FUNCTIONS", "METHODS", "PROPERTIES" or "NN"."""
    found: dict = {}
    for name, source in _of_rows(kind):
        add(found, name, source)
    for family in FAMILIES:
        for name, value in getattr(family, kind, {}).items():
            add(found, name, source_of(family, kind, name, value))
    return found


def _of_rows(kind):
    if kind == "METHODS":
        for face in (*faces.methods(), *faces.in_place(method=True)):
            yield face.name, Source(*face.source)
    if kind in ("FUNCTIONS", "NN"):
        for face in faces.functions(nn=kind == "NN"):
            yield face.name, Source(f"{faces.GENERATED}.{face.chapter}", face.name, f"the row {face.rows[0].name}")
    if kind == "NN":
        for face in faces.in_place(method=False):
            yield face.name, Source(*face.source)
    if kind == "FUNCTIONS":
        for name, row, _ in faces.foreach():
            yield name, Source(f"{faces.GENERATED}.foreach", name, f"the row {row.name}")
        written = {**collect("NN"), **collect("METHODS")}
        for row in faces.ROWS.values():
            for name in row.inplace_functions:
                yield name, written[name]


def add(found, name, source) -> None:
    """Note the owner of a name. TwiceError if it has one."""
    if name in found:
        raise TwiceError(f"{name}: of {found[name].owner} and of {source.owner}; where a family has the fuller form of a "
                         "row, the row says by_hand")
    found[name] = source


def source_of(family, kind, name, value) -> Source:
    """Where a family's value is defined; ValueError if it is no name of the module."""
    home = getattr(value, "__globals__", {}).get("__name__", "")
    if home.startswith(faces.GENERATED) and getattr(sys.modules[home], value.__code__.co_name, None) is value:
        return Source(home, value.__code__.co_name, family.__name__)
    same = [own for own, each in vars(family).items() if each is value and not own.isupper()]
    if not same:
        raise ValueError(f"{family.__name__}.{kind}[{name!r}] is no name of its module")
    attribute = name if name in same else sorted(same, key=lambda own: (own.strip("_") != name, own))[0]
    return Source(family.__name__, attribute, family.__name__)


def _explicit(title, found) -> str:
    names = sorted(found)
    lines = sorted(found[name].imported(name) for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    return HEAD.format(title) + "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


def methods() -> str:
    """Tensor's methods and properties, each where it is defined."""
    found = collect("METHODS")
    for name, source in collect("PROPERTIES").items():
        add(found, name, source)
    bases = [(family.__name__, family.CLASS) for family in FAMILIES if hasattr(family, "CLASS")]
    for module, base in bases:
        for name in own_names(base):
            add(dict(found), name, Source(module, name, module))
    modules = sorted({*(source.module for source in found.values()), *(module for module, _ in bases)})
    lines = [f"from {m.rpartition('.')[0]} import {m.rpartition('.')[2]} as {_alias(m)}" for m in modules]
    body = [f"    {name} = {_alias(source.module)}.{source.attribute}" for name, source in sorted(found.items())]
    title = "The methods and properties of Tensor, which `torchlike._api.attach` puts there."
    heads = ", ".join(f"{_alias(module)}.{base.__name__}" for module, base in bases)
    return (HEAD.format(title) + "\n".join(lines) + f'\n\n\nclass TensorMethods({heads}):\n    """See `torchlike.Tensor`."""'
            "\n\n" + "\n".join(body) + "\n")


def _alias(module) -> str:
    return "_" + module.replace("torchlike._api.", "").replace("torchlike.", "").replace(".", "_").strip("_")
