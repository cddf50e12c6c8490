"""torch.autograd.graph: edges, saved-tensor hooks, versions, multithreading switches."""

import pytest

from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.programs import same_as_torch

test_programs = same_as_torch("graph", "graph_more")

SWITCHES = {
    "budget": lambda lib: lib.autograd.graph.region_activation_memory_budget(0.5),
    "too much": lambda lib: lib.autograd.graph.region_activation_memory_budget(2),
    "a bool": lambda lib: lib.autograd.graph.region_activation_memory_budget(True),
    "a text": lambda lib: lib.autograd.graph.region_activation_memory_budget("a"),
    "stale": lambda lib: [lib.autograd.graph.set_override_stale_capture_stream(flag) for flag in (True, False)],
    "stale number": lambda lib: lib.autograd.graph.set_override_stale_capture_stream(1),
    "mismatch": lambda lib: [lib.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(flag) for flag in (False, True)],
    "mismatch number": lambda lib: lib.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(1),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_switches(name):
    check(SWITCHES[name], tolerance=EXACT)
