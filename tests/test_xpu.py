"""`torch.xpu`, `torch.mps` and `torch.mtia`: absent devices, which answer as those of PyTorch's build for the CPU."""

import inspect

import pytest
import torch

import torchlike

SPACES = ("xpu", "mps", "mtia")
# PyTorch's stop at their arguments, at a package that is not installed, or at a name that its build has not.
OTHERWISE = frozenset(str.split(
    "xpu.change_current_allocator xpu.clock_rate xpu.device_memory_used xpu.memory_usage xpu.power_draw xpu.temperature "
    "xpu.utilization xpu.graph_pool_handle xpu.make_graphed_callables xpu.use_mem_pool "
    "xpu.reset_accumulated_memory_stats xpu.reset_peak_memory_stats xpu.set_rng_state xpu.set_rng_state_all xpu.stream "
    "mps.load_metallib mps.set_per_process_memory_fraction mps.set_rng_state mtia.attach_out_of_memory_observer "
    "mtia.set_rng_state mtia.set_rng_state_all mtia.set_stream mtia.is_fbcode mtia.is_prod"))
NAMES = [f"{space}.{name}" for space in SPACES for name in sorted(getattr(torch, space).__all__)
         if inspect.isroutine(getattr(getattr(torch, space), name)) and f"{space}.{name}" not in OTHERWISE]


def outcome(lib, path, *args):
    """What a call with zeros for its arguments gives: a value, or the type and text of its error."""
    space, name = path.split(".")
    function = getattr(getattr(torch, space), name)
    required = [p for p in inspect.signature(function).parameters.values()
                if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    try:
        return getattr(getattr(lib, space), name)(*(args or [0] * len(required)))
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error)


@pytest.mark.parametrize("path", NAMES)
def test_answers(path):
    assert outcome(torchlike, path) == outcome(torch, path)


@pytest.mark.parametrize("path", ["xpu.Event", "xpu.Stream", "xpu.XPUGraph", "xpu.MemPool", "mtia.MTIAGraph"])
def test_classes_cannot_be_instantiated(path):
    space, name = path.split(".")
    with pytest.raises(RuntimeError) as theirs:
        getattr(getattr(torch, space), name)()
    with pytest.raises(RuntimeError) as ours:
        getattr(getattr(torchlike, space), name)()
    assert str(ours.value) == str(theirs.value)
    assert not isinstance(0, getattr(getattr(torchlike, space), name))


def test_event_of_mps_cannot_be_instantiated():  # PyTorch's complains of itself once more when it is deleted
    with pytest.raises(RuntimeError, match=r"Cannot execute acquireEvent\(\) without MPS backend\."):
        torchlike.mps.Event()


def test_blocks():
    for lib in (torch, torchlike):
        with lib.xpu.stream(None):
            pass
        for block in (lib.xpu.device(0), lib.xpu.device_of(lib.ones(1))):
            with pytest.raises(NotImplementedError, match="compiled without XPU"), block:
                pass
