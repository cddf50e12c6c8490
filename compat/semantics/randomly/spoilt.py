"""Random programs in which arguments are spoilt: of another dtype, shape, range or kind. Both libraries must refuse the same
statements with the same class of exception, and nothing of JAX or numpy may come through to the user."""

import ast
import os
import re
import textwrap
import traceback

import torch

import torchlike
from compat import compare, gaps
from compat.semantics.randomly import running, writer
from torchlike._base.errors import UnsupportedError

THROUGH = "comes through"  # what is said of an error of JAX's
# What stands in the place of a tensor `{a}`, and of a number. Nothing that takes much memory or time where it is taken.
TENSORS = [
    "{a}.long()", "{a} > 0", "{a}.to(torch.complex64)", "{a}.half()", "{a}.bfloat16()", "{a}.int()", "{a}.float()",
    "{a}[:0]", "{a}[None]", "{a}.flatten()", "torch.ones(7)", "torch.ones(2, 3, 4, 5)", "torch.tensor(3)",
    "torch.tensor([])", "torch.tensor([5, -9])", "{a}.tolist()", "{a}.detach().numpy()", "{a}.detach().to('meta')",
    "{a}.detach().to_sparse()", "None", "3", "2.5", "True", "'a'", "[1, 'a']", "object()", "({a},)", "torch.float32", "1j",
    "torch.tensor(float('nan'))", "{a}.sum()", "torch.tensor([1, 0], dtype=torch.uint8)", "{{'a': {a}}}", "int"]
NUMBERS = [
    "-1", "7", "-9", "2**62", "-2**63", "2**64", "1.5", "float('nan')", "float('inf')", "1j", "True", "None", "'a'",
    "(0, 0)", "[]", "torch.tensor(1)", "torch.tensor([1, 2])", "torch.tensor(1.5)", "torch.float64", "object()",
    "slice(None)", "{a}", "[0, 5]", "-0.0", "b'1'", "...", "lambda: 1"]
MORE = ["None", "3", "x", "dtype=torch.int8", "dim='a'", "unknown=1", "keepdim=2", "dtype='float'", "out=3",
        "out=torch.ones(7)"]
_INSIDE = (AttributeError, KeyError, NameError, RecursionError, ZeroDivisionError)
_NEVER = ("range(", "tensor_split", "chunk(", "split(", "checkpoint(", "show(", "import")
_ATTEMPT = """try:
{body}
    settle()
except Exception as error:
    attempted(error)
else:
    attempted(None)"""


# -- spoilt statements

class _Places(ast.NodeVisitor):
    """The expressions of a statement that can be spoilt: numbers, tensors at hand, calls."""

    def __init__(self, tensors):
        self.tensors, self.found = tensors, []

    def visit_Constant(self, node):
        if isinstance(node.value, int | float):
            self.found.append(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.tensors:
            self.found.append(node)

    def visit_Call(self, node):
        self.found.append(node)
        self.generic_visit(node)

    def visit_Lambda(self, node):
        """What a function does is not spoilt."""


def _placed(choice: str, node):
    """The expression in the place of another; where it was called with a keyword, that keyword."""
    return ast.copy_location(ast.parse(choice, mode="eval").body, node)


class _Replaced(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else super().visit(node)


def spoil(text: str, gene, tensors) -> str:
    """The statement with one argument spoilt; "" where it has none."""
    if any(part in text for part in _NEVER):
        return ""
    tree = ast.parse(text)
    places = _Places(tensors)
    places.visit(tree)
    if not places.found:
        return ""
    node, a = gene.of(places.found), gene.of(sorted(tensors))
    if isinstance(node, ast.Call):
        _extend(node, gene)
    else:
        choice = gene.of(TENSORS).format(a=node.id) if isinstance(node, ast.Name) else gene.of(NUMBERS).format(a=a)
        tree = _Replaced(node, _placed(choice, node)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


def _extend(call, gene) -> None:
    """One argument more, or one less."""
    if call.args and gene.below(3) == 0:
        call.args.pop()
        return
    is_method = not ast.unparse(call.func).startswith(("torch.", "F."))
    choices = MORE[:-2] if is_method else MORE  # methods take out=: compat/gaps.toml
    more = ast.parse(f"f({gene.of(choices)})", mode="eval").body
    call.args += more.args
    call.keywords += [word for word in more.keywords if word.arg not in [own.arg for own in call.keywords]]


# -- programs

class Writer(writer.Writer):
    """Writes programs in which every other statement is spoilt, each as an attempt; `attempted` notes what torch does."""

    def __init__(self, attempted, wide=False):
        super().__init__(lambda *values: None, wide)
        self.space |= {"attempted": attempted, "settle": _settling(torch, self.space)}

    def add(self, gene) -> None:
        """Write the statement that `gene` chooses, or what comes of it."""
        choices = writer.Gene([gene.below(256) for _ in range(5)])
        text = self._statement(gene, gene.below(100))
        if text and choices.below(2) and "\n" not in text:
            text = spoil(text, choices, self.tensors()) or text
        if text:
            self._define(text)
            self.inferred |= "inference_mode" in text
            text = _ATTEMPT.format(body=textwrap.indent(text, "    "))
            exec(text, self.space)  # noqa: S102 - a program
            self.lines.append(text)
            self._drop_others()

    def _drop_others(self) -> None:
        """Tensors that other statements cannot do with go at once."""
        for name, t in self.tensors().items():
            if t.device.type != "cpu" or t.layout is not torch.strided or t.is_complex():
                self._execute(f"del {name}")
        self._drop_large()


def _settling(package, space):
    """A function that has what waits computed: errors that come later belong to this statement, too."""
    def settle():
        for value in list(space.values()):
            if isinstance(value, package.Tensor) and value.numel() < 100 and value.device.type == "cpu":
                value.detach().sum().item()

    return settle


def write(genes, wide=False) -> tuple[str, list]:
    """The program of these lists of integers, and what torch raised at each of its attempts."""
    attempts: list = []
    torch.manual_seed(0)
    with compare.caught():
        own = Writer(attempts.append, wide)
        for numbers in genes:
            own.add(writer.Gene(numbers))
            if not own.alive:
                break
        return own.finished(), attempts


def run(package, text: str) -> list:
    """The exceptions of the attempts of a program under a package, and what ended it, if something did."""
    attempts: list = []
    space: dict = {"show": lambda *values: None, "attempted": attempts.append}
    space["settle"] = _settling(package, space)
    package.manual_seed(0)
    with compare.caught():
        try:
            exec(compile(running.for_package(package, text), "program.py", "exec"), space)  # noqa: S102 - a program
        except Exception as error:  # noqa: BLE001 - the exception is the result
            attempts.append(error)
    return attempts


# -- what differs

def leaked(error, theirs=None) -> bool:
    """Whether an error is one of JAX's or of numpy's insides: by its class, or by where it comes from and a text that
    PyTorch's has not."""
    if error is None:
        return False
    if any(kind.__module__.partition(".")[0] in ("jax", "jaxlib") for kind in type(error).__mro__):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    parts = os.path.normpath(frames[-1].filename).split(os.sep) if frames else ()
    return bool({"jax", "jaxlib", "numpy"} & {*parts}) and (theirs is None or str(theirs) != str(error))


def difference(want: list, got: list) -> str:
    """What is wrong first with torchlike's attempts beside torch's, "" if nothing is up to where they may differ."""
    for i, (theirs, ours) in enumerate(zip(want, got, strict=False)):
        if leaked(ours, theirs):
            return f"attempt {i}: {_told(ours)} {THROUGH}; torch: {_told(theirs)}"
        if not _alike(theirs, ours):
            if _known(theirs, ours):
                return ""  # what follows has other tensors
            return f"attempt {i}: torch: {_told(theirs)}; torchlike: {_told(ours)}"
    return "" if len(want) == len(got) else f"torch has {len(want)} attempts, torchlike {len(got)}"


def _alike(theirs, ours) -> bool:
    """Whether both refuse with the same class, or ours with one that is derived of PyTorch's; what is not supported may be
    refused by that name."""
    if theirs is None or ours is None:
        return theirs is ours or isinstance(ours, UnsupportedError)
    return isinstance(ours, UnsupportedError) or type(theirs).__name__ in [kind.__name__ for kind in type(ours).__mro__]


def _known(theirs, ours) -> bool:
    """Whether compat/gaps.toml has a reason for it. For an error of what is inside there is none."""
    told = [_told(error) for error in (theirs, ours)]
    return not isinstance(ours, _INSIDE) and any(re.search(text, each) for text in gaps.spoilt() for each in told)


def _told(error) -> str:
    if error is None:
        return "nothing"
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text[:160]}"


def compared(text: str) -> str:
    """What is wrong with a program."""
    return difference(run(torch, text), run(torchlike, text))


def check(genes, wide=False) -> tuple[str, str]:
    """(text, what is wrong) of the program of these genes."""
    text, attempts = write(genes, wide)
    found = difference(attempts, run(torchlike, text))
    return text, found and compared(text)


def shortened(text: str) -> str:
    """A shorter program of which the same is wrong."""
    return running.shortened(text, compared, lambda found: found.partition(": ")[2])
