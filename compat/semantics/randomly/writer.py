"""Writes one random program. Its statements are tried under torch as they are written, which tells the shapes."""

import contextlib
import random
import re
import textwrap
import warnings

import torch

from compat.semantics.randomly import statements as kinds

START = """
x = torch.tensor([[0.3137, -0.7271, 1.1293], [0.9431, 0.2519, -0.4673]], dtype=torch.float64, requires_grad=True)
w = torch.tensor([0.5741, -1.5839, 0.8923], dtype=torch.float64, requires_grad=True)
c = torch.tensor([[0.1117, 0.6229, -0.2341], [1.2413, -0.3527, 0.7639]], dtype=torch.float64)
k = torch.tensor([1, 0])
v0 = x * w
v1 = c * 2
"""
END = """
for name, t in list(globals().items()):
    if isinstance(t, torch.Tensor):
        try:
            strides = [step for step, size in zip(t.stride(), t.shape) if size > 1]
            show(name, t, strides, t.is_leaf, t.is_inference() or t._version, t.grad_fn and t.grad_fn.name(), t.grad)
        except Exception as error:
            show(name, type(error).__name__, str(error))
"""
NUMBERS = ["2", "-1.37", "0.5", "1.71", "-0.26", "0", "3", "0.83"]
# (weight, whether it gives a result, templates, condition on {a})
_ANY, _ROWS = "float", "float rows"
TABLE = [
    (10, True, kinds.MAPS, _ANY), (6, True, kinds.MAPS_BY_DIM, _ROWS), (9, True, kinds.PAIRS, _ANY),
    (2, True, kinds.REDUCTIONS, _ANY), (3, True, kinds.REDUCTIONS_BY_DIM, _ROWS), (6, True, kinds.VIEWS, _ANY),
    (10, True, kinds.VIEWS_BY_DIM, _ROWS), (3, True, kinds.SEVERAL, "float pair"), (9, False, kinds.WRITES, "writable"),
    (9, False, kinds.WRITES_BY_DIM, "writable rows"), (4, False, kinds.READS, ""), (5, False, kinds.HOOKS, "grad"),
    (11, False, kinds.BACKWARD, "grad"), (2, True, kinds.GRADS, "grad"), (3, True, kinds.CHECKPOINTS, _ANY),
    (1, True, kinds.CASTS, _ANY)]
# Of wide programs, in which some things still differ.
WIDE = [
    *TABLE, (3, True, kinds.TRANSFORMS, "own float"), (2, True, kinds.TRANSFORMS_BY_DIM, "own float rows"),
    (1, False, kinds.TRANSFORMED_WRITES, "own plain writable"), (2, True, kinds.NUMPY, _ANY),
    (1, False, kinds.NUMPY_WRITES, "writable"), (1, True, kinds.COPIES, ""), (1, True, kinds.SUBCLASS, _ANY)]
_WEIGHTED, _WEIGHTED_WIDE = ([row[1:] for row in table for _ in range(row[0])] for table in (TABLE, WIDE))
_CONDITIONS = {
    "float": lambda t: t.is_floating_point(),
    "rows": lambda t: t.ndim > 0 and t.shape[0] > 1,
    "pair": lambda t: t.ndim > 0 and t.shape[0] == 2,
    "grad": lambda t: t.requires_grad,
    "own": lambda t: type(t) is torch.Tensor,
    "plain": lambda t: not t.requires_grad,
    "writable": lambda t: t.is_floating_point() and not (t.is_leaf and t.requires_grad) and not _overlapping(t),
}
_SHAPES = {(), (2,), (3,), (6,), (2, 3), (3, 2), (2, 2), (1, 3)}  # few: each is a kernel of its own for each operator
_MODERATE = 300


class Gene:
    """The choices of one statement: integers that are used up one by one, then zeros."""

    def __init__(self, numbers):
        self._numbers = iter(numbers)

    def below(self, n) -> int:
        """A number from 0 to n - 1."""
        return next(self._numbers, 0) % n

    def of(self, options):
        """One of `options`."""
        return options[self.below(len(options))]


class Writer:
    """The program so far: ``lines``; ``space`` is its state under torch, ``shown`` what it showed."""

    def __init__(self, show, wide=False):
        self.weighted = _WEIGHTED_WIDE if wide else _WEIGHTED
        self.lines: list = []
        self.space: dict = {"torch": torch, "F": torch.nn.functional, "show": show}
        self.show, self.alive, self.inferred = show, True, False
        self._define("Function")
        exec(START, self.space)

    def tensors(self) -> dict:
        """The tensors at hand, by name."""
        return {name: t for name, t in self.space.items() if isinstance(t, torch.Tensor)}

    # -- one statement

    def add(self, gene: Gene) -> None:
        """Write the statement that `gene` chooses."""
        text = self._statement(gene, gene.below(100))
        if text:
            self._execute(text)
            self._drop_large()

    def _statement(self, gene, form) -> str:
        if form < 84:
            return self._simple(gene)
        if form < 91:
            head = gene.of(kinds.BLOCKS).format(flag=gene.of(["True", "False"]))
            inner = [self._simple(gene) for _ in range(1 + gene.below(2))]
            if "inference" in head and "checkpoint" in "".join(self.lines):  # which of two complaints comes first is open
                inner = [text for text in inner if "backward" not in text and "autograd.grad" not in text]
            if "inference" in head:  # what a transform saves of inference tensors is left open, and what their copies are
                inner = [text for text in inner if "func." not in text and "copy.copy" not in text]
            return _block(head, inner or ["pass"])
        if form < 95:
            a = self._pick(gene, "float")
            inner = [self._simple(gene), self._simple(gene)]
            return "\n".join([_block(f"if {a}.sum() > {gene.of(NUMBERS)} + 1e-3:", inner[:1]), _block("else:", inner[1:])])
        return f"for _ in range(2):\n{textwrap.indent(self._simple(gene) or 'pass', '    ')}"

    def _simple(self, gene) -> str:
        gives, templates, condition = gene.of(self.weighted)
        text = self._filled(gene, gene.of(templates), condition)
        if "_version" in text and self.inferred:
            return ""
        if templates is not kinds.READS and re.search(r"\.data\.|numpy\(", text) and "func." in "".join(self.lines):
            return ""  # a write that no version counts: a transform's gradient is that of the values which it read
        if not text or not gives:
            return text
        if templates is kinds.SEVERAL:
            return f"{self._new(gene)}, {self._new(gene)} = {text}"
        return f"{self._new(gene)} = {text}"

    def _new(self, gene) -> str:
        return f"v{gene.below(8)}"

    def _filled(self, gene, template, condition) -> str:
        a = self._pick(gene, condition)
        if a is None:
            return ""
        if re.search(r"func\.(jvp|jacfwd|hessian)", template) and _overlapping(self.space[a]):
            return ""  # PyTorch refuses to write its tangent, or loses a part of it
        others = {name: t for name, t in self.tensors().items() if t.is_floating_point()}
        shape = self.space[a].shape
        if condition.startswith("writable"):
            partly = "rows" in condition  # these write to a part and read parts of others
            others = {name: t for name, t in others.items() if name == a or _apart(self.space[a], t, partly)}
        near = [name for name, t in others.items() if _broadcast(shape, t.shape)] or [a]
        same = [name for name, t in others.items() if t.shape == shape] or [a]
        filled = {"a": a, "b": gene.of(near), "s": gene.of(same), "n": gene.of(NUMBERS),
                  "flag": gene.of(["False", "True"]), "m": gene.of(kinds.INSIDE), "d": gene.of(kinds.SMOOTH)}
        return template.format(**filled)

    def _pick(self, gene, condition):
        """A name whose tensor meets the condition; one time in thirty any name."""
        found = self.tensors()
        loose = gene.below(30) == 29 and not {"writable", "own"} & {*condition.split()}  # k stays what it is
        words = "" if loose else condition
        good = [name for name, t in found.items() if all(_holds(word, t) for word in words.split())]
        return gene.of(good) if good else None

    # -- under torch

    def _define(self, text) -> None:
        """Execute the helpers that `text` names."""
        for name in kinds.HELPERS:
            if name not in self.space and re.search(rf"\b{name}\b", text):
                exec(kinds.HELPERS[name], self.space)

    def _execute(self, text) -> None:
        self._define(text)
        self.inferred |= "inference_mode" in text
        try:
            exec(text, self.space)
        except Exception as error:  # noqa: BLE001 - whatever torch raises is its answer
            self.show("raised", type(error).__name__, str(error))
            text = tried(text)
        self.lines.append(text)

    def _drop_large(self) -> None:
        """Tensors of other shapes go at once, and a program ends where values become large."""
        for name in [name for name, t in self.tensors().items() if tuple(t.shape) not in _SHAPES]:
            self._execute(f"del {name}")
        if any(t.numel() and not (t.detach().double().abs() < _MODERATE).all() for t in self.tensors().values()):
            self.alive = False

    def finished(self) -> str:
        """The whole text, with END executed."""
        body = "\n".join(self.lines)
        exec(end_of(body), self.space)
        return text_of(body)


def end_of(body: str) -> str:
    """The end of a program. Operations on inference tensors may count versions in PyTorch: how its kernels are made."""
    return END.replace("t._version", "0") if "inference_mode" in body else END


def text_of(body: str) -> str:
    """A plain program of these statements: only ``show`` must be given."""
    used, needed = START + body, []
    for name, text in reversed(kinds.HELPERS.items()):
        if re.search(rf"\b{name}\b", used):
            needed.append(text.strip("\n"))
            used += text
    lead = ["import torch", "import torch.nn.functional as F", *reversed(needed)]
    return "\n".join(lead) + "\n" + START + body + "\n" + end_of(body)


def tried(text) -> str:
    """The statement, showing what it raises."""
    return _block("try:", [text]) + "\nexcept Exception as error:\n    show('raised', type(error).__name__, str(error))"


def _overlapping(t) -> bool:
    """Whether elements share their memory: what a write leaves there is left open by PyTorch."""
    places = [0]
    for stride, size in zip(t.stride(), t.shape, strict=True):
        places = [place + i * stride for place in places for i in range(size)]
    return len(set(places)) < len(places)


def _holds(word, t) -> bool:
    """Whether the condition holds; of a view that a write has made unusable nothing does."""
    with contextlib.suppress(RuntimeError):
        return _CONDITIONS[word](t)
    return False


def _block(head, inner) -> str:
    return "\n".join([head, *(textwrap.indent(text or "pass", "    ") for text in inner)])


def _apart(written, t, partly) -> bool:
    """Whether a write may read `t`: elsewhere in the same memory PyTorch notices only what fills its part of it."""
    dense = written.is_contiguous() and t.is_contiguous() and not partly
    return dense or written.untyped_storage().data_ptr() != t.untyped_storage().data_ptr()


def _broadcast(shape, other) -> bool:
    """Whether `other` can be expanded to `shape`."""
    return len(other) <= len(shape) and all(m in (1, n) for m, n in zip(reversed(other), reversed(shape), strict=False))


def genes(seed: int, most=25) -> list:
    """The choices of the program of this number, with up to `most` statements."""
    draw = random.Random(seed)
    return [draw.randbytes(24) for _ in range(draw.randrange(most // 4, most + 1))]


def write(genes, show, wide=False) -> str:
    """The program of these lists of integers; what it shows under torch goes to `show`."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = Writer(show, wide)
        for numbers in genes:
            writer.add(Gene(numbers))
            if not writer.alive:
                break
        return writer.finished()
