"""What XLA is asked for: which buffers it may overwrite, with which options, how many kernels at once."""

import types

import jax
import numpy as np
import pytest

import torchlike as torch
from torchlike._compile import avals, kernels, splice
from torchlike._compile.backends import xla
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.parallel import compile_together
from torchlike._compile.program import Call, Input, Program

F32 = torch.float32
FORM = avals.aval((4,), F32, torch.device("cpu"))
ON_CPU, ON_GPU = backend_of(torch.device("cpu")), backend_of(torch.device("cuda", 0))
OTHER = avals.aval((2,), F32, torch.device("cpu"))


SMALL = 4, "products"


def kernel(n_operands, outs=(FORM,)):
    """What `_overwritten` looks at."""
    return types.SimpleNamespace(outs=outs, numbers=(), operands=n_operands)


def pairs(items, live, may_donate):
    return splice._overwritten(Program(items, live, may_donate, ()))


def test_an_update_takes_the_buffer_of_its_first_operand():
    """p, g -> p + g: the result goes where p was, not where g was."""
    items = [Input(FORM), Input(FORM), Call(kernel(2), (0, 1))]
    assert pairs(items, (2,), (0, 1)) == {0: 0}


def test_a_step_with_several_results_pairs_each_with_its_own_operand():
    step = Call(kernel(3, (FORM, FORM, FORM)), (2, 0, 1))
    assert pairs([Input(FORM), Input(FORM), Input(FORM), step], (5, 3, 4), (0, 1, 2)) == {0: 2, 1: 0, 2: 1}


def test_a_buffer_that_is_read_later_pairs_with_its_last_reader():
    items = [Input(FORM), Call(kernel(1), (0,)), Call(kernel(1), (0,))]
    assert pairs(items, (1, 2), (0,)) == {0: 1}


@pytest.mark.parametrize(("outs", "live", "may_donate"), [
    ((OTHER,), (1,), (0,)),  # another form
    ((FORM,), (), (0,)),     # nobody holds the result
    ((FORM,), (1,), ()),     # somebody else holds the buffer
])
def test_no_pair(outs, live, may_donate):
    assert pairs([Input(FORM), Call(kernel(1, outs), (0,))], live, may_donate) == {}


def test_results_arrive_in_the_order_they_were_asked_for():
    """Whatever order the donation asks of XLA, each tensor gets its own value."""
    with torch.configure(compile="now"):
        for _ in range(3):
            a, b, c = torch.arange(4.0), torch.ones(4), torch.full((4,), 7.0)
            [t.tolist() for t in (a, b, c)]
            fresh = a * 2
            c.mul_(3)
            b.add_(a)
            assert (fresh.tolist(), b.tolist(), c.tolist()) == ([0, 2, 4, 6], [1, 2, 3, 4], [21] * 4)


# -- options

class Lowered:
    """Stands for jax.stages.Lowered under a jaxlib that lacks `unknown`."""

    def __init__(self, *unknown):
        self.unknown, self.asked = unknown, []

    def compile(self, compiler_options=None):
        self.asked.append(set(compiler_options or ()))
        for name in self.unknown:
            if name in self.asked[-1]:
                raise jax.errors.JaxRuntimeError(f"INVALID_ARGUMENT: No such compile option: '{name}'")
        return "compiled"


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.setattr(xla, "_missing", set())


@pytest.mark.usefixtures("fresh")
def test_an_option_that_this_jaxlib_lacks_is_dropped_for_good():
    lowered = Lowered("xla_cpu_use_fusion_emitters", "xla_cpu_experimental_ynn_fusion_type")
    assert xla.compiled(lowered, ON_CPU.kernel_options(*SMALL)) == "compiled"
    assert [len(asked) for asked in lowered.asked] == [4, 3, 2]
    again = Lowered()
    assert xla.compiled(again, ON_CPU.kernel_options(*SMALL)) == "compiled"
    assert again.asked == [{"xla_backend_optimization_level", "xla_allow_excess_precision"}]


@pytest.mark.usefixtures("fresh")
def test_any_other_failure_is_xlas():
    class Failing(Lowered):
        def compile(self, compiler_options=None):
            raise jax.errors.JaxRuntimeError("out of memory")

    with pytest.raises(jax.errors.JaxRuntimeError, match="out of memory"):
        xla.compiled(Failing(), ON_CPU.program_options(()))
    assert not xla._missing


@pytest.mark.skipif(not (0, 10) <= jax.__version_info__ < (0, 11),
                    reason="an older jaxlib lacks one option and its library, a newer one the fusion emitters' switch")
def test_this_jaxlib_knows_every_option():
    """Else the figures in docs/design.md are not this machine's."""
    lowered = jax.jit(lambda x: x + 1).lower(np.float32(0))
    for elements in (4, 10_000, 10**6):
        lowered.compile(compiler_options=ON_CPU.kernel_options(elements, "products"))


def test_only_the_cpu_gets_its_options():
    lowered = Lowered()
    xla.compiled(lowered, ON_GPU.kernel_options(*SMALL))
    xla.compiled(lowered, ON_GPU.program_options(()))
    assert not any("cpu" in name or "backend" in name for asked in lowered.asked for name in asked)


def test_a_gpu_tries_algorithms_for_programs_and_convolutions():
    tried = [options.get("xla_gpu_autotune_level") for options in
             (ON_GPU.kernel_options(*SMALL), ON_GPU.kernel_options(4, "convolutions"), ON_GPU.program_options(()))]
    assert tried == [0, 2, None]


def test_large_kernels_are_compiled_like_programs():
    assert ON_CPU.kernel_options(10**6, "products") == ON_CPU.program_options(()) != {}


# -- together

def test_kernels_are_compiled_together_and_a_failure_waits_for_its_user():
    """A kernel that XLA rejects stops nobody else."""
    class Rejected:
        @property
        def compiled(self):
            raise jax.errors.JaxRuntimeError("rejected")

    good = [kernels.TracedKernel(f"together_{i}", lambda x, i=i: (x + i,), (FORM,), (), FORM.device) for i in range(3)]
    compile_together([good[0], Rejected(), *good[1:]])
    assert all(k.is_compiled for k in good)
