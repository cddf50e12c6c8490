"""The signatures of PyTorch's parser of arguments, which its errors cite, from the schemas that come with PyTorch."""

import collections
import pathlib
import tempfile
import types

import torch
import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd import gen_python_functions as bindings

from compat.api import later
from torchlike._ops.all import ROWS
from torchlike._record.signatures import DEPRECATED, FUNCTIONAL, INNER

_NATIVE = pathlib.Path(torchgen.__file__).parent / "packaged/ATen/native"
_SPACES = {None: "torch", "nn": INNER, "linalg": "torch.linalg", "special": "torch.special",
           "fft": "torch.fft"}
# Bindings that are written in C++, which have no schema.
_BY_HAND = """
torch.Tensor.contiguous contiguous(*, MemoryFormat? memory_format=contiguous_format)
torch.Tensor.nonzero nonzero()
torch.Tensor.nonzero nonzero(*, bool as_tuple)
torch.nonzero nonzero(Tensor input, *, bool as_tuple=False, Tensor out=None)
torch.as_tensor as_tensor(PyObject* data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False)
torch.from_numpy from_numpy(PyObject* obj)
torch.numel numel(Tensor input)
torch.get_device get_device(Tensor input)
torch.tensor tensor(PyObject* data, *, ScalarType? dtype=None, Device? device=None, bool pin_memory=False, \
bool requires_grad=False, DimnameList? names=None)
torch.sparse_coo_tensor sparse_coo_tensor(PyObject* indices, PyObject* values, *, ScalarType? dtype=None, \
Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None, bool? is_coalesced=None)
torch.sparse_coo_tensor sparse_coo_tensor(PyObject* indices, PyObject* values, IntArrayRef size, *, ScalarType? dtype=None, \
Device? device=None, bool pin_memory=False, bool requires_grad=False, bool? check_invariants=None, bool? is_coalesced=None)
torch.sparse_coo_tensor sparse_coo_tensor(IntArrayRef size, *, ScalarType? dtype=None, Device? device=None, \
bool requires_grad=False, bool? check_invariants=None)
"""
# Of the constructors of compressed layouts, what their parts are called.
_COMPRESSED = {"compressed": ("compressed", "plain"), "csr": ("crow", "col"), "csc": ("ccol", "row"), "bsr": ("crow", "col"),
               "bsc": ("ccol", "row")}
_OPTIONS = ("*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool pin_memory=False, "
            "bool requires_grad=False, bool? check_invariants=None")
_CASTS = str.split("bfloat16 bool byte cdouble cfloat char chalf double float half int long short cpu")


def texts() -> dict:
    """{path below the root: text}."""
    natives = parse_native_yaml(str(_NATIVE / "native_functions.yaml"), str(_NATIVE / "tags.yaml")).native_functions
    public = [f for f in natives if bindings.should_generate_py_binding(f) and not f.root_name.startswith("_")]
    by_hand = [line for line in (_BY_HAND + later.SIGNATURES).replace("\\\n", "").splitlines() if line]
    by_hand += [f"torch.Tensor.{name} {name}(*, MemoryFormat? memory_format=None)" for name in _CASTS]
    by_hand += [f"torch.sparse_{kind}_tensor sparse_{kind}_tensor(PyObject* {first}_indices, PyObject* {second}_indices, "
                f"PyObject* values, {size}{_OPTIONS})"
                for kind, (first, second) in _COMPRESSED.items() for size in ("IntArrayRef size, ", "")]
    found: dict = {}
    for line in by_hand:
        found.setdefault(line.partition(" ")[0], []).append(line)
    older = {row.face for row in ROWS.values() if row.older} | {"sspaddmm"}
    operands = {row.face for row in ROWS.values() if any(arg.instead == "number" for arg in row.schema.args)}
    for path, pairs in [*_by_path(public, method=False).items(), *_by_path(public, method=True).items()]:
        signatures = [group.signature.signature_str(skip_outputs=group.outplace is None)
                      for group in bindings.group_overloads(pairs)]
        if isinstance(attribute(torch, path.removeprefix("torch.")), types.FunctionType | None):
            continue  # it is written in Python, or not public
        name = path.rpartition(".")[2]
        if name.removesuffix("_") in operands:
            signatures = [text.replace("Tensor input", "Operand input").replace("Tensor other", "Operand other")
                          for text in signatures]
        if name.removesuffix("_") in older:
            signatures.append(DEPRECATED)
        found.setdefault(path, [f"{path} {text}" for text in signatures])
    found |= _functional(found)
    lines = [line for path in sorted(found) for line in found[path]]
    return {"torchlike/_api/generated/signatures.txt": "\n".join(lines) + "\n"}


def _functional(found) -> dict:
    """The same of what torch.nn.functional has from elsewhere as it is: ``conv2d`` of torch, ``gelu`` of torch._C._nn."""
    homes = {id(attribute(torch, path.removeprefix("torch."))): path for path in found}
    return {f"{FUNCTIONAL}{name}": [f"{FUNCTIONAL}{name}{line[len(path):]}" for line in found[path]]
            for name, value in vars(torch.nn.functional).items()
            if isinstance(value, types.BuiltinFunctionType) and (path := homes.get(id(value)))}


def attribute(owner, path):
    """What is there, or None."""
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def _by_path(natives, method) -> dict:
    """{public path: the overloads of one function or method}."""
    found = collections.defaultdict(list)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as deprecated:
        deprecated.write("[]")
        deprecated.flush()
        for pair in bindings.load_signatures(natives, deprecated.name, method=method):
            space = pair.function.python_module
            name = pair.signature.name
            if method and bindings.is_py_variable_method(pair.function):
                found[f"torch.Tensor.{name}"].append(pair)
            elif not method and space in _SPACES and (space or bindings.is_py_torch_function(pair.function)):
                prefix = f"{space}_" if space in ("linalg", "special", "fft") else ""
                found[f"{_SPACES[space]}.{name.removeprefix(prefix)}"].append(pair)
    return found
