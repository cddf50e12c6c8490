"""The command ``torchlike diff``: one program under three engines, and where their results differ.

The engines are PyTorch, torchlike's own backward pass (the tape), and JAX's transforms of the program as a pure function
(`vjp_engine.py`). `driver.py` has a process for each (`workers.py`), `program_run.py` runs the program there and saves
what it printed and computed, `compare.py` holds the results against each other, `report.py` prints.
`programs/` has examples. Of several ranks `ranks.py` compares what is left; programs ask for them in comments (`terms.py`).

``torchlike diff --deep`` and `torchlike.diff.compare` (`deep.py`) compare every operation: `recorder.py` keeps what a run
did, `verdicts.py` tells rounding from errors. A port to JAX is held against its program by `against.py`: `jax_program.py`
and `port_program.py` are the sides, `matching.py`, `parameters.py` and `hints.py` its parts.

`asserting.py` has what tests say with it, `calling.py` calls functions of tensors and of jax arrays.

`forkserver.py`, `program_run.py` and `recorder.py` import nothing of torchlike: under PyTorch they run by
themselves. Start with `driver.py`, or with `deep.py`.
"""
