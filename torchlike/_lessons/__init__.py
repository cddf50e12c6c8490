"""Lessons: how PyTorch's define-by-run differs from JAX's functions, one file each, and everything in them is run.

A lesson is a Markdown file below `texts/`, in the folder of its group (`groups.py`): a PyTorch program, a question with what
learners answer, the functional JAX program, why, which style to prefer when, and claims. `lesson.py` reads it, `running.py`
runs its programs under every engine that is there: what a lesson says a program gives is what it gave just then.

The right answer is marked nowhere: it is the one that equals the last line which the program prints. tests/lessons runs
every lesson, and its claims, under PyTorch and torchlike. `command.py` shows them, `notebook.py` makes notebooks of them,
`progress.py` remembers what was answered. Start with `lesson.py`.
"""
