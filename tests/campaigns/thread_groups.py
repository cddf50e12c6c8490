"""What threads do at once: groups of them, each with its own state. See `threaded`.

A group is made with torchlike and with PyTorch, from the same random numbers. Its `parts` are functions, a thread each; with
PyTorch they are called one after the other. Its `result` must be equal, or where a race decides, `check` finds nothing wrong.
"""

import contextlib
import copy
import io
import json
import os
import queue
import random
import threading
import time

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


class Watched(Group):
    """One thread trains, others look at the same parameters, which must not disturb it."""

    def make(self):
        self.trained = self.model()
        self.optimizer = self.draw.choice([
            lambda p: self.torch.optim.SGD(p, 0.05), lambda p: self.torch.optim.Adam(p, 0.01),
            self.by_hand])(self.trained.parameters())
        self.x, self.going = self.numbers(5, 4), True
        self.ways = [self.draw.randrange(6) for _ in range(3)]

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
                seen = (lambda: p.tolist(), lambda: p.sum().item(), lambda: (p.detach() * 2).tolist(),
                        lambda: p.detach().clone().add_(1).tolist(), lambda: p.t().flatten().tolist(),
                        lambda: p.detach()[0].tolist())[way]()
                assert torch.isfinite(torch.tensor(seen)).all()
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
                    out = torch.tensor([7, 9]) // (torch.tensor([2, 1]) - wrong) + k
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


class Modes(Group):
    """Each thread has its modes: of gradients, autocast, functions, transforms, generators."""

    def make(self):
        self.x = self.numbers(4, 4)
        self.kinds = [self.draw.randrange(7) for _ in range(6)]

    def inside(self, k, kind):
        torch, x = self.torch, self.x
        found = []
        for turn in range(3):
            if kind == 0:
                with torch.no_grad():
                    found.append([(x.clone().requires_grad_() * 2).requires_grad, torch.is_grad_enabled()])
            elif kind == 1:
                with torch.inference_mode():
                    found.append([(x * k).is_inference(), (x * k).sum().item()])
            elif kind == 2:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    y = x.float() @ x.float()
                found.append([str(y.dtype), torch.is_autocast_enabled("cpu")])
            elif kind == 3:
                found.append(self.by_mode(turn))
            elif kind == 4:
                found.append(torch.vmap(torch.func.grad(lambda row: (row.sin() * row).sum()))(x * k).tolist())
            elif kind == 5:
                generator = torch.Generator().manual_seed(k * 7 + turn)
                found.append([torch.rand(3, generator=generator).tolist(), torch.randperm(5, generator=generator).tolist(),
                              torch.randn(20, generator=generator).tolist()])
            else:
                found.append(torch.func.jvp(lambda v: v.exp().sum(0), (x,), (x * k,))[1].tolist())
            y = (x * 2).clone().requires_grad_()
            found.append([(y * y).requires_grad, str((x.float() @ x.float()).dtype), (y * 1).is_inference()])
        self.found[k] = found

    def by_mode(self, turn):
        torch = self.torch

        class Doubled(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                out = function(*args, **(kwargs or {}))
                return out * 2 if getattr(function, "__name__", "") == "exp" else out

        with Doubled():
            return torch.exp(self.x + turn).tolist()

    def parts(self):
        return [lambda k=k, kind=kind: self.inside(k, kind) for k, kind in enumerate(self.kinds)]


class Hooked(Group):
    """Hooks that the main thread has set are called on the threads of the passes."""

    def make(self):
        torch = self.torch
        self.calls, self.leaf = [], self.numbers(3).requires_grad_()
        self.leaf.register_post_accumulate_grad_hook(lambda p: self.calls.append(("leaf", threading.get_ident())))
        self.middle = self.leaf * 2
        self.middle.register_hook(lambda g: self.calls.append(("middle", threading.get_ident())) or g * 2)
        self.middle.grad_fn.register_hook(lambda before, after: None)
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 1, lambda x: x * 1):
            self.total = (self.middle.sin() * self.middle).sum()

    def differentiate(self):
        for _ in range(4):
            before = len(self.calls)
            self.total.backward(retain_graph=True)
            mine = [name for name, thread in self.calls[before:] if thread == threading.get_ident()]
            assert mine == ["middle", "leaf"], mine

    def parts(self):
        return [self.differentiate] * 4

    def result(self):
        return {"grad": self.leaf.grad.tolist(), "calls": sorted(name for name, _ in self.calls)}


class Programs(Group):
    """Other uses: checkpoints, Functions of the user, files, copies, exceptions, loaders."""

    def make(self):
        self.shared = self.model()
        self.x = self.numbers(5, 4)
        names = ["checkpointed", "by_function", "saved", "copied", "failing", "loaded", "twice", "deferred"]
        self.names = [self.draw.choice(names) for _ in range(5)]

    def checkpointed(self, k):
        leaf = (self.x * k).clone().requires_grad_()
        out = self.torch.utils.checkpoint.checkpoint(self.shared, leaf, use_reentrant=bool(k % 2))
        return self.torch.autograd.grad(out.sum(), leaf)[0].tolist() if not k % 2 else out.tolist()

    def by_function(self, k):
        torch = self.torch

        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3 * k

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 3 * k * x * x

        leaf = self.x.clone().requires_grad_()
        return torch.autograd.grad(Cube.apply(leaf).sum(), leaf)[0].tolist()

    def saved(self, k):
        file = io.BytesIO()
        self.torch.save({"model": self.shared.state_dict(), "x": self.x * k}, file)
        file.seek(0)
        found = self.torch.load(file)
        return [found["x"].tolist(), found["model"]["0.weight"].tolist()]

    def copied(self, k):
        mine = copy.deepcopy(self.shared)
        optimizer = self.torch.optim.Adam(mine.parameters(), 0.01 * (k + 1))
        for _ in range(3):
            optimizer.zero_grad()
            mine(self.x).square().mean().backward()
            optimizer.step()
        return values(mine)

    def failing(self, k):
        found = []
        for make in (lambda: self.shared(self.x[:, :3]), lambda: self.x @ self.x, lambda: self.x.view(7), self.freed):
            try:
                make()
            except RuntimeError as error:
                found.append(str(error).partition("\n")[0])
        return [found, (self.x + k).sum().item()]

    def freed(self):
        out = self.x.clone().requires_grad_().exp().sum()
        out.backward()
        out.backward()

    def loaded(self, k):
        data = self.torch.utils.data
        loader = data.DataLoader(data.TensorDataset(self.x, self.x.sum(1)), batch_size=2)
        return [[part.tolist() for part in batch] for batch in loader]

    def twice(self, k):
        leaf = self.x.clone().requires_grad_()
        g, = self.torch.autograd.grad(self.shared(leaf * k).exp().sum(), leaf, create_graph=True)
        return self.torch.autograd.grad(g.square().sum(), leaf)[0].tolist()

    def deferred(self, k):
        index = self.torch.tensor([0, 1]) + (10 if k % 2 else 0)
        try:
            return self.x[index].tolist()
        except IndexError as error:
            return str(error).partition("\n")[0]

    def call(self, k, name):
        self.found[k] = [getattr(self, name)(k) for _ in range(3)]

    def parts(self):
        return [lambda k=k, name=name: self.call(k, name) for k, name in enumerate(self.names)]


class Compiling(Group):
    """Threads that compute what is new each time."""

    def make(self):
        self.sizes = [[self.draw.randint(2, 40) for _ in range(6)] for _ in range(2)]

    def compute(self, k):
        found = []
        for n in self.sizes[k]:
            for _ in range(2):
                x = self.torch.linspace(0, 1, 3 * n, dtype=self.torch.float64).requires_grad_()
                ((x * 2).exp().softmax(0).sum() + x.reshape(3, -1).cumsum(1).mean()).backward()
                found.append(x.grad.sum().item())
        self.found[k] = found

    def parts(self):
        return [lambda k=k: self.compute(k) for k in range(2)]


class Forking(Compiling):
    """As before, while another thread forks: the child computes, too."""

    def fork(self):
        if "torchlike" not in self.torch.__name__:
            self.found["child"] = [self.computed(n) for n in range(2)]
            return
        receiver, sender = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(receiver)
            try:
                os.write(sender, json.dumps([self.computed(n) for n in range(2)]).encode())
            finally:
                os._exit(0)
        os.close(sender)
        with open(receiver) as file:
            text = file.read()
        os.waitpid(pid, 0)
        self.found["child"] = json.loads(text or '"nothing"')

    def computed(self, n):
        x = self.torch.linspace(-1, 1, 12 + n, dtype=self.torch.float64).requires_grad_()
        (x.sin() * x).sum().backward()
        return [x.grad.tolist(), (x @ x).item()]

    def parts(self):
        return [*super().parts(), self.fork]


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
                assert "modified by an inplace operation" in str(error), error
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


class Seeded(Group):
    """Threads seed the common generator, and draw from it."""

    def seed(self, k):
        torch = self.torch
        for turn in range(6):
            if k == 0:
                torch.manual_seed(turn)
            elif k == 1:
                torch.set_rng_state(torch.get_rng_state())
            found = torch.rand(700).tolist() + torch.nn.functional.dropout(torch.ones(9)).tolist()
            assert all(0 <= x < 1 for x in found[:700]) and {*found[700:]} <= {0.0, 2.0}
            assert sorted(torch.randperm(8).tolist()) == [*range(8)]
            assert all(-9 < x < 9 for x in torch.randn(15).tolist())

    def parts(self):
        return [lambda k=k: self.seed(k) for k in range(4)]

    def result(self):
        self.torch.manual_seed(11)
        return {"after": [self.torch.rand(4).tolist(), self.torch.randn(5).tolist()]}


class Settings(Group):
    """Numbers of threads and caches change meanwhile."""

    def change(self):
        torch = self.torch
        before = torch.get_num_threads()
        for n in range(6):
            torch.set_num_threads(1 + n % 2)
            time.sleep(0.002)
        torch.set_num_threads(before)

    def parts(self):
        return [self.change]


GROUPS = {kind.__name__: kind for kind in (Separate, Read, Accumulated, Watched, Rows, Counted, Handed, Expected, Modes, Hooked,
                                           Programs, Compiling, Forking, Hogwild, Seeded, Settings)}
