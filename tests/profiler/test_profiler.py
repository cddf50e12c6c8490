"""`torch.profiler`: what a profile has, compared with PyTorch's where the two are comparable."""

import contextlib
import gc
import inspect
import re
import threading
import weakref

import pytest
import torch

import torchlike
from compat.api import later
from tests.profiler.steps import counts, operators, profiled, raised, settled, step
from torchlike._compile.executors import hot
from torchlike._compile.executors.stack import stack
from torchlike._compile.program import for_one_run
from torchlike._ops.all import ROWS
from torchlike.autograd._profiler import names as names
from torchlike.autograd._profiler.recorder import running

BOTH = (torch, torchlike)
CPU = torchlike.profiler.ProfilerActivity.CPU


# -- names and numbers

def test_operators_of_a_training_step():
    theirs, mine = (counts(profiled(lib, step(lib), times=2)) for lib in BOTH)
    shared = ("aten::addmm", "aten::tanh", "aten::relu", "aten::_log_softmax", "aten::nll_loss_forward", "AddmmBackward0",
              "TBackward0", "TanhBackward0", "ReluBackward0", "LogSoftmaxBackward0", "NllLossBackward0",
              "Optimizer.step#SGD.step")
    assert {name: mine[name] for name in shared} == {name: theirs[name] for name in shared}
    assert mine["aten::addmm"] == 6
    nodes = [{name for name in names if re.fullmatch(r"\w+Backward0", name)} for names in (theirs, mine)]
    assert nodes[0] == nodes[1]


def pointwise(lib):
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = lib.tensor([[0.5, 1.0], [1.5, 2.0]])

    def function():
        x.grad = None
        y = (lib.mm(x, w).sigmoid() * w + 1).exp()
        loss = (y.sum(1) / 3).mean()
        loss.backward()
        return loss.item()

    return function


def test_leaves_are_those_of_pytorch():
    theirs, mine = (profiled(lib, pointwise(lib)) for lib in BOTH)
    names = ("aten::mm", "aten::sigmoid", "aten::mul", "aten::add", "aten::exp", "aten::mean", "aten::div")
    forward = {name: sum(event.name == name and "evaluate_function" not in getattr(event.cpu_parent, "name", "")
                         and "Backward" not in getattr(event.cpu_parent, "name", "")
                         for event in theirs.events()) for name in names}
    assert {name: counts(mine)[name] for name in names} == forward
    nodes = {name: count for name, count in counts(theirs).items() if re.fullmatch(r"\w+Backward0", name)}
    computed = {name: count for name, count in counts(mine).items() if name.endswith("Backward0")}
    assert computed.items() <= nodes.items() and {"MmBackward0", "ExpBackward0", "SigmoidBackward0"} <= {*computed}


def test_input_shapes():
    theirs, mine = (profiled(lib, pointwise(lib), record_shapes=True) for lib in BOTH)
    for name in ("aten::mm", "aten::sigmoid", "aten::add", "aten::exp"):
        first, second = (next(e.input_shapes for e in p.events() if e.name == name) for p in (theirs, mine))
        assert first == second, name


def test_times_add_up():
    found = profiled(torchlike, step(torchlike), times=3)
    events = found.events()
    assert all(event.time_range.elapsed_us() >= 0 and event.self_cpu_time_total >= -1e-6 for event in events)
    tops = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(tops)
    averages = found.key_averages()
    assert sum(e.self_cpu_time_total for e in averages) == pytest.approx(events.self_cpu_time_total)
    assert sum(e.count for e in averages) == len(events)
    for average in averages:
        assert average.cpu_time == pytest.approx(average.cpu_time_total / average.count)
    total = averages.total_average()
    assert total.key == "Total" and total.count == len(events)


def test_results_are_the_same():
    # of a size of no other test: where its program is compiled already, "off" uses it, and it rounds otherwise
    plain, watched = (step(torchlike, hidden=7) for _ in range(2))
    with torchlike.configure(compile="off"):
        expected = [plain().item() for _ in range(3)]
        with torchlike.profiler.profile():
            found = [watched().item() for _ in range(3)]
    assert found == expected
    for p, q in zip(plain.model.parameters(), watched.model.parameters(), strict=True):
        assert torchlike.equal(p, q)


def test_compilation_is_no_operators_time():
    shape = (3, 17, 5)  # of no other test

    def function():
        return torchlike.ones(shape).cosh().sum().item()

    with torchlike.configure(compile="kernels"):
        with torchlike.profiler.profile() as first:
            function()
        with torchlike.profiler.profile() as second:
            function()
    compiled = [event for event in first.events() if event.kind == "compilation"]
    assert len(compiled) == 1 and "cosh" in compiled[0].text
    assert not [event for event in second.events() if event.kind == "compilation"]
    cosh = next(event for event in first.events() if event.name == "aten::cosh")
    assert cosh.cpu_time_total < compiled[0].cpu_time_total


def test_memory_is_that_of_the_results():
    def function():
        return (torchlike.ones(10, 100) * 2).sum().item()

    found = profiled(torchlike, function, profile_memory=True).key_averages()
    by_name = {event.key: event for event in found}
    assert by_name["aten::mul"].cpu_memory_usage == by_name["aten::mul"].self_cpu_memory_usage == 4000
    assert by_name["aten::sum"].cpu_memory_usage == 4


def test_flops():
    a, b = torchlike.ones(8, 16), torchlike.ones(16, 32)
    found = profiled(torchlike, lambda: (a @ b).sum().item(), with_flops=True)
    product = next(event for event in found.events() if event.name == "aten::mm")
    assert product.flops == 2 * 8 * 16 * 32
    assert "FLOPs" in found.key_averages().table()


# -- lines

def lines(found, name):
    return {event.stack[0] for event in found.events() if event.name == name and event.stack}


def test_lines_of_operators_and_of_their_gradients():
    x = torchlike.ones(4, requires_grad=True)
    start = inspect.currentframe().f_lineno + 3

    def function():
        a = x.tanh()
        b = a.tanh()
        loss = (a * b).sum()
        loss.backward()
        return loss.item()

    found = profiled(torchlike, function, with_stack=True)
    here = f"{__file__}({{}}): function"
    assert lines(found, "aten::tanh") == {here.format(start), here.format(start + 1)} == lines(found, "TanhBackward0")
    assert lines(found, "aten::mul") == {here.format(start + 2)} == lines(found, "MulBackward0")
    rows = found.key_averages(group_by_stack_n=1)
    assert sorted(row.count for row in rows if row.key == "aten::tanh") == [1, 1]
    assert len([row for row in found.key_averages() if row.key == "aten::tanh"]) == 1
    table = rows.table(sort_by="cpu_time_total", row_limit=-1, max_src_column_width=None)
    assert re.search(rf"aten::tanh .*\({start}\): function", table)


def test_lines_of_gradients_in_a_trace_of_their_own():
    x = torchlike.ones(4, requires_grad=True)
    start = inspect.currentframe().f_lineno + 4

    def function():
        with torchlike.profiler.record_function("forward"):
            y = x.cosh()
        return y.sum().backward()

    found = profiled(torchlike, function, with_stack=True)
    assert lines(found, "CoshBackward0") == {f"{__file__}({start}): function"}


def test_export_stacks(tmp_path):
    found = profiled(torchlike, step(torchlike), with_stack=True)
    path = tmp_path / "stacks"
    found.export_stacks(str(path), "self_cpu_time_total")
    for line in path.read_text().splitlines():
        assert re.fullmatch(r"\S+ \d+", line)
    assert "steps.py" in path.read_text()
    with pytest.raises(ValueError, match="metric should be one of"):
        found.export_stacks(str(path), "nosuch")
    with pytest.raises(AssertionError, match=re.escape("export_stacks() requires with_stack=True")):
        profiled(torchlike, step(torchlike)).export_stacks(str(path))


# -- spans

def ancestors(event):
    while event.cpu_parent is not None:
        event = event.cpu_parent
        yield event.name


def test_record_function_has_its_operators():
    @torchlike.profiler.record_function("decorated")
    def inner(x):
        return x.sinh()

    with torchlike.profiler.profile() as found:
        x = torchlike.ones(3)
        before = x.exp()
        with torchlike.profiler.record_function("outer", "some words"):
            y = x.cos()
            z = inner(x)
        w = (before + y + z).log()
        w.tolist()
    parents = {event.name: [*ancestors(event)] for event in operators(found)}
    assert parents["aten::exp"] == parents["aten::log"] == []
    assert parents["aten::cos"] == ["outer"]
    assert parents["aten::sinh"] == ["decorated", "outer"]
    outer = next(event for event in found.events() if event.name == "outer")
    assert outer.is_user_annotation and outer.text == "some words"


def test_record_function_without_a_profiler_runs_nothing():
    runs = torchlike.counters()["runs"]
    with torchlike.profiler.record_function("x"):
        y = torchlike.ones(2) + 1
    assert torchlike.counters()["runs"] == runs
    assert y.tolist() == [2.0, 2.0]


def test_a_span_that_ends_by_an_error():
    with torchlike.profiler.profile() as found:
        with contextlib.suppress(ZeroDivisionError), torchlike.profiler.record_function("outer"):
            torchlike.profiler.record_function("never left").__enter__()
            raise ZeroDivisionError
        torchlike.ones(2).exp().tolist()
    assert [*ancestors(next(e for e in found.events() if e.name == "aten::exp"))] == []
    assert counts(found)["outer"] == counts(found)["never left"] == 1


def test_steps_are_spans():
    train = step(torchlike)
    schedule = torchlike.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    ready = []
    with torchlike.profiler.profile(schedule=schedule, on_trace_ready=ready.append) as found:
        for _ in range(6):
            train()
            found.step()
    assert ready == [found]
    events = found.events()
    assert [e.trace_name for e in events if e.is_user_annotation and e.name == "ProfilerStep*"] == \
        ["ProfilerStep#2", "ProfilerStep#3"]
    assert counts(found)["aten::tanh"] == 2
    assert all("ProfilerStep*" in ancestors(event) for event in operators(found))
    assert not any(event.kind == "compilation" for event in events)  # warm-up has done that


# -- it costs nothing afterwards, and only its thread

def test_nothing_is_left_after_an_error():
    with contextlib.suppress(ZeroDivisionError), torchlike.profiler.profile():
        _ = torchlike.ones(2) + 1
        raise ZeroDivisionError
    assert settled()
    index = torchlike.tensor([0, 1]) + 2
    with pytest.raises(IndexError, match="index 3 is out of bounds"), torchlike.profiler.profile():
        _ = torchlike.ones(3)[index]
    assert settled()


def test_compiled_programs_run_again_afterwards():
    """Fast: slow tests leave the compiler in the background minutes of work, and this one waits for it."""
    train = step(torchlike)
    with torchlike.configure(compile="now"):
        train()
        train().item()
        assert hot.compiler.wait(60)  # another test may have asked for the same program in the background
        with torchlike.profiler.profile():
            before = torchlike.counters()["hot_runs"]
            train().item()
            assert torchlike.counters()["hot_runs"] == before
        before = torchlike.counters()["hot_runs"]
        train().item()
        assert torchlike.counters()["hot_runs"] > before


def test_other_threads_are_not_timed():
    for lib in BOTH:
        done = []

        def work(lib=lib, done=done):
            done.append(lib.ones(4).sinh().tolist())

        with lib.profiler.profile(activities=[lib.profiler.ProfilerActivity.CPU]) as found:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            lib.ones(4).cosh().tolist()
        assert len(done) == 1
        assert counts(found)["aten::cosh"] == 1 and counts(found)["aten::sinh"] == 0


def test_two_threads_profile_at_once():
    barrier, found = threading.Barrier(2), {}

    def work(name):
        with torchlike.profiler.profile() as p:
            barrier.wait()
            getattr(torchlike.ones(4), name)().tolist()
            barrier.wait()
        found[name] = counts(p, "aten::")

    threads = [threading.Thread(target=work, args=(name,)) for name in ("sinh", "cosh")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[name][f"aten::{name}"] == 1 for name in found) and len(found) == 2
    assert found["sinh"]["aten::cosh"] == found["cosh"]["aten::sinh"] == 0


def test_a_profile_in_a_profile():
    """PyTorch's outer one ends with the inner one; here it has all."""
    with torchlike.profiler.profile() as outer:
        torchlike.ones(2).exp().tolist()
        with torchlike.profiler.profile() as inner, torchlike.profiler.record_function("inside"):
            torchlike.ones(2).sinh().tolist()
        torchlike.ones(2).cosh().tolist()
    assert {*counts(inner, "aten::")} == {"aten::ones", "aten::sinh"}
    assert {*counts(outer, "aten::")} == {"aten::ones", "aten::exp", "aten::sinh", "aten::cosh"}
    sinh = next(event for event in outer.events() if event.name == "aten::sinh")
    assert [*ancestors(sinh)] == ["inside"]
    assert all(event.self_cpu_time_total >= -1e-6 for event in outer.events())


def test_a_profile_that_another_thread_stops():
    found = torchlike.profiler.profile()
    found.start()
    torchlike.ones(2).exp().tolist()
    thread = threading.Thread(target=found.stop)
    thread.start()
    thread.join()
    runs = torchlike.counters()["runs"]
    with torchlike.profiler.record_function("x"):
        y = torchlike.ones(2) + 1
    assert torchlike.counters()["runs"] == runs and y.tolist() == [2.0, 2.0]
    assert counts(found)["aten::exp"] == 1 and running() is None


def test_a_step_that_raises():
    """Its span ends with what is around it, and the next step has one of its own."""
    p = torchlike.nn.Parameter(torchlike.ones(2))
    optimizer = torchlike.optim.SGD([p], lr=0.1)

    def fails():
        raise ZeroDivisionError

    with torchlike.profiler.profile() as found:
        with contextlib.suppress(ZeroDivisionError), torchlike.profiler.record_function("failing"):
            optimizer.step(fails)
        p.grad = torchlike.ones(2)
        optimizer.step()
    assert counts(found)["Optimizer.step#SGD.step"] == 2
    last = [e for e in found.events() if e.name == "Optimizer.step#SGD.step"][-1]
    assert [*ancestors(last)] == [] and "torchlike::sgd_step" in [child.name for child in last.cpu_children]


def test_toggle():
    with torchlike.profiler.profile() as found:
        torchlike.ones(2).exp().tolist()
        found.toggle_collection_dynamic(False, [CPU])
        torchlike.ones(2).cosh().tolist()
        found.toggle_collection_dynamic(True, [CPU])
        torchlike.ones(2).sinh().tolist()
    names = counts(found)
    assert names["aten::exp"] == names["aten::sinh"] == 1 and names["aten::cosh"] == 0


def test_arrays_are_let_go():
    """A profile holds no values."""
    with torchlike.profiler.profile() as found:
        x = torchlike.ones(3) + 1
        x.tolist()
        array = weakref.ref(x._cell.array)
        del x
    gc.collect()
    assert array() is None and len(found.events())


# -- errors

def activity(lib):
    return lib.profiler.ProfilerActivity.CPU


ERRORS = [
    lambda lib: lib.profiler.profile(activities=[]), lambda lib: lib.profiler.profile(activities=["cpu"]),
    lambda lib: lib.profiler.profile(activities=[lib.profiler.ProfilerActivity.CPU] * 2),
    lambda lib: lib.profiler.profile().key_averages(), lambda lib: lib.profiler.profile().events(),
    lambda lib: lib.profiler.profile().export_chrome_trace("x"), lambda lib: lib.profiler.profile().export_stacks("x"),
    lambda lib: lib.profiler.profile().start_trace(), lambda lib: lib.profiler.profile().stop_trace(),
    lambda lib: lib.profiler.profile(nosuch=1), lambda lib: lib.autograd.profiler.profile(use_cpu=False),
    lambda lib: lib.autograd.profiler.profile(post_processing_timeout_s=-1),
    lambda lib: lib.profiler.profile(activities=["cpu", lib.profiler.ProfilerActivity.CPU]),
    lambda lib: lib.profiler.profile(activities=[{activity(lib): []}, activity(lib)]),
    lambda lib: lib.profiler.record_function(3).__enter__(), lambda lib: lib.profiler.record_function("a", 3).__enter__(),
    lambda lib: lib.profiler.record_function("a").__exit__(None, None, None), lambda lib: lib.profiler.profile().stop(),
]


@pytest.mark.parametrize("call", ERRORS, ids=range(len(ERRORS)))
def test_errors(call):
    errors = [raised(call, lib) for lib in BOTH]
    assert type(errors[0]) is type(errors[1])
    assert str(errors[0]) == str(errors[1])


def test_the_context_is_entered_once():
    for lib in BOTH:
        with lib.autograd.profiler.profile() as found, \
                pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
            found.__enter__()


def test_unsupported():
    with pytest.raises(torchlike.UnsupportedError, match="experimental_config"):
        torchlike.profiler.profile(experimental_config=object())
    with pytest.raises(torchlike.UnsupportedError, match="export_memory_timeline"):
        torchlike.profiler.profile().export_memory_timeline("x")


def test_signatures():
    for name in ("profile", "schedule", "record_function", "tensorboard_trace_handler", "_KinetoProfile"):
        theirs, mine = (inspect.signature(getattr(lib.profiler, name)) for lib in BOTH)
        assert [*mine.parameters] == [*theirs.parameters], name
    methods = ("start", "stop", "step", "key_averages", "events", "export_chrome_trace", "export_stacks", "add_metadata",
               "add_metadata_json", "preset_metadata_json", "toggle_collection_dynamic", "get_trace_id")
    for name in methods:
        theirs, mine = (inspect.signature(getattr(lib.profiler.profile, name)) for lib in BOTH)
        assert [*mine.parameters] == [*theirs.parameters], name


def test_activities():
    assert {a.name for a in torchlike.profiler.supported_activities()} >= {"CPU"}
    for kind in ("ProfilerActivity", "DeviceType"):
        for member in getattr(torchlike.profiler, kind):
            assert int(getattr(getattr(torch.profiler, kind), member.name)) == int(member)
    for member in torchlike.profiler.ProfilerAction:
        assert torch.profiler.ProfilerAction[member.name].value == member.value


# -- the older profile

def test_autograd_profile():
    with torchlike.autograd.profiler.profile() as found:
        assert str(found) == "<unfinished torch.autograd.profile>"
        torchlike.ones(3).exp().tolist()
    assert "aten::exp" in found.table() and "aten::exp" in str(found)
    assert found.total_average().key == "Total" and found.self_cpu_time_total > 0
    with torchlike.autograd.profiler.profile(enabled=False) as none:
        assert none is None
    assert settled()


def test_every_row_has_a_name_of_pytorch():
    """`aten::x` is an operator of PyTorch's; what is not goes by `torchlike::x`."""
    packets = {name: names.packet_of_row(row) for name, row in ROWS.items()}
    wrong = [name for name, packet in packets.items() if name not in later.rows() and
             packet.startswith("aten::") != hasattr(torch.ops.aten, packet.partition("::")[2])]
    assert wrong == []


def test_a_profiler_declines_the_traces_of_other_threads():
    with torchlike.profiler.profile():
        runner = stack.executors[0].run
        thread_results = []
        thread = threading.Thread(target=lambda: thread_results.append(runner(for_one_run([], ()), [], [])))
        thread.start()
        thread.join()
    assert thread_results == [None]


def test_what_packages_ask():
    assert not torchlike.autograd._profiler_enabled()
    with torchlike.profiler.profile() as found:
        assert torchlike.autograd._profiler_enabled()
        torchlike.ones(2).sum().item()
        torchlike.autograd._disable_profiler()
        assert not torchlike.autograd._profiler_enabled()
    assert found is not None
