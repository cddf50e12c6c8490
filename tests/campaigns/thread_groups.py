"""What threads do at once with the same tensors: groups of threads, each with its own state. See `threaded`.

A group is made with torchlike and with PyTorch, from the same random numbers. Its `parts` are functions, a thread each; with
PyTorch they are called one after the other. Its `result` must be equal; where a race decides, the parts assert what holds in
any case.
"""

import contextlib
import queue
import random
import threading

NO_LOCK = contextlib.nullcontext()  # in the place of one, to see that the campaign finds out


class Group:
    """Threads with a common state.

    Args:
        torch: torchlike, or PyTorch.
        draw: random numbers.
    """

    def __init__(self, torch, draw: random.Random):
        self.torch, self.draw, self.found = torch, draw, {}
        self.make()

    def make(self):
        """The state."""

    def parts(self) -> list:
        """A function for each thread."""
        raise NotImplementedError

    def result(self) -> dict:
        """What PyTorch gives, too."""
        return self.found

    def numbers(self, *shape):
        """A tensor of random numbers."""
        values = [self.draw.uniform(-1, 1) for _ in range(_product(shape))]
        return self.torch.tensor(values, dtype=self.torch.float64).reshape(shape)

    def model(self, width=5):
        """A small model."""
        nn = self.torch.nn
        model = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 2)).double()
        with self.torch.no_grad():
            for p in model.parameters():
                p.copy_(self.numbers(*p.shape))
        return model


def _product(shape):
    found = 1
    for n in shape:
        found *= n
    return found


def values(model) -> list:
    """The values of all parameters."""
    return [p.tolist() for p in model.parameters()]


# -- where PyTorch's results do not depend on the order

class Separate(Group):
    """Four models are trained, each by a thread."""

    def make(self):
        optim = self.torch.optim
        kinds = [lambda p: optim.SGD(p, 0.05, momentum=0.9), lambda p: optim.Adam(p, 0.01),
                 lambda p: optim.AdamW(p, 0.01), lambda p: optim.RMSprop(p, 0.01)]
        self.work = []
        for k in range(4):
            model = self.model(self.draw.choice([3, 5]))
            chosen = self.draw.choice(kinds)(model.parameters())
            self.work.append((k, model, chosen, self.numbers(6, 4), self.numbers(6, 2), self.draw.randint(3, 12)))

    def train(self, k, model, optimizer, x, y, steps):
        losses = []
        for step in range(steps):
            optimizer.zero_grad()
            loss = ((model(x[:3 + step % 3]) - y[:3 + step % 3]) ** 2).mean()
            loss.backward()
            optimizer.step()
            if step % 2:
                losses.append(loss.item())
        self.found[k] = [losses, values(model)]

    def parts(self):
        return [lambda each=each: self.train(*each) for each in self.work]


class Read(Group):
    """One model is read by eight threads, with and without gradients."""

    def make(self):
        self.shared = self.model()
        self.xs = [self.numbers(3, 4) for _ in range(8)]

    def read(self, k):
        torch, x, found = self.torch, self.xs[k], []
        for turn in range(4):
            if (k + turn) % 3 == 0:
                with torch.no_grad():
                    found.append(self.shared(x).tolist())
            else:
                leaf = x.clone().requires_grad_()
                out = self.shared(leaf)
                g, = torch.autograd.grad(out.square().sum(), leaf, create_graph=turn == 2)
                found.append(g.tolist())
        self.found[k] = found

    def parts(self):
        return [lambda k=k: self.read(k) for k in range(8)]


class Accumulated(Group):
    """The gradients of several threads are summed in one model."""

    def make(self):
        self.shared = self.model()
        self.xs = [self.numbers(3, 4) for _ in range(4)]
        self.shared[0].weight.register_hook(lambda g: g * 2)

    def differentiate(self, k):
        for turn in range(5):
            (self.shared(self.xs[k]) * (turn + 1)).sum().backward()

    def parts(self):
        return [lambda k=k: self.differentiate(k) for k in range(4)]

    def result(self):
        return {"grads": [p.grad.tolist() for p in self.shared.parameters()]}


WAYS = (lambda p: p.tolist(), lambda p: p.sum().item(), lambda p: (p.detach() * 2).tolist(),
        lambda p: p.detach().clone().add_(1).tolist(), lambda p: p.t().flatten().tolist(), lambda p: p.detach()[0].tolist())


class Watched(Group):
    """One thread trains, others look at the same parameters, which must not disturb it."""

    def make(self):
        self.trained = self.model()
        self.optimizer = self.draw.choice([
            lambda p: self.torch.optim.SGD(p, 0.05), lambda p: self.torch.optim.Adam(p, 0.01),
            self.by_hand])(self.trained.parameters())
        self.x, self.going = self.numbers(5, 4), True
        self.ways = [self.draw.randrange(len(WAYS)) for _ in range(3)]

    def by_hand(self, parameters):
        self.listed = [*parameters]
        return self

    def zero_grad(self):
        for p in self.listed:
            p.grad = None

    def step(self):
        with self.torch.no_grad():
            for p in self.listed:
                p.sub_(p.grad, alpha=0.05)
                p[..., 0].mul_(0.99)

    def train(self):
        losses = []
        for _ in range(12):
            self.optimizer.zero_grad()
            loss = self.trained(self.x).square().mean()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        self.found["losses"] = losses
        self.going = False

    def look(self, way):
        torch = self.torch
        for _ in range(30):
            for p in self.trained.parameters():
                assert torch.isfinite(torch.tensor(WAYS[way](p))).all()
            if not self.going:
                return

    def parts(self):
        return [self.train, *(lambda way=way: self.look(way) for way in self.ways)]

    def result(self):
        return {**self.found, "values": values(self.trained)}


class Rows(Group):
    """Each thread writes to its own part of one tensor."""

    def make(self):
        self.whole = self.numbers(6, 4)
        self.kind = self.draw.randrange(3)

    def write(self, k):
        mine = (self.whole[k], self.whole[k:k + 1], self.whole.data[k])[self.kind]
        for turn in range(6):
            mine.add_(turn + k)
            self.whole[k, turn % 4] = float(turn)
            if turn == 3:
                self.found[k] = mine.tolist()

    def parts(self):
        return [lambda k=k: self.write(k) for k in range(6)]

    def result(self):
        return {**self.found, "whole": self.whole.tolist()}


class Counted(Group):
    """Threads write to the same tensors, one at a time."""

    def make(self):
        self.lock, self.counter = threading.Lock(), self.torch.zeros(3)
        self.model_ = self.model()
        self.row = self.model_[0].weight.detach()[0]
        for p in self.model_.parameters():
            p.grad = self.torch.ones_like(p)

    def count(self, k):
        torch = self.torch
        optimizer = torch.optim.SGD(self.model_.parameters(), 0.125)
        for turn in range(8):
            with self.lock:
                self.counter.add_(k)
            with self.lock, torch.no_grad():
                if k % 2:
                    optimizer.step()
                else:
                    self.row.add_(0.5)
                    self.counter.data += 1
            if turn % 3 == k % 3:
                self.counter.sum().item()

    def parts(self):
        return [lambda k=k: self.count(k) for k in range(4)]

    def result(self):
        return {"counter": self.counter.tolist(), "values": values(self.model_)}


class Handed(Group):
    """Tensors made in one thread are used in a second one, and differentiated in a third one."""

    def make(self):
        self.first, self.second = queue.Queue(), queue.Queue()
        self.weight = self.numbers(4, 4).requires_grad_()
        self.sources = [self.numbers(3, 4) for _ in range(8)]

    def begin(self):
        for x in self.sources:
            leaf = x.requires_grad_()
            self.first.put((leaf, (leaf * 2).tanh() @ self.weight))
        self.first.put(None)

    def go_on(self):
        while (item := self.first.get(timeout=30)) is not None:
            leaf, hidden = item
            hidden = hidden.sin()
            hidden[:, 0].mul_(2)
            hidden.register_hook(lambda g: g * 3)
            self.second.put((leaf, hidden))
        self.second.put(None)

    def end(self):
        found = []
        while (item := self.second.get(timeout=30)) is not None:
            leaf, hidden = item
            hidden.logsumexp(1).sum().backward()
            found.append([hidden.tolist(), leaf.grad.tolist()])
        self.found["grads"] = [found, self.weight.grad.tolist()]

    def parts(self):
        return [self.begin, self.go_on, self.end]


class Expected(Group):
    """A thread indexes and divides by numbers that are not known yet, another one reads the results, or meets the errors."""

    def make(self):
        self.handed, self.x = queue.Queue(), self.numbers(6)
        self.wrong = [self.draw.random() < 0.5 for _ in range(10)]

    def begin(self):
        torch = self.torch
        for k, wrong in enumerate(self.wrong):
            try:
                if k % 2:
                    out = self.x[torch.tensor([0, 1]) + (10 if wrong else k % 4)] * 2
                else:
                    out = torch.tensor([7, 9]) // (torch.tensor([2, 1]) - int(wrong)) + k
            except (IndexError, RuntimeError) as error:
                out = error
            self.handed.put(out)
        self.handed.put(None)

    def end(self):
        found = []
        while (out := self.handed.get(timeout=30)) is not None:
            try:
                found.append(str(out).partition("\n")[0] if isinstance(out, Exception) else out.tolist())
            except (IndexError, RuntimeError) as error:
                found.append(str(error).partition("\n")[0])
        self.found["read"] = found

    def parts(self):
        return [self.begin, self.end]


# -- where a race decides

class Hogwild(Group):
    """Threads train the same parameters without waiting for each other. All elements of a parameter are equal, and each step
    brings them nearer to 1: so they do wherever threads interleave, unless a value is torn."""

    def make(self):
        self.shared = [self.torch.full((n,), 4.0, dtype=self.torch.float64).requires_grad_() for n in (3, 50)]
        self.way = self.draw.randrange(3)

    def train(self):
        torch = self.torch
        optimizer = torch.optim.SGD(self.shared, 0.1) if self.way == 0 else None
        for _ in range(10):
            loss = sum((p - 1).square().sum() for p in self.shared)
            try:
                grads = torch.autograd.grad(loss, self.shared)
            except RuntimeError as error:
                if "modified by an inplace operation" not in str(error):
                    raise
                continue
            if optimizer is not None:
                for p, g in zip(self.shared, grads, strict=True):
                    p.grad = g
                optimizer.step()
                continue
            with torch.no_grad():
                for p, g in zip(self.shared, grads, strict=True):
                    (p.data if self.way == 1 else p).sub_(g * 0.1)
            for p in self.shared:
                self.look(p)

    def look(self, p):
        seen = p.tolist()
        assert len({*seen}) == 1 and -10 < seen[0] < 10, seen

    def parts(self):
        return [self.train] * 4

    def result(self):
        for p in self.shared:
            self.look(p)
        return {}
