"""A run that begins again from a checkpoint ends with the numbers of one that nothing has happened to."""

import sys

import pytest

from tests.c10d.ranks import SCRIPTS
from tests.distributed.launching import run
from tests.speed import case

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
PROGRAM = (SCRIPTS / "restarts.py").read_text()
STEPS, EACH = 12, 4


def trained(folder, dies_at, *left_out):
    """(the losses as they were printed, by (step, text), what the launcher said)."""
    folder.mkdir()
    # Whole programs are compiled after some runs, which a new life counts anew: numpy rounds otherwise than they do.
    status, out, err = run(folder, PROGRAM, "--nproc-per-node", "2", "--max-restarts", "1", ours=True,
                           arguments=[str(folder / "saved"), str(dies_at), *left_out], TORCHLIKE_COMPILE="off")
    assert status == 0, err
    return [tuple(line.removeprefix("[rank0]: ").split()) for line in out.splitlines()], err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    found, err = trained(tmp_path_factory.mktemp("ranks") / "whole", -1)
    assert [int(step) for step, _ in found] == list(range(STEPS))
    assert err == ""
    return dict(found)


@pytest.mark.parametrize("dies_at", [case(9, ci=False), case(2, ci=False), case(7, ci=False)])
def test_losses_are_those_of_a_run_without_failures(dies_at, undisturbed, tmp_path):
    found, err = trained(tmp_path / "killed", dies_at)
    begins = (dies_at + 1) // EACH * EACH
    assert [int(step) for step, _ in found] == [*range(dies_at + 1), *range(begins, STEPS)]
    assert [loss for step, loss in found if undisturbed[step] != loss] == []
    assert "rank 1 failed (SIGKILL" in err
    assert "all workers are started again: 1 of 1" in err


@pytest.mark.slow
@pytest.mark.exhaustive
def test_what_is_not_saved_is_missed(undisturbed, tmp_path):
    found, _ = trained(tmp_path / "killed", 9, "generator")
    differing = {step for step, loss in found if undisturbed[step] != loss}
    assert differing == set(map(str, range(8, STEPS)))
