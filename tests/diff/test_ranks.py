"""Programs of several ranks: mistakes of one rank or of all are found, and named."""

import io
import pathlib
import sys

import numpy as np
import pytest
from rich.console import Console

from torchlike._diff import compare, driver, processes, program_run, ranks, terms
from torchlike._diff import report as reporting

SIZE = 2
BEGIN = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
_is_ours = "torchlike" in torch.__version__
torch.manual_seed(0)
x = torch.randn(8, 3, dtype=torch.float64)
mine = x[rank * 8 // size:(rank + 1) * 8 // size]
"""
PLANTED = BEGIN + """
def network():
    torch.manual_seed(1)
    return torch.nn.Linear(3, 1).double()

def averaged(divide):
    model = network()
    model(mine).square().mean().backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        divide(p.grad)
    return model

def hooked(divisor):
    def hook(state, bucket):
        work = dist.all_reduce(bucket.buffer() / divisor, async_op=True)
        return work.get_future().then(lambda future: future.value()[0])

    model = DistributedDataParallel(network())
    model.register_comm_hook(None, hook)
    model(mine).square().mean().backward()
    return model.module

def early(sent):
    model, works = network(), []
    for p in model.parameters():
        p.register_post_accumulate_grad_hook(lambda p: works.append(dist.all_reduce(sent(p.grad), async_op=True)))
    model(mine).square().mean().backward()
    for work in works:
        work.wait()
    for p in model.parameters():
        p.grad /= size
    return model

right = averaged(lambda g: g.div_(size))
one_forgets = averaged(lambda g: g.div_(1 if rank else size))
all_forget = averaged(lambda g: g)
ours_forgets = averaged(lambda g: g.div_(1 if _is_ours and rank else size))
right_hook, wrong_hook, our_wrong_hook = hooked(size), hooked(size + 1), hooked(size + _is_ours * rank)
early_and_right, early_and_lost = early(lambda g: g), early(lambda g: g.clone())
by_rank = network()
with torch.no_grad():
    by_rank.bias.fill_(rank)
not_judged, judged = mine.sum(), mine.sum()
# torchlike diff: same judged, right, nothing*
# torchlike diff: by rank right.weight: it is said to differ
# torchlike diff: not one process right.bias: it is said to differ
print("rank", rank, _is_ours * rank)
"""
BOTH = ["rank 0", "rank 1"]


def grads(name, **whose):
    return {f"{name}.{part}.grad": whose for part in ("weight", "bias")}


# {name of an entry: {reference: the ranks that are named}} of all that disagrees in it
WRONG = {
    **grads("one_forgets", between=["rank 1"], alone=["rank 1"]), **grads("all_forget", alone=BOTH),
    **grads("ours_forgets", torch=["rank 1"], between=["rank 1"], alone=["rank 1"]), **grads("wrong_hook", alone=BOTH),
    **grads("our_wrong_hook", torch=BOTH, alone=BOTH), **grads("early_and_lost", between=["rank 1"], alone=BOTH),
    "by_rank.bias": {"between": ["rank 1"], "alone": ["rank 1"]}, "judged": {"between": ["rank 1"], "alone": BOTH},
    "right.weight": {"between": []}, "right.bias": {"alone": []}, "right": {"between": []}, "nothing*": {"between": []},
    "printed": {"torch": ["rank 1"]},
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of programs with mistakes, and of some that raise."""
    folder = tmp_path_factory.mktemp("planted")
    programs = {
        "planted": PLANTED, "raises": BEGIN + "if rank == 1:\n    raise ValueError('no such batch')\ndist.all_reduce(x)\n",
        "all raise": BEGIN + "raise ValueError('no such batch')\n",
        "ours raises": BEGIN + "assert not (_is_ours and rank)\n",
        "crashes": BEGIN + "dist.all_reduce(x)\nimport os\nif rank == 1:\n    os._exit(9)\ndist.all_reduce(x)\n"}
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    options = driver.Options(compare.Tolerance(), ranks=SIZE)
    found = driver.reports([str(folder / f"{name}.py") for name in programs], options)
    return dict(zip(programs, found, strict=True))


def wrong_in(report):
    return {row.name: {reference: gap.problem for reference, gap in row.gaps.items() if gap.problem}
            for row in report.rows if not row.agree}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_mistakes_are_found_and_named(reports):
    report = reports["planted"]
    found = {name: {reference: [rank for rank in BOTH if f"{rank}:" in problem] for reference, problem in gaps.items()}
             for name, gaps in wrong_in(report).items()}
    assert found == WRONG
    problems = wrong_in(report)
    assert problems["one_forgets.weight.grad"]["between"].startswith("rank 1: 3 of 3 elements differ, by up to ")
    assert problems["nothing*"]["between"] == "nothing has this name"
    agreeing = {row.name for row in report.rows} - set(found)
    assert {*grads("right_hook"), *grads("early_and_right"), "not_judged", "x"} <= agreeing
    assert not report.agree and report.comparable and report.ranks == SIZE
    console = Console(width=200, file=io.StringIO())
    reporting.show(console, report)
    out = console.file.getvalue()
    assert "torchlike's tape on 2 ranks: " in out and "one process: " in out
    assert "one_forgets.weight.grad, against rank 0: rank 1: 3 of 3 elements differ" in out


@pytest.mark.slow
def test_errors_and_crashes(reports):
    def how(name):
        return {engine: ended.status for engine, ended in reports[name].engines.items()}

    assert how("raises") == {"torch": "raised", "tape": "raised", "alone": "ok", "functional": "ok"}
    assert wrong_in(reports["raises"]) == {
        "raised": {"alone": "rank 1: expected no exception, got ValueError at line 13: no such batch"}}
    assert reports["all raise"].agree and set(how("all raise").values()) == {"raised"}
    assert [*wrong_in(reports["ours raises"])["raised"]] == ["torch", "alone"]
    assert how("crashes") == {"torch": "crashed", "tape": "crashed", "alone": "ok", "functional": "ok"}
    assert "rank 1, crashed:\nexit status 9" in reports["crashes"].engines["tape"].detail
    assert not reports["crashes"].agree


def record(values: dict, error=None, ended=0.0, stdout=""):
    """A record with parameters, or (kind, value)."""
    given = {name: value if isinstance(value, tuple) else ("parameter", value) for name, value in values.items()}
    entries = [{"name": name, "kind": kind, "dtype": "float64", "requires_grad": True} for name, (kind, _) in given.items()]
    facts = {"entries": entries, "error": error, "ended": ended, "stdout": stdout}
    return facts, {f"a{i}": np.asarray(value, np.float64) for i, (_, value) in enumerate(given.values())}


def problems(records, text=""):
    """{name: {reference: what is wrong}}."""
    rows = ranks.compare(records, terms.read(text), compare.Tolerance())
    return {row.name: {reference: gap.problem for reference, gap in row.gaps.items() if gap.problem} for row in rows}


def of_ranks(*mine, torch=None, alone=1.0, functional=None):
    values = {"torch": mine if torch is None else torch, "tape": mine, "alone": [alone],
              "functional": [alone if functional is None else functional]}
    return {engine: [record({"w": x}) for x in each] for engine, each in values.items()}


FAR = "1 of 1 elements differ, by up to 1.0e+00"


@pytest.mark.parametrize(("records", "expected"), [
    (of_ranks(1, 1, 1), {}),
    (of_ranks(1, 2, 1), {"between": f"rank 1: {FAR}", "alone": f"rank 1: {FAR}"}),
    (of_ranks(2, 2), {"alone": f"rank 0: {FAR}; rank 1: {FAR}"}),
    (of_ranks(1, 1, torch=(1, 2)), {"torch": f"rank 1: {FAR}"}),
    (of_ranks(1, 1, functional=2), {"functional": "1 of 1 elements differ"}),
    (of_ranks(*[1] * 6, alone=2), {"alone": "; ".join(f"rank {rank}: {FAR}" for rank in range(4)) + "; and 2 more ranks"}),
])
def test_rows(records, expected):
    assert problems(records) == {"w": expected}


@pytest.mark.parametrize(("engine", "expected"), [
    ("torch", {"torch": "rank 1: the reference has no such entry"}),
    ("tape", {"torch": "rank 1: the tape has no such entry", "between": "rank 1: the tape has no such entry",
              "alone": "rank 1: the tape has no such entry"}),
    ("alone", {"alone": "rank 0: the reference has no such entry; rank 1: the reference has no such entry",
               "functional": "the tape has no such entry"}),
])
def test_an_entry_that_is_missing(engine, expected):
    records = of_ranks(1, 1)
    records[engine][-1] = record({})
    assert problems(records) == {"w": expected}


def test_what_differs_on_purpose_must_differ():
    differs = of_ranks(1, 2, alone=3)
    (row,) = ranks.compare(differs, terms.read("# torchlike diff: by rank w: why\n"), compare.Tolerance())
    assert row.agree and row.gaps["between"].reason == "why" and row.gaps["between"].absolute == 1.0
    assert "alone" not in row.gaps
    (row,) = ranks.compare(of_ranks(2, 2), terms.read("# torchlike diff: not one process w: why\n"), compare.Tolerance())
    assert row.agree and row.gaps["alone"].reason == "why" and row.gaps["between"].reason is None
    for text in ("by rank w: why", "not one process w: why"):
        ((_, found),) = problems(of_ranks(1, 1), f"# torchlike diff: {text}\n").items()
        assert [each.startswith("the program says") for each in found.values()] == [True]


def error(text, line=3, kind="ValueError"):
    return {"type": kind, "text": text, "line": line, "traceback": ""}


def test_only_the_first_error_is_compared():
    def failing(*ends):
        return [record({}, error(*end) if end else None, ended=i) for i, end in enumerate(ends)]

    cause, effect, other = ("cause",), ("gone", 9, "RuntimeError"), ("closed", 8, "DistError")
    assert problems({"torch": failing(cause, effect), "tape": failing(cause, other)}) == {"raised": {}}
    assert "rank 0" in problems({"torch": failing(cause, effect), "tape": failing(other, other)})["raised"]["torch"]
    assert "rank 1" in problems({"torch": failing(cause, effect), "tape": failing(cause, None)})["raised"]["torch"]
    stopped = ("", None, "stopped")
    assert ranks.first_to_fail(failing(stopped, cause)) == 1
    assert ranks.first_to_fail(failing(None, None)) is None
    without = problems({"tape": failing(cause, effect)})
    assert "no PyTorch to say" in without["raised"]["between"]


class Hanging:
    """Workers of which rank 1 raises, and rank 0 waits for it until it is stopped."""

    def __init__(self, message):
        self.message = message

    def run_ranks(self, engine, task, arguments, timeout):
        if self.message is not None:
            facts, arrays = record({"w": 1}, error(self.message), ended=1.0)
            out = arguments[1][arguments[1].index("--out") + 1]
            program_run.save(out, {**facts, "seconds": 1.0, "version": "2", "writes": []}, arrays)
        return [processes.Ended(None, True, "waits"), processes.Ended(1, self.message is None, "")]


def test_a_rank_that_is_stopped_has_a_record(tmp_path):
    (tmp_path / "p.py").write_text("")
    options = driver.Options(compare.Tolerance())
    engine, records = driver.run_ranks("tape", str(tmp_path / "p.py"), options, Hanging("no such batch"), 2)
    assert engine.status == driver.RAISED
    assert engine.detail.startswith("rank 0, timed out:\nstopped as another rank had failed")
    assert [facts["error"]["type"] for facts, _ in records] == ["stopped", "ValueError"]
    assert ranks.first_to_fail(records) == 1
    options = driver.Options(compare.Tolerance(), timeout=3)
    engine, records = driver.run_ranks("tape", str(tmp_path / "p.py"), options, Hanging(None), 2)
    assert (engine.status, records) == (driver.LATE, None) and "rank 1, timed out:\nstopped after 3 s" in engine.detail


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked there")
def test_who_waits_for_one_that_failed_is_stopped(monkeypatch):
    monkeypatch.setattr(processes, "GRACE", 0.2)
    group, company = processes.Processes(), processes.Company()

    def ended(code):
        command = [sys.executable, "-c", code]
        return group.until_end(lambda: processes.Command(command, {}), None, company)

    assert ended("pass").status == 0 and company.failed is None
    assert ended("import sys; sys.exit(3)").status == 3 and company.failed is not None
    assert ended("import time; time.sleep(99)").is_late


def test_the_programs_are_found():
    assert all(terms.of_program(str(path)).ranks in (None, SIZE) for path in pathlib.Path(driver.PROGRAMS).glob("*.py"))
