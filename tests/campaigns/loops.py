"""Training loops that are interrupted: each is a list of statements, and a state that one can look at between them."""

import contextlib


class Loop:
    """A loop over ``statements``, of which each leaves the state as it should be.

    Args:
        torch: torchlike, or PyTorch.

    Attributes:
        statements: the names of the methods that a step calls.
        goes_on_alike: whether PyTorch, interrupted, goes on from all that `look` does not see, too.
    """

    statements: tuple = ("zero", "forward", "backward", "step")
    goes_on_alike = True

    def __init__(self, torch):
        self.torch = torch
        torch.manual_seed(3)
        self.x = torch.arange(12.0).reshape(4, 3) / 7 - 0.5
        self.y = torch.arange(8.0).reshape(4, 2).sin()
        self.loss, self.optimizer, self.others, self.counts = None, None, {}, dict
        self.make()

    def make(self):
        """Model and optimizer."""
        nn = self.torch.nn
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        self.optimizer = self.torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def zero(self):
        self.optimizer.zero_grad()

    def forward(self):
        self.loss = self.torch.nn.functional.mse_loss(self.model(self.x), self.y)

    def backward(self):
        self.loss.backward()

    def step(self):
        self.optimizer.step()

    def run(self, steps: int):
        """That many whole steps."""
        for _ in range(steps):
            for name in self.statements:
                getattr(self, name)()

    def look(self) -> dict:
        """All values that a user can read, as lists, and how often they were written to."""
        found = {"rng": hash(tuple(self.torch.get_rng_state().tolist())), **self.counts(), **self.kept()}
        for name, value in [*self.model.state_dict(keep_vars=True).items(), *self.others.items()]:
            found[name], found[f"{name}.version"] = value.tolist(), value._version
            if value.is_leaf and value.grad is not None:
                found[f"{name}.grad"] = value.grad.tolist()
        return found

    def kept(self) -> dict:
        """The optimizer's state, by the place of the parameter."""
        states = self.optimizer.state_dict()["state"] if self.optimizer is not None else {}
        return {f"state.{place}.{key}": lists(value, self.torch.is_tensor)
                for place, state in states.items() for key, value in state.items()}


def lists(value, is_tensor):
    """A value whose tensors have become lists."""
    if isinstance(value, list):
        return [lists(x, is_tensor) for x in value]
    return value.tolist() if is_tensor(value) else value


class Normalized(Loop):
    """Batch norm, dropout and Adam."""

    def make(self):
        nn = self.torch.nn
        self.model = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.3),
                                   nn.Linear(4, 2))
        self.optimizer = self.torch.optim.Adam(self.model.parameters(), lr=0.05, eps=0.01)


class Viewed(Loop):
    """Views that are written to, with and without a history, and views of parameters."""

    statements = ("zero", "forward", "backward", "step", "write", "whole")

    def make(self):
        super().make()
        buffer = self.torch.zeros(3, 4)
        self.others = {"buffer": buffer, "row": buffer[1], "turned": buffer.t(),
                       "weight_row": self.model[0].weight.detach()[0]}
        self.seen = self.model[0].weight[1]

    def forward(self):
        hidden = self.model[0](self.x)
        hidden[:, 0].mul_(2)
        part = hidden.t()[1:]
        part[1].add_(hidden[:, 1].detach())
        self.loss = (self.model[2](hidden.tanh_()) - self.y).square().sum()

    def write(self):
        self.others["row"].add_(self.model[0].bias.detach())

    def whole(self):
        self.others["buffer"].mul_(1.5)


def halve(p):
    """A hook of a leaf."""
    p.grad.mul_(0.5)


class Hooked(Loop):
    """Hooks of tensors, modules, Nodes and leaves; gradients that are kept."""

    def make(self):
        super().make()
        self.model[0].weight.register_hook(lambda g: g * 2)
        self.model[2].weight.register_post_accumulate_grad_hook(halve)
        self.model[1].register_forward_hook(lambda module, args, out: out * 1.5)
        self.model[2].register_full_backward_hook(lambda module, before, after: (before[0] * 0.5,))
        self.optimizer.register_step_post_hook(lambda *args: None)

    def forward(self):
        hidden = self.model[:2](self.x)
        hidden.retain_grad()
        hidden.grad_fn.register_hook(lambda before, after: None)
        with self.torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2):
            self.loss = (self.model[2](hidden) - self.y).square().mean()

class Checkpointed(Loop):
    """Both kinds of checkpoints."""

    def forward(self):
        checkpoint = self.checkpoint
        x = self.x.clone().requires_grad_()
        hidden = checkpoint(self.model[:2], x, use_reentrant=False)
        hidden = checkpoint(lambda h: h.sin() * 2, hidden, use_reentrant=True)
        self.loss = (self.model[2](hidden) - self.y).square().mean()

    @property
    def checkpoint(self):
        return self.torch.utils.checkpoint.checkpoint


class Twice(Loop):
    """A penalty on gradients: create_graph, and a Function of the user."""

    def make(self):
        super().make()
        torch = self.torch

        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 3 * x * x

        self.cube = Cube

    def forward(self):
        x = self.x.clone().requires_grad_()
        out = self.cube.apply(self.model(x)).sum()
        g, = self.torch.autograd.grad(out, x, create_graph=True)
        self.loss = out.square() * 0.1 + g.square().mean()


class Averaged(Loop):
    """Clipping, averages under no_grad, a schedule, autocast, and a loss that is read."""

    statements = ("zero", "forward", "backward", "clip", "step", "schedule", "average", "read")

    def make(self):
        super().make()
        optim = self.torch.optim
        self.optimizer = optim.Adam(self.model.parameters(), lr=0.05, weight_decay=0.01, foreach=True)
        self.counts = lambda: {"lr": self.optimizer.param_groups[0]["lr"], "epoch": self.scheduler.last_epoch}
        self.scheduler = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 20)
        self.others = {"mean": self.torch.zeros(4, 3)}

    def forward(self):
        with self.torch.autocast("cpu", enabled=False):
            super().forward()

    def clip(self):
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)

    def schedule(self):
        self.scheduler.step()

    def average(self):
        with self.torch.no_grad():
            self.others["mean"].lerp_(self.model[0].weight, 0.1)

    def read(self):
        self.loss.item()


class Recurrent(Loop):
    """An embedding and a recurrent layer."""

    def make(self):
        nn = self.torch.nn
        self.words = self.torch.tensor([[0, 1, 2], [2, 3, 1]])
        self.model = nn.ModuleList([nn.Embedding(5, 3), nn.GRU(3, 4, batch_first=True), nn.Linear(4, 2)])
        self.optimizer = self.torch.optim.RMSprop(self.model.parameters(), lr=0.01)

    def forward(self):
        out, last = self.model[1](self.model[0](self.words))
        self.loss = self.model[2](out).logsumexp(-1).mean() + last.abs().max()


class Closure(Loop):
    """LBFGS, which writes to the parameters several times in a step."""

    statements = ("step",)
    goes_on_alike = False  # PyTorch's leaves the half of an iteration

    def kept(self):
        return {}

    def make(self):
        super().make()
        self.optimizer = self.torch.optim.LBFGS(self.model.parameters(), lr=0.1, max_iter=3, history_size=4)

    def step(self):
        def loss():
            self.zero()
            self.forward()
            self.loss.backward()
            return self.loss

        self.optimizer.step(loss)


class Functional(Loop):
    """torch.func: a vmap of a gradient and forward mode, convolution, an update by hand."""

    statements = ("differentiate", "step")

    def make(self):
        nn = self.torch.nn
        self.model = nn.Sequential(nn.Conv1d(1, 2, 2), nn.Tanh(), nn.Flatten(), nn.Linear(4, 2))
        self.slopes = {}

    def differentiate(self):
        torch, values = self.torch, dict(self.model.named_parameters())

        def loss(values, x):
            return torch.func.functional_call(self.model, values, (x.reshape(1, 1, 3),)).logsumexp(1).sum()

        self.slopes = torch.vmap(torch.func.grad(loss), (None, 0))(values, self.x)
        self.others["tangent"] = torch.func.jvp(lambda x: loss(values, x), (self.x[0],), (self.x[1],))[1].detach()

    def step(self):
        with self.torch.no_grad():
            for name, p in self.model.named_parameters():
                p.sub_(0.1 * self.slopes[name].mean(0))


LOOPS = {kind.__name__: kind for kind in (
    Loop, Normalized, Viewed, Hooked, Checkpointed, Twice, Averaged, Recurrent, Closure, Functional)}


@contextlib.contextmanager
def unrelated(torch):
    """What was recorded before an interruption, and is looked at afterwards."""
    kept = torch.tensor([0.5, 0.25]) + 1
    yield
    following = torch.tensor([7.0, 8.0]) * 2 - 1  # before anything is read, which would begin a new recording
    assert following.tolist() == [13.0, 15.0], "what is recorded next"
    assert kept.tolist() == [1.5, 1.25], "what was recorded before"
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    assert w.grad.tolist() == [2.0, 4.0], "a backward pass"
