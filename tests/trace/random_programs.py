"""Random programs of views, writes, arithmetic, reductions, branches and backward, made with torch at hand.

Each statement is tried under torch while the program is written, so every program is a valid one.
"""

import random

import torch

START = """
x = torch.tensor([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]], requires_grad=True)
w = torch.tensor([0.5, -1.5, 0.8], requires_grad=True)
b = torch.tensor([[0.1, 0.6, -0.2], [1.2, -0.3, 0.7]])
v0 = x * 1.0
v1 = w * b
"""
MAPS = ["{a}.tanh()", "{a}.sigmoid()", "{a}.relu()", "{a}.exp().clamp(max=3.0)", "{a}.abs()", "{a} * {n}", "{a} + {n}",
        "{a} / ({a}.abs() + 1.0)", "{n} - {a}", "{a}.sin()", "({a} * {a}).sqrt()", "{a}.clone()", "{a}.detach()",
        "{a}.softmax(-1)", "{a}.cumsum(-1)", "torch.where({a} > {n}, {a}, {a} * 2.0)", "{a}.masked_fill({a} < 0, {n})"]
PAIRS = ["{a} + {c}", "{a} * {c}", "{a} - {c}", "torch.maximum({a}, {c})", "torch.stack([{a}, {c}]).mean(0)"]
VIEWS = ["{a}[0]", "{a}[..., 1:]", "{a}.t()", "{a}.reshape(-1)", "{a}.unsqueeze(0)", "{a}.view({a}.shape)", "{a}[-1:]",
         "{a}.transpose(0, -1)", "{a}.chunk(2, -1)[0]", "{a}.expand_as({a})", "{a}.flatten()[::2]", "{a}.diagonal()"]
REDUCTIONS = ["{a}.sum()", "{a}.mean(-1)", "{a}.sum(0)", "{a}.max(-1).values", "{a}.norm()", "{a}.logsumexp(-1)"]
WRITES = ["{a}.mul_({n})", "{a}.add_({c})", "{a}.tanh_()", "{a}.copy_({c})", "{a}[0] = {n}", "{a}.zero_()", "{a} += {n}",
          "{a}[..., 0] *= {n}", "{a}.clamp_(-1.0, 1.0)", "{a}.sub_({c}, alpha={n})", "{a}.fill_({n})"]
READS = ["r.append({a})", "r.append({a}.sum().item())", "r.append({a}._version)",
         "if {a}.sum() > {n}:\n    {a} = {a} * 2.0\nelse:\n    {a} = {a} - 1.0"]
BACKWARD = ("if {a}.requires_grad:\n    ({a}.sum() * {n}).backward(retain_graph={keep})\n"
            "    r += [None if x.grad is None else x.grad.clone(), None if w.grad is None else w.grad.clone()]")
END = """
total = sum(t.sum() for t in [{names}] if t.requires_grad)
if not isinstance(total, int):
    grads = torch.autograd.grad(total, [x, w], allow_unused=True)
    r += [g for g in grads]
r += [{names}, x.grad, w.grad]
"""


class Writer:
    """Writes one program; `space` is its state under torch so far."""

    def __init__(self, seed, length):
        self.random, self.names, self.lines = random.Random(seed), ["v0", "v1"], [START.strip("\n")]
        self.to_the_end = seed % 4 != 0  # the others may end in an error
        self.space = {"torch": torch, "r": []}
        exec(START, self.space)
        for _ in range(length):
            self.step()

    def step(self):
        """Add a statement that torch accepts and that keeps all values moderate."""
        for _ in range(20):
            line = self.draw()
            good = self.accepted(line, {**self.space, "r": []})
            if good:
                self.lines.append(line)
            self.rebuild()
            if good:
                return

    def rebuild(self):
        """The state after the lines so far, without the traces of what was tried."""
        self.space = {"torch": torch, "r": []}
        exec("\n".join(self.lines), self.space)
        self.names = [n for n, t in self.space.items() if n.startswith("v") and isinstance(t, torch.Tensor)]

    def accepted(self, line, trial):
        """Whether torch runs the line, and all it leaves is finite and moderate."""
        try:
            exec(line, trial)
            tensors = [t for n, t in trial.items() if n.startswith("v") and isinstance(t, torch.Tensor)]
            if self.to_the_end:
                exec(END.format(names=", ".join(self.names)), trial)
            return all(bool((t.detach().abs() < 50).all()) and t.numel() for t in tensors)
        except (RuntimeError, IndexError):
            return False

    def draw(self):
        """A statement that may or may not be valid."""
        r = self.random
        values = {"a": r.choice(self.names), "c": r.choice(self.names), "n": round(r.uniform(-2, 2), 2),
                  "keep": r.choice(["True", "False"])}
        kind = r.choices([MAPS, PAIRS, VIEWS, REDUCTIONS, WRITES, READS, [BACKWARD]], [5, 3, 4, 1, 5, 2, 1])[0]
        text = r.choice(kind).format(**values)
        if kind in (MAPS, PAIRS, VIEWS, REDUCTIONS):
            text = f"v{r.randrange(2, 8)} = {text}"
        return text

    def program(self):
        """The whole text."""
        return "\n".join(self.lines) + END.format(names=", ".join(self.names))


def write(seed: int, length: int = 25) -> str:
    """The program of this seed."""
    return Writer(seed, length).program()
