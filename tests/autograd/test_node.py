"""Nodes: names, edges, lives, and what they save."""

from tests.programs import same_as_torch

test_programs = same_as_torch("nodes")
