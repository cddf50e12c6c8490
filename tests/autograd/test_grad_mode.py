"""Grad mode and inference mode: contexts, decorators, threads, inside of backward."""

from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.programs import same_as_torch

test_programs = same_as_torch("inference", "modes", "modes_inside")


def test_view_replay():
    def outcomes(lib):
        a = lib.autograd
        found = [a.is_view_replay_enabled()]
        with a._force_original_view_tracking(True):
            found.append(a.is_view_replay_enabled())
            with a._force_original_view_tracking(False):
                found.append(a.is_view_replay_enabled())
            found.append(a.is_view_replay_enabled())
        return [*found, a.is_view_replay_enabled()]

    check(outcomes, tolerance=EXACT)
