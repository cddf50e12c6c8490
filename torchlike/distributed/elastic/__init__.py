"""Starts the ranks of a program and looks after them: what ``torchlike run --nproc-per-node 4 train.py`` does.
https://pytorch.org/docs/stable/distributed.elastic.html

`_agent.py` goes through the rounds: find the other nodes (`_nodes.py`), start workers (`_workers.py`), pass on what they
print (`_output.py`), and when one fails end the others, tell why (`_failures.py`) and begin again or leave. `../run.py` has
the arguments. Workers write what they raise to a file (`multiprocessing/errors/`), so that the launcher tells it once.

The launcher uses the standard library and `_c10d/stores/` alone: it does not wait for JAX to be imported. Start with
`_agent.py`.
"""
