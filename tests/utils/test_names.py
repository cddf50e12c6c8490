"""Names that little is behind: what PyTorch's do, or why they are refused."""

import warnings

import pytest
import torch
import torch.utils._python_dispatch

import torchlike

BOTH = (torch, torchlike)


def warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    return result, [(each.category, str(each.message)) for each in found]


def moved(lib, mod):
    def function():
        """Nothing."""

    lib.utils.set_module(function, mod)
    return function.__module__


PROGRAMS = {
    "push": lambda t: warned(lambda: type(t.utils._python_dispatch.TorchDispatchMode.push()).__name__),
    "modes": lambda t: [f() if callable(f) else f for f in (
        t.utils._python_dispatch.TorchDispatchMode.supports_higher_order_operators,
        t.utils._python_dispatch.TorchDispatchMode.ignore_compile_internals)],
    "shared": lambda t: warned(lambda: t.autograd.function.FunctionCtx().mark_shared_storage((1, 2))),
    "module": lambda t: moved(t, "a.b"),
    "no module": lambda t: moved(t, 3),
    "activities": lambda t: [t.autograd.ProfilerActivity is t.profiler.ProfilerActivity,
                             str(t.autograd.ProfilerActivity.CPU), issubclass(t.serialization.SourceChangeWarning, Warning)],
    "types": lambda t: [str(t.nn.Linear.T_destination), str(t.optim.SGD.OptimizerPreHook),
                        str(t.optim.Adam.OptimizerPostHook)],
    "trees": lambda t: [str(getattr(t.utils._pytree, n)).replace("torchlike", "torch") for n in (
        "FlattenFn", "UnflattenFn", "DumpableContext", "ToDumpableContextFn", "FromDumpableContextFn", "PyTreeSpec")],
    "results": lambda t: [t.return_types.max in t.return_types.all_return_types, t.return_types.pytree_register_structseq(
        t.return_types.max) if t is torchlike else None],
    "padded": lambda t: t.ones(2).to_padded_tensor(0.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_torch(name):
    found = []
    for lib in BOTH:
        try:
            found.append(PROGRAMS[name](lib))
        except (TypeError, NotImplementedError) as error:
            found.append((type(error), str(error).split(" This could be")[0]))
    assert found[1] == found[0]


@pytest.mark.parametrize("name", [
    "autograd.NestedIOFunction", "utils.rename_privateuse1_backend", "utils.generate_methods_for_privateuse1_backend",
    "utils.ThroughputBenchmark", "utils.get_cpp_backtrace"])
def test_refusals(name):
    space, _, last = name.partition(".")
    assert hasattr(getattr(torch, space), last)
    with pytest.raises(torchlike.UnsupportedError, match=last):
        getattr(getattr(torchlike, space), last)()
