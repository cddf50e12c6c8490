"""The main job: each program that ships with torchlike agrees under all three engines."""

import json

import pytest

from tests.speed import every, sampled
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


def test_every_program_is_listed_here():
    assert {path.stem for path in driver.shipped_programs()} == set(EXPECTED)


# Three processes each: every second is in CI; tests/diff/test_diff.py has a fast one.
@pytest.mark.parametrize("name", sampled(EXPECTED, ci=every(2, 1)))
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
