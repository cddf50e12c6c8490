"""Loops that call code of the user wherever it can stand: hooks, modes, Functions, transforms, loaders, contexts.

Each such place calls `visit`, which raises when its turn comes.
"""

import contextlib
import importlib

from tests.campaigns.loops import Loop


class Visited(Loop):
    """A loop that counts the calls of its own code.

    Attributes:
        visits: the names of the places that were called.
        stop: at which of them to raise, None for never.
        error: the class that is raised.
    """

    def __init__(self, torch):
        self.visits, self.stop, self.error = [], None, KeyboardInterrupt
        super().__init__(torch)

    def visit(self, place: str, value=None):
        """Note the place, or raise there; returns the value."""
        self.visits.append(place)
        if self.stop is not None and len(self.visits) == self.stop:
            raise self.error(f"at {place}")
        return value

    def visitor(self, place, value=lambda *args: None):
        """A hook that is called `place`; what it returns is `value` of its arguments."""
        return lambda *args, **kwargs: self.visit(place, value(*args))


class Hooks(Visited):
    """Hooks of tensors, Nodes, leaves, modules and optimizers."""

    def make(self):
        super().make()
        first, last = self.model[0], self.model[2]
        first.weight.register_hook(self.visitor("leaf", lambda g: g * 2))
        first.bias.register_post_accumulate_grad_hook(self.visitor("accumulated"))
        last.weight.register_post_accumulate_grad_hook(self.visitor("accumulated last"))
        first.register_forward_pre_hook(self.visitor("before forward"))
        first.register_forward_hook(self.visitor("after forward", lambda module, args, out: out * 1.5))
        last.register_full_backward_pre_hook(self.visitor("before backward", lambda module, grads: (grads[0] * 0.5,)))
        self.model[1].register_full_backward_hook(self.visitor("after backward"))
        self.optimizer.register_step_pre_hook(self.visitor("before step"))
        self.optimizer.register_step_post_hook(self.visitor("after step"))

    def forward(self):
        hidden = self.model[:2](self.x)
        hidden.retain_grad()
        hidden.register_hook(self.visitor("tensor", lambda g: g * 1.1))
        hidden.grad_fn.register_hook(self.visitor("Node"))
        hidden.grad_fn.register_prehook(self.visitor("before Node", lambda grads: (grads[0] * 2,)))
        out = self.model[2](hidden)
        self.torch.autograd.graph.register_multi_grad_hook([hidden, out], self.visitor("several"))
        self.torch.autograd.graph.register_multi_grad_hook([hidden, out], self.visitor("any"), mode="any")
        self.loss = (out - self.y).square().mean()


class Saving(Visited):
    """Saved tensors that are packed and unpacked, and a graph that is kept."""

    statements = ("zero", "forward", "backward", "again", "step")

    def forward(self):
        pack, unpack = (self.visitor(place, lambda x: x) for place in ("pack", "unpack"))
        with self.torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            super().forward()

    def backward(self):
        self.loss.backward(retain_graph=True)

    def again(self):
        self.loss.backward()


class Functions(Visited):
    """Functions of the user, twice differentiated."""

    def make(self):
        super().make()
        torch, visit = self.torch, self.visit

        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return visit("forward", x ** 3)

            @staticmethod
            def setup_context(ctx, inputs, output):
                visit("setup_context")
                ctx.save_for_backward(*inputs)
                ctx.set_materialize_grads(False)

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return visit("backward", g * Slope.apply(x))

        class Slope(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return visit("slope", 3 * x * x)

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return visit("curve", g * 6 * x)

        self.cube = Cube

    def forward(self):
        x = self.x.clone().requires_grad_()
        out = self.cube.apply(self.model(x)).sum()
        g, = self.torch.autograd.grad(out, x, create_graph=True)
        self.loss = out.square() * 0.1 + g.square().mean()


class Modes(Visited):
    """Subclasses, modes of functions and of operators."""

    def make(self):
        super().make()
        torch, visit = self.torch, self.visit
        modes = importlib.import_module(f"{torch.__name__}.utils._python_dispatch")

        class Kind(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                visit("class")
                return super().__torch_function__(function, types, args, kwargs or {})

        class Functions(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                visit("function")
                return function(*args, **(kwargs or {}))

        class Operators(modes.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                visit("operator")
                return function(*args, **(kwargs or {}))

        self.kind, self.functions, self.operators = Kind, Functions, Operators

    def forward(self):
        x = self.x.as_subclass(self.kind).sin()
        with self.functions(), self.operators():
            hidden = self.x * 2 + 1
        hidden = hidden + x.as_subclass(self.torch.Tensor)
        with self.functions():
            self.loss = (self.model[2](self.model[0](hidden).tanh()) - self.y).square().mean()


class Recomputed(Visited):
    """Checkpoints of both kinds, in one another."""

    def forward(self):
        checkpoint, visit, model = self.torch.utils.checkpoint.checkpoint, self.visit, self.model
        x = self.x.clone().requires_grad_()

        def inner(h):
            return visit("inner", h.sin() * 2)

        def outer(h):
            return visit("outer", checkpoint(inner, model[:2](visit("begun", h)), use_reentrant=False))

        hidden = checkpoint(outer, x, use_reentrant=False)
        hidden = checkpoint(lambda h: visit("reentrant", h.cos()), hidden, use_reentrant=True)
        self.loss = (model[2](hidden) - self.y).square().mean()


class Transforms(Visited):
    """Bodies of transforms, in one another."""

    statements = ("zero", "mapped", "tangents", "jacobians", "linear", "forward", "backward", "step")

    def mapped(self):
        func, visit, torch = self.torch.func, self.visit, self.torch
        slopes = torch.vmap(func.grad(lambda x: visit("grad", x.sin() * visit("begun", x)).sum()))(self.x)
        self.others["slopes"] = func.grad(lambda x: torch.vmap(lambda r: visit("vmap", r * r))(x).sum())(self.x) + slopes

    def tangents(self):
        visit, func = self.visit, self.torch.func
        self.others["pushed"] = func.jvp(lambda x: visit("jvp", x.cos()), (self.x,), (self.y[:, :1] + self.x,))[1]
        out, pull = func.vjp(lambda x: visit("vjp", x.tanh()), self.x)
        self.others["pulled"], = pull(out)

    def jacobians(self):
        visit, func, x = self.visit, self.torch.func, self.x[0]
        self.others["reverse"] = func.jacrev(lambda x: visit("jacrev", x.exp()))(x)
        self.others["forward"] = func.jacfwd(lambda x: visit("jacfwd", x * x.sum()))(x)
        self.others["curve"] = func.hessian(lambda x: visit("hessian", x.sin().prod()))(x)

    def linear(self):
        visit, forward = self.visit, self.torch.autograd.forward_ad
        values = {name: p.detach() * 2 for name, p in self.model.named_parameters()}
        with self.torch.no_grad():
            self.model[1].register_forward_hook(self.visitor("inside"))
            self.others["called"] = self.torch.func.functional_call(self.model, values, (self.x,))
            self.model[1]._forward_hooks.clear()
        with forward.dual_level():
            dual = forward.make_dual(self.x, visit("dual", self.x.cos()))
            self.others["tangent"] = forward.unpack_dual(visit("unpacked", dual.sin())).tangent.clone()


class Fed(Visited):
    """Datasets, samplers and collations; closures and schedules."""

    statements = ("zero", "load", "forward", "backward", "step", "schedule", "closure")

    def make(self):
        super().make()
        data, visit, x, y = self.torch.utils.data, self.visit, self.x, self.y
        self.optimizer = self.torch.optim.Adam(self.model.parameters(), lr=0.05)

        class Items(data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return visit("item", (x[i], y[i]))

        class Order(data.Sampler):
            def __iter__(self):
                for i in (2, 0, 3, 1):
                    yield visit("order", i)

        def collate(items):
            return visit("collate", data.default_collate(items))

        self.loader = data.DataLoader(Items(), 2, sampler=Order(), collate_fn=collate)
        self.schedules = self.torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda n: self.visit("rate", 0.9 ** n))
        self.counts = lambda: {"lr": self.optimizer.param_groups[0]["lr"], "epoch": self.schedules.last_epoch}
        self.batch = (x[:2], y[:2])

    def load(self):
        for batch in self.loader:
            self.batch = batch

    def forward(self):
        self.loss = (self.model(self.batch[0]) - self.batch[1]).square().mean()

    def schedule(self):
        self.schedules.step()

    def closure(self):
        optimizer = self.torch.optim.LBFGS(self.model.parameters(), lr=0.1, max_iter=2)  # PyTorch's does not go on

        def loss():
            optimizer.zero_grad()
            self.visit("closure")
            self.forward()
            self.loss.backward()
            return self.visit("closed", self.loss)

        optimizer.step(loss)


class Contexts(Visited):
    """With-blocks, decorated functions and generators that change modes, left by an exception."""

    statements = ("zero", "blocks", "decorated", "generators", "forward", "backward", "step")

    def blocks(self):
        torch, visit = self.torch, self.visit
        contexts = {
            "no_grad": torch.no_grad, "inference_mode": torch.inference_mode, "enable_grad": torch.enable_grad,
            "set_grad_enabled": lambda: torch.set_grad_enabled(False), "device": lambda: torch.device("meta"),
            "autocast": lambda: torch.autocast("cpu", torch.bfloat16), "anomaly": torch.autograd.detect_anomaly,
            "multithreading": lambda: torch.autograd.set_multithreading_enabled(False),
            "fork_rng": lambda: torch.random.fork_rng(devices=[]),
            "disabled": torch._C.DisableTorchFunctionSubclass, "level": torch.autograd.forward_ad.dual_level,
            "profiler": lambda: torch.autograd.profiler.record_function("block"),
            "cached": lambda: torch.nn.utils.parametrize.cached(),
            "on_cpu": torch.autograd.graph.save_on_cpu,
            "refused": lambda: torch.autograd.graph.disable_saved_tensors_hooks("none"),
            "writable": torch.autograd.graph.allow_mutation_on_saved_tensors}
        for name, context in contexts.items():
            with context():
                torch.rand(2)
                visit(name)
        with contextlib.ExitStack() as stack:
            for name in ("no_grad", "autocast", "device"):
                stack.enter_context(contexts[name]())
                visit(f"stacked {name}")

    def decorated(self):
        torch, visit = self.torch, self.visit
        for name, wrap in {"no_grad": torch.no_grad(), "inference_mode": torch.inference_mode(), "plain": torch.no_grad,
                           "autocast": torch.autocast("cpu", torch.bfloat16)}.items():
            visit(f"sum {wrap(lambda name=name: visit(f'in {name}', self.x * 2))().sum():.4f}")
        with torch.enable_grad():  # since grad mode is off from here on
            torch.set_grad_enabled(False)(lambda: visit("in set_grad_enabled"))()

    def generators(self):
        torch, visit = self.torch, self.visit
        for kind in (torch.no_grad, torch.enable_grad, torch.inference_mode):
            @kind()
            def counting(kind=kind):
                for i in range(3):
                    try:
                        yield visit(f"{kind.__name__} {i} {torch.is_grad_enabled()}", i)
                    except LookupError:
                        visit(f"{kind.__name__} thrown {torch.is_grad_enabled()}")
                    finally:
                        visit(f"{kind.__name__} left {torch.is_grad_enabled()}")

            for i in counting():
                visit(f"outside {i} {torch.is_grad_enabled()}")
            generator = counting()
            next(generator)
            visit("begun")
            generator.throw(LookupError)
            generator.close()
            visit(f"closed {torch.is_grad_enabled()}")


LOOPS = {kind.__name__: kind for kind in (
    Hooks, Saving, Functions, Modes, Recomputed, Transforms, Fed, Contexts)}
