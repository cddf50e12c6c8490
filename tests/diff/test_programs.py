"""The main job: each program that ships with torchlike agrees under all three engines."""

import json
import pathlib

import pytest

from tests.speed import case, every, sampled
from torchlike import cli
from torchlike._diff import driver

# What each program is there for: the kind of entry that must have been compared.
EXPECTED = {
    "training_loop": "main.model.0.weight.grad",
    "custom_function": "x.grad",
    "checkpointed_transformer": "model.blocks.0.attention.in_proj_weight.grad",
    "gradient_accumulation": "model.weight.grad",
    "maml": "w1.grad",
    "gan_step": "generator.0.weight.grad",
    "rnn_lengths": "cell.update.weight.grad",
    "lora": "model.0.down.grad",
}
# Of those of several ranks what must have been compared, as the same everywhere, and what differs on purpose: from which
# reference, and by how much at least.
OF_RANKS = {
    "ranks_accumulation": ("weighted.module.0.weight.grad", {"summed.module.0.bias.grad": ("alone", 1.0),
                                                             "uneven.module.0.bias.grad": ("alone", 1e-2)}),
    "ranks_overlap": ("by_hand.4.bias.grad", {"resummed.0.weight": ("alone", 1e-3)}),
    "ranks_compression": ("low.module.0.weight", {"half.module.0.weight": ("alone", 1e-7)}),
    "ranks_federated": ("often.0.weight", {"seldom.0.weight": ("alone", 1e-3), "often.0.weight.grad": ("between", 1e-2)}),
    "ranks_stale": ("fresh", {"served": ("alone", 1e-2), "replayed": ("alone", 1e-2), "worker.0.weight": ("between", 1e-2)}),
}


def test_every_program_is_listed_here():
    assert {path.stem for path in driver.shipped_programs()} == {*EXPECTED, *OF_RANKS}


# Three processes each: every second is in CI; tests/diff/test_diff.py has a fast one.
@pytest.mark.parametrize("name", sampled(EXPECTED, ci=every(4, 1)))
def test_program_agrees(name, capsys):
    path = driver.PROGRAMS / f"{name}.py"
    status = cli.main(["diff", "--json", str(path)])
    (report,) = json.loads(capsys.readouterr().out)["programs"]
    assert {engine: ended["status"] for engine, ended in report["engines"].items()} == {
        "torch": "ok", "tape": "ok", "functional": "ok"}
    assert [row for row in report["rows"] if not row["agree"]] == []
    assert EXPECTED[name] in [row["name"] for row in report["rows"]]
    assert all(set(row["against"]) == {"torch", "functional"} for row in report["rows"])
    assert status == 0


# Of the six processes of each; those of one case are forked from the same servers.
@pytest.mark.parametrize("names", [case(("ranks_accumulation", "ranks_stale")),
                                   case(("ranks_overlap", "ranks_compression", "ranks_federated"), ci=False)])
def test_programs_of_ranks_agree(names, capsys):
    status = cli.main(["diff", "--json", *(str(driver.PROGRAMS / f"{name}.py") for name in names)])
    reports = {pathlib.Path(each["program"]).stem: each for each in json.loads(capsys.readouterr().out)["programs"]}
    assert set(reports) == set(names)
    for name, report in reports.items():
        same, differing = OF_RANKS[name]
        rows = {row["name"]: row for row in report["rows"]}
        assert report["ranks"] == 2
        assert {engine: ended["status"] for engine, ended in report["engines"].items()} == {
            "torch": "ok", "tape": "ok", "alone": "ok", "functional": "ok"}
        assert [row for row in rows.values() if not row["agree"]] == []
        assert set(rows[same]["against"]) == {"torch", "between", "alone", "functional"}
        assert not any(gap["reason"] for gap in rows[same]["against"].values())
        for entry, (reference, least) in differing.items():
            gap = rows[entry]["against"][reference]
            assert gap["reason"] and gap["absolute"] > least, (name, entry, gap)
            assert rows[entry]["against"]["torch"]["absolute"] < 1e-12  # and PyTorch's ranks differ alike
    assert status == 0
