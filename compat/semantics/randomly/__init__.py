"""Random programs of views, writes, operations, modes, hooks and backward: torch and torchlike must agree on each."""
