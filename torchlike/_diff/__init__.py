"""The command ``torchlike diff``: one program under three engines, and where their results differ.

The engines are PyTorch, torchlike's own backward pass (the tape), and JAX's transforms of the program as a pure function
(`vjp_engine.py`). `driver.py` starts a process for each, `program_run.py` runs the program there and saves what it printed
and computed, `compare.py` holds the results against each other, `report.py` prints. `programs/` has examples.

Only the command line (`cli.py`) imports this folder. `program_run.py` imports nothing of torchlike, because under PyTorch it
runs by itself. Start with `driver.py`.
"""
