"""`torchlike course`: a learner writes an autograd engine in ten steps, and each is checked against torchlike's own.

`steps/` has the text of each step, `checks/` its checks: small programs against a face that the learner's engine and
torchlike both have, so that one text runs on either. `solution.py` is the finished engine; marks in it say which lines
belong to which step, and `parts.py` cuts solutions and skeletons out of it.

`checking.py` runs the learner's file in a process of its own (`runner.py`, which imports numpy only), the same programs on
torchlike in this one, and compares. `folder.py` has the learner's files, `steps.py` the texts, `command.py` the commands.
Start with `command.py`.
"""
