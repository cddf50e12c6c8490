"""What else threads do at once: modes, hooks, compiling, forks, seeds. See `thread_groups`."""

import copy
import io
import json
import os
import threading
import time

from tests.campaigns.thread_groups import (
    Accumulated,
    Counted,
    Expected,
    Group,
    Handed,
    Hogwild,
    Read,
    Rows,
    Separate,
    Watched,
    values,
)


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


GROUPS = {kind.__name__: kind for kind in (
    Separate, Read, Accumulated, Watched, Rows, Counted, Handed, Expected, Modes, Hooked, Programs, Compiling, Forking,
    Hogwild, Seeded, Settings)}
