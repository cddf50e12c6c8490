"""Every kind of kernel keeps the whole contract of `Kernel`."""

import jax
import jax.numpy as jnp
import pytest

import torchlike
from torchlike._base import dtypes as dt
from torchlike._base.device import CPU
from torchlike._compile import jax_private, kernels, picks
from torchlike._compile.avals import aval
from torchlike._compile.kernels import AuxKernel, Kernel, TracedKernel
from torchlike._compile.steps import StepKernel
from torchlike._ops.all import ROWS

FIELDS = ("calls", "carries", "device", "function", "ins", "jaxpr", "jitted", "name", "numbers", "outs", "pieces", "plans",
          "producers", "reads", "recipe", "row", "spec")
FORM = aval((3,), dt.float32)


def scaled():
    return TracedKernel("scaled", lambda p, g, number: (p - g * number.astype(g.dtype),), (FORM, FORM), (float,), CPU)


KINDS = {
    TracedKernel: scaled,
    AuxKernel: lambda: AuxKernel("noted", lambda x: ((x + 1,), "note"), (FORM,), (), CPU),
    picks.Picked: lambda: picks.of_row(ROWS["select.int"], (FORM,), (0, 1), CPU),
    StepKernel: lambda: StepKernel((scaled(), scaled()), ()),
}


def missing(kernel: Kernel) -> list:
    """The fields that a kernel lacks."""
    return [name for name in FIELDS if not hasattr(kernel, name)]


def kinds(of) -> set:
    """The classes below `of`, as far as torchlike defines them."""
    found = {kind for kind in of.__subclasses__() if kind.__module__.startswith("torchlike.")}
    return found | {each for kind in found for each in kinds(kind)}


def test_every_kind_is_tested():
    assert kinds(Kernel) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_has_every_field(kind):
    made = KINDS[kind]()
    assert type(made) is kind
    assert missing(made) == []
    assert len(made.producers) == len(made.reads) == len(made.carries) == len(made.outs)
    assert all(isinstance(piece, TracedKernel) for piece in made.pieces)


def test_a_kind_that_is_not_constructed_is_seen():
    class Planted(TracedKernel):
        __slots__ = ()

        def __init__(self):
            self.name, self.ins = "planted", ()

    assert {"outs", "plans", "reads"} <= set(missing(Planted()))


def test_a_kind_without_pieces_cannot_be_made():
    class Planted(Kernel):
        __slots__ = ()

    with pytest.raises(TypeError, match="abstract"):
        Planted("planted", lambda x: (x,), (FORM,), (), CPU)


def test_what_a_step_reads_is_read_of_its_parts():
    step = StepKernel((scaled(), scaled()), ())
    assert step.reads == ((True, False, True, False, True), (False, True, False, True, True))


def test_the_note_of_a_trace_is_kept():
    assert KINDS[AuxKernel]().aux == "note"


def test_the_cache_starts_anew():
    cache = kernels.KernelCache()
    first = cache.intern("key", scaled)
    assert cache.intern("key", scaled) is first and cache.generation == 0
    cache.start_anew()
    assert cache.intern("key", scaled) is not first and cache.generation == 1


@pytest.mark.skipif(jax_private._traced is None, reason="another jax")
def test_starting_anew_gives_up_what_jax_traced():
    jax.jit(lambda x: jnp.where(x > 0, x, 1)).trace(jax.ShapeDtypeStruct((4, 3), jnp.float32))
    assert jax_private._traced.cache_info().currsize
    kernels.KernelCache().start_anew()
    assert jax_private._traced.cache_info().currsize == 0
    assert torchlike.ones(3, 5).where(torchlike.tensor(True), 2).sum().item() == 15
