"""``__torch_function__``, subclasses of Tensor and modes, against torch; and what they cost where there are none."""

import json
import subprocess
import sys
import types

import pytest
import torch

import torchlike
from tests.overrides import programs
from torchlike import overrides
from torchlike.overrides import _AS_METHOD as AS_METHODS

TITLES = [*("s: " + each for each in programs.statements(programs.CALLS)),
          *("f: " + each for each in programs.statements(programs.FOREIGN)),
          *("mode: " + each for each in programs.statements(programs.WITHIN_MODE)), *programs.PROGRAMS]


def process(*arguments) -> str:
    """What Python prints; of its own, as nothing undoes `activate`."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.slow
def test_as_torch():
    """One test, for both processes take a while."""
    theirs, ours = (json.loads(process("-m", "tests.overrides.programs", library)) for library in ("torch", "torchlike"))
    assert list(theirs) == TITLES
    assert {title: ours[title] for title in TITLES if ours[title] != theirs[title]} == {}


@pytest.mark.slow
@pytest.mark.parametrize("expression", ["torch.add(f, 1)", "torch.special.bessel_j0(f)", "x + f", "x.mul(f)"])
def test_the_very_first_call(expression):
    """Of a class that is no subclass of Tensor nothing is known before it."""
    text = (f"import torchlike as torch; x = torch.ones(2)\nclass F:\n    @classmethod\n"
            f"    def __torch_function__(cls, func, types, args=(), kwargs=None): return func.__name__, len(args)\n"
            f"f = F(); first = {expression}; second = {expression}; print(first[0], second[0])")
    first, second = process("-c", text).split()
    assert first == second


@pytest.mark.slow
def test_nothing_is_changed_before_it_is_needed():
    """Classes cost nothing until there is an instance."""
    text = ("import torchlike as torch\nclass S(torch.Tensor): pass\nbefore = torch.add.__code__\nx = torch.ones(2)\n"
            "assert torch.add.__code__ is before\nx.as_subclass(S)\nassert torch.add.__code__ is not before\n"
            "assert (x + 1).tolist() == [2, 2] and type(x + 1) is torch.Tensor and 'alpha' in str(__import__('inspect')"
            ".signature(torch.add))\nprint('right')")
    assert process("-c", text).strip() == "right"


def named(library) -> set:
    """The names of all functions that can be taken over, in the spaces of torch that programs know."""
    by_space = library.overrides.get_overridable_functions()
    names = {library.overrides.resolve_name(f) for found in by_space.values() for f in found}
    return {name.replace("torch.functional.", "torch.") for name in names if name}


def our_object(name):
    """What torchlike has under the name, or None."""
    found = torchlike
    for part in name.split(".")[1:]:
        found = vars(found).get(part) if isinstance(found, type) else getattr(found, part, None)
    return found


def test_who_can_be_taken_over():
    """Whatever can be in torch can be here, by this name or another of the same function."""
    ours = {overrides.resolve_name(f): f for found in overrides.get_overridable_functions().values() for f in found}
    functions = {id(f) for f in ours.values()}
    missing = [name for name in named(torch) if isinstance(our_object(name), types.FunctionType) and name not in ours
               and not hasattr(our_object(name), "refusal")
               and id(our_object(name)) not in functions and name.rpartition(".")[2] not in AS_METHODS]
    assert sorted(missing) == []


def test_whose_arguments_are_not_looked_at():
    """PyTorch lists some as ignored, and looks at their arguments all the same."""
    ignored = {torch.overrides.resolve_name(f) for f in torch.overrides.get_ignored_functions()}
    found = {name for name in named(torchlike) & ignored if not name.startswith("torch.Tensor.")}
    assert {name.rpartition(".")[2] for name in found} == {
        "as_strided", "fill", "from_file", "hardsigmoid", "hardswish", "mkldnn_rnn_layer", "normal", "rand_like",
        "randint_like", "randn_like", "result_type", "sigmoid", "tanh", "upsample", "upsample_bilinear", "upsample_nearest",
        "vander"}
