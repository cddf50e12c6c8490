"""`torch.compile` and `torch.compiler`, compared with PyTorch's (there with a backend that needs no compiler)."""

import copy
import functools
import hashlib
import inspect
import io
import itertools
import pickle
import threading

import pytest
import torch

import torchlike
from compat.api import later
from compat.compare import check
from compat.compare.tolerances import EXACT
from torchlike._compile import disk_cache, kernels
from torchlike._compile.executors import hot as hot_compiler
from torchlike._record.caches import caches

BOTH = (torch, torchlike)
pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's compiler warns of PyTorch


def compiled(lib, model=None, **options):
    """`compile`; PyTorch's without a compiler."""
    if lib is torch:
        options.setdefault("backend", "eager")
    return lib.compile(model, **options)


class Net(torchlike.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.scale = torchlike.nn.Linear(3, 2), 2.0

    def forward(self, x):
        return self.lin(x) * self.scale


def net(lib):
    """A module with a child and an attribute of its own."""
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.scale = lib.nn.Linear(3, 2), 2.0

        def forward(self, x):
            return self.lin(x) * self.scale

        def twice(self, x):
            return self(self(x) @ lib.ones(2, 3))

    lib.manual_seed(0)
    return Net()


def raised(call, *args):
    """The error of a call."""
    try:
        call(*args)
    except Exception as error:  # noqa: BLE001 - compared
        return error
    raise AssertionError("no error")


# -- functions

def test_function_decorator_and_decorator_with_arguments():
    def outcomes(lib):
        def f(x, y=1):
            """Its words."""
            return x.sin() + y

        x = lib.tensor([0.0, 1.0])
        made = [compiled(lib, f), compiled(lib)(f), compiled(lib, fullgraph=True, dynamic=False)(f),
                compiled(lib, mode="default")(f), compiled(lib, options={})(f)]
        return [(g(x, y=2).tolist(), g.__name__, g.__doc__, g._torchdynamo_orig_callable is f) for g in made]

    theirs, mine = map(outcomes, BOTH)
    assert [o[1:] for o in mine] == [o[1:] for o in theirs]
    for a, b in zip(mine, theirs, strict=True):
        assert a[0] == pytest.approx(b[0])


def test_gradients_pass_through():
    for lib in BOTH:
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        compiled(lib, lambda x: (x * x).sum())(x).backward()
        assert x.grad.tolist() == [2.0, 4.0]


def test_nothing_is_stale():
    """Globals, closures and attributes are looked up in each call; PyTorch recompiles for them."""
    for lib in BOTH:
        state = {"factor": 2.0}
        f = compiled(lib, lambda x, state=state: x * state["factor"] if state["factor"] > 1 else x - 1)
        x = lib.tensor([3.0])
        found = [f(x).item()]
        state["factor"] = 4.0
        found.append(f(x).item())
        state["factor"] = 0.5
        found.append(f(x).item())
        assert found == [6.0, 12.0, 2.0]


def test_disabled_is_the_function_itself():
    for lib in BOTH:
        def f(x):
            return x

        module = net(lib)
        assert compiled(lib, f, disable=True) is f and compiled(lib, module, disable=True) is module
        assert compiled(lib, disable=True)(f) is f


def test_a_compiled_function_is_not_compiled_twice():
    for lib in BOTH:
        def f(x):
            return x + 1

        assert compiled(lib, compiled(lib, f))._torchdynamo_orig_callable is f
    module = net(torchlike)  # PyTorch makes a function of this
    assert torchlike.compile(torchlike.compile(module))._orig_mod is module


def test_methods_partials_and_classes():
    def outcomes(lib):
        module = net(lib)
        bound = compiled(lib, module.twice)(lib.ones(1, 3)).tolist()
        part = compiled(lib, functools.partial(lib.add, alpha=2))(lib.ones(1), lib.ones(1)).tolist()

        class Callable:
            def __call__(self, x):
                return x * 3

        same = compiled(lib, Callable) is Callable
        return bound, part, same, Callable()(lib.ones(1)).tolist()

    theirs, mine = map(outcomes, BOTH)
    assert mine[1:] == theirs[1:] and mine[0] == [pytest.approx(theirs[0][0])]


ERRORS = [
    lambda lib: lib.compile(lambda x: x, mode="nosuch"), lambda lib: lib.compile(lambda x: x, backend="nosuch"),
    lambda lib: lib.compile(lambda x: x, mode="default", options={}), lambda lib: lib.compile(3),
    lambda lib: lib.compile()(None), lambda lib: lib.compile(3, disable=True),
    lambda lib: lib.compile(lambda x: x, nosuch=1),
    lambda lib: lib.nn.Linear(1, 1).compile(mode="nosuch"), lambda lib: lib.nn.Linear(1, 1).compile(backend="nosuch"),
    lambda lib: lib.compiler.allow_in_graph(3), lambda lib: lib.compiler.disable(3),
    lambda lib: len(compiled(lib, lib.nn.Linear(1, 1))),
]


@pytest.mark.parametrize("call", ERRORS, ids=range(len(ERRORS)))
def test_errors(call):
    errors = [raised(call, lib) for lib in BOTH]
    assert str(errors[0]) == str(errors[1])
    assert type(errors[0]).__name__ == type(errors[1]).__name__
    assert isinstance(errors[1], RuntimeError) == isinstance(errors[0], RuntimeError)


def test_unsupported_backends():
    for backend in (lambda graph, inputs: graph, "tvm"):
        with pytest.raises(torchlike.UnsupportedError, match="backend"):
            torchlike.compile(lambda x: x, backend=backend)


def test_signature():
    theirs, mine = map(inspect.signature, (torch.compile, torchlike.compile))
    added = later.ARGUMENTS["torch.compile"]
    assert [(p.name, p.kind, p.default) for p in mine.parameters.values() if p.name not in added] == \
        [(p.name, p.kind, p.default) for p in theirs.parameters.values()]


# -- modules

def test_optimized_module():
    def outcomes(lib):
        module = net(lib)
        made = compiled(lib, module)
        found = {
            "class": type(made).__name__, "same": made._orig_mod is module, "module": isinstance(made, lib.nn.Module),
            "keys": [*made.state_dict()], "names": [name for name, _ in made.named_parameters()],
            "modules": [name for name, _ in made.named_modules()], "params": made.lin.weight is module.lin.weight,
            "scale": made.scale, "training": made.training,
        }
        made.eval()
        found["evaluating"] = module.training, module.lin.training, made.training
        module.train()
        found["again"] = made.training
        made.scale = 3.0
        found["set"] = module.scale
        made.extra = lib.nn.Linear(1, 1)
        found["added"] = [*module._modules]
        del made.extra
        found["deleted"] = [*module._modules], hasattr(made, "extra"), "twice" in dir(made)
        made.load_state_dict({key: lib.ones_like(value) for key, value in made.state_dict().items()})
        found["values"] = made(lib.ones(1, 3)).tolist(), made.twice(lib.ones(1, 3)).tolist()
        found["repr"] = repr(made)
        found["forward"] = made.forward(lib.ones(1, 3)).tolist()
        return found

    theirs, mine = map(outcomes, BOTH)
    assert mine == theirs


def test_len_of_a_container():
    for lib in BOTH:
        assert len(compiled(lib, lib.nn.Sequential(lib.nn.ReLU(), lib.nn.ReLU()))) == 2


def test_unknown_attributes():
    texts = [str(raised(getattr, compiled(lib, net(lib)), "nosuch")) for lib in BOTH]
    assert texts[0] == texts[1]


def test_hooks_run_once():
    for lib in BOTH:
        module, calls = net(lib), []
        module.register_forward_hook(lambda m, args, out, calls=calls: calls.append("inner"))
        made = compiled(lib, module)
        made.register_forward_pre_hook(lambda m, args, calls=calls: calls.append("outer"))
        made(lib.ones(1, 3))
        assert calls == ["outer", "inner"]


def test_training_a_compiled_module():
    def losses(lib):
        made = compiled(lib, net(lib))
        with lib.no_grad():
            for p in made.parameters():
                p.fill_(0.5)
        optimizer = lib.optim.SGD(made.parameters(), lr=0.1)
        found = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = made(lib.ones(2, 3)).square().mean()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    assert losses(torchlike) == pytest.approx(losses(torch))


def test_in_place():
    def outcomes(lib):
        module = net(lib)
        before = module._compiled_call_impl is None
        module.compile(**({"backend": "eager"} if lib is torch else {}))
        with lib.no_grad():
            for p in module.parameters():
                p.fill_(1.0)
        calls = []
        module.register_forward_hook(lambda m, args, out: calls.append(1))
        values = module(lib.ones(1, 3)).tolist()
        copied = copy.deepcopy(module)
        return (before, module._compiled_call_impl is None, [*module.state_dict()], values, calls,
                copied._compiled_call_impl is None, copied(lib.ones(1, 3)).tolist())

    theirs, mine = map(outcomes, BOTH)
    assert mine == theirs


def test_a_copy_of_a_module_that_was_compiled_in_place_is_its_own():
    module = net(torchlike)
    module.compile()
    module.compile()
    copied = copy.deepcopy(module)
    copied.lin.weight.data.zero_()
    copied.lin.bias.data.zero_()
    assert copied(torchlike.ones(1, 3)).tolist() == [[0.0, 0.0]]
    assert module(torchlike.ones(1, 3)).tolist() != [[0.0, 0.0]]
    assert "forward" not in copied.__dict__


def test_pickles():
    made = torchlike.compile(Net())
    x = torchlike.ones(1, 3)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert type(again) is type(made) and again(x).tolist() == made(x).tolist()
        assert again._orig_mod is not made._orig_mod
    file = io.BytesIO()
    torchlike.save(made.state_dict(), file)
    file.seek(0)
    made.load_state_dict(torchlike.load(file))


# -- what it does

def hot(function):
    """(hot runs, cold runs) of a call."""
    before = torchlike.counters()
    function().tolist()
    after = torchlike.counters()
    return after["hot_runs"] - before["hot_runs"], after["cold_runs"] - before["cold_runs"]


def test_the_first_run_is_compiled():
    x = torchlike.ones(7, 3)

    def f():
        return (x.cosh() * 3 + x).sum(1)

    with torchlike.configure(compile="background"):
        assert hot(torchlike.compile(f)) == (1, 0)
    torchlike.compiler.reset()
    with torchlike.configure(compile="background"):
        assert hot(f) == (0, 1)
    torchlike.compiler.reset()
    with torchlike.configure(compile="background"):
        assert hot(torchlike.compile(f, backend="eager")) == (0, 1)
    torchlike.compiler.reset()
    with torchlike.configure(compile="off"):
        assert hot(torchlike.compile(f)) == (0, 1)


def test_each_part_of_a_call_that_looks_at_values_is_compiled():
    torchlike.compiler.reset()
    x = torchlike.ones(5, 3)

    def f():
        y = x.sinh().sum()
        return x * y.item()

    with torchlike.configure(compile="background"):
        assert hot(torchlike.compile(f)) == (2, 0)
        assert hot(lambda: x + 5) == (0, 1)


def test_other_threads_are_not_affected():
    torchlike.compiler.reset()
    entered, done, found = threading.Event(), threading.Event(), []

    def other():
        entered.wait()
        found.append(hot(lambda: torchlike.ones(9, 2).cos() + 1))
        done.set()

    def f():
        entered.set()
        done.wait()
        return torchlike.ones(9, 2).sin()

    thread = threading.Thread(target=other)
    with torchlike.configure(compile="background"):
        thread.start()
        torchlike.compile(f)()
        thread.join()
    assert found == [(0, 1)]


def test_a_call_that_raises_leaves_nothing():
    torchlike.compiler.reset()

    def f():
        raise ZeroDivisionError

    with torchlike.configure(compile="background"):
        torchlike.ones(1).tolist()
        with pytest.raises(ZeroDivisionError):
            torchlike.compile(f)()
        torchlike.ones(2).exp().tolist()  # the trace that the call was part of
        assert hot(lambda: torchlike.ones(2).sqrt() + 2) == (0, 1)


# -- torch.compiler

def test_compiler_namespace():
    def outcomes(lib):
        def f(x):
            return x + 1

        c = lib.compiler
        x = lib.ones(1)
        return (c.is_compiling(), c.is_dynamo_compiling(), c.is_exporting(), c.disable(f)(x).item(),
                c.disable()(f)(x).item(), c.disable(recursive=False)(f)(x).item(), c.allow_in_graph(f) is f,
                c.allow_in_graph([f, f]) == [f, f],
                c.assume_constant_result(f)(x).item(), c.cudagraph_mark_step_begin(), c.reset(), c.get_default_backend(),
                compiled(lib, f)(x).item(), {"inductor", "cudagraphs", "openxla"} <= {*c.list_backends()},
                "eager" in c.list_backends(), "eager" in c.list_backends(None))

    assert outcomes(torchlike) == outcomes(torch)


def test_nested_regions():
    def outcomes(lib):
        def f(x):
            return x + 1

        region, x = lib.compiler.nested_compile_region, lib.ones(1)
        return region(f)(x), region()(f)(x), region(max_reuse_entries=3)(f)(x), region(f, options={})

    check(outcomes, tolerance=EXACT)


def test_default_backend():
    try:
        torchlike.compiler.set_default_backend("eager")
        assert torchlike.compiler.get_default_backend() == "eager"
        with pytest.raises(RuntimeError, match="Invalid backend: 'nosuch'"):
            torchlike.compiler.set_default_backend("nosuch")
    finally:
        torchlike.compiler.set_default_backend(None)
    assert torchlike.compiler.get_default_backend() == "inductor"


def test_reset_keeps_what_is_recorded():
    x = torchlike.ones(2).requires_grad_()
    y = (x * 3).sum()
    torchlike.compiler.reset()
    y.backward()
    assert x.grad.tolist() == [3.0, 3.0] and y.item() == 6.0


def test_optimized_module_under_its_private_name():
    with torchlike.install(force=True):
        scope = {}
        exec("import torch\nfrom torch._dynamo import OptimizedModule\n"
             "from torch._dynamo.eval_frame import OptimizedModule as Same\n"
             "ok = isinstance(torch.compile(torch.nn.ReLU()), OptimizedModule) and Same is OptimizedModule", scope)
        assert scope["ok"]


# -- guards and caches

class Entry:
    """What PyTorch's filters ask of a guard."""

    def __init__(self, guard_type, is_global, value, of_nn, built_in):
        self.guard_type, self.is_global, self.value = guard_type, is_global, value
        self.of_nn, self.built_in = of_nn, built_in
        self.orig_guard = self.source = self

    def is_unspecialized_nn_module(self):
        return self.of_nn

    def is_unspecialized_builtin_nn_module(self):
        return self.built_in


def test_filters_of_guards():
    def outcomes(lib):
        values = (lib.ones(1), lib.nn.Parameter(lib.ones(1)), 3)
        entries = [Entry(*each) for each in itertools.product(
            ("GLOBAL_STATE", "SHAPE_ENV", "TENSOR_MATCH", "ID_MATCH"), (False, True), values, (False, True), (False, True))]
        c = lib.compiler
        return [filtered(entries) for filtered in (
            c.keep_portable_guards_unsafe, c.keep_tensor_guards_unsafe, c.skip_all_guards_unsafe,
            c.skip_guard_on_globals_unsafe, c.skip_guard_on_all_nn_modules_unsafe, c.skip_guard_on_inbuilt_nn_modules_unsafe,
            lambda entries: c.keep_tensor_guards_unsafe(entries, keep_parameters=True))]

    check(outcomes, tolerance=EXACT)


def test_guard_collectives():
    check(lambda lib: [lib.compiler.set_enable_guard_collectives(value) for value in (True, True, False, False)],
          tolerance=EXACT)


def test_cache_info():
    def outcomes(lib):
        class Artifact:
            key = "key"

            def __init__(self, kind):
                self.type = lambda: kind

        info = lib.compiler.CacheInfo()
        found = [info.empty(), info == lib.compiler.CacheInfo()]
        for kind in ("inductor", "autotune", "aot_autograd", "pgo", "precompile", "other"):
            info.add(Artifact(kind))
        found += [info.inductor_artifacts, info.autotune_artifacts, info.aot_autograd_artifacts, info.pgo_artifacts,
                  info.precompile_artifacts, info.empty(), repr(info)]
        info.clear()
        return found, info.empty()

    check(outcomes, tolerance=EXACT)


@pytest.mark.filterwarnings("ignore")
def test_artifacts_are_used_elsewhere(tmp_path):
    def loss():
        return torchlike.arange(7.0).sin().cos().sum().item()

    loss()  # what was recorded before has run
    with torchlike.configure(compile="now", cache=str(tmp_path / "one")):
        kernels.cache.start_anew()
        caches.clear()
        value = loss()
        hot_compiler.compiler.wait()
        packed, info = torchlike.compiler.save_cache_artifacts()
        assert info.artifacts["xla"] and not info.empty()
    with torchlike.configure(compile="now", cache=str(tmp_path / "two")):
        loaded = torchlike.compiler.load_cache_artifacts(packed)
        assert loaded.artifacts == info.artifacts
        kernels.cache.start_anew()
        caches.clear()
        hits = torchlike.counters()["cache_hits"]
        assert loss() == value and torchlike.counters()["cache_hits"] > hits
        for damaged in (packed[:-1], packed[:-1] + bytes([packed[-1] ^ 1]), b"", b"x", 3):
            assert torchlike.compiler.load_cache_artifacts(damaged) is None
    with torchlike.configure(cache="off"):
        assert torchlike.compiler.save_cache_artifacts() is None
        assert torchlike.compiler.load_cache_artifacts(packed).artifacts == {"xla": []}


def test_names_of_artifacts_stay_in_the_folder(tmp_path):
    body = disk_cache._part(b"../escaped") + disk_cache._part(b"data")
    packed = disk_cache._MAGIC + hashlib.sha256(body).digest() + body
    with torchlike.configure(cache=str(tmp_path / "folder")):
        assert torchlike.compiler.load_cache_artifacts(packed) is None
    assert not (tmp_path / "escaped").exists()
