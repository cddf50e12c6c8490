"""torch.autograd.graph: edges, saved-tensor hooks, versions, multithreading switches."""

from tests.programs import same_as_torch

test_programs = same_as_torch("graph", "graph_more")
