"""The checks of the course, a file for each step.

Each public function is a check: a small program on `e`, the face of an engine (`runner.py`), whose docstring says in a line
what holds if it passes. What it shows, by `e.show(label, value)` and `e.attempt(label, f)`, must be the same on the
learner's engine and on torchlike. Nothing in them says what the right values are. They import numpy at most: they run in
the learner's process, too.
"""
