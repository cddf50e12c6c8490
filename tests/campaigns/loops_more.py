"""More training loops that are interrupted: forward mode, transforms, layouts, batches from workers, reads of all kinds."""

import importlib

from tests.campaigns import loops
from tests.campaigns.loops import Loop


class Tangents(Loop):
    """Forward mode by dual numbers, and over a backward pass."""

    statements = ("zero", "tangent", "forward", "backward", "step")

    def tangent(self):
        torch, forward = self.torch, self.torch.autograd.forward_ad
        with forward.dual_level():
            dual = forward.make_dual(self.x, self.x.cos())
            out = self.model(dual).square().sum()
            self.others["tangent"] = forward.unpack_dual(out).tangent.detach().clone()
        self.others["product"] = torch.autograd.functional.hvp(lambda x: x.sin().prod(), self.x[0], self.x[1])[1].clone()

    def forward(self):
        super().forward()
        self.loss = self.loss * (1 + self.others["tangent"].square())


class Transformed(Loop):
    """Transforms in one another: Jacobians, Hessians, random numbers in a batch, a state that is written under vmap."""

    statements = ("differentiate", "sample", "step")

    def make(self):
        torch = self.torch
        self.model = torch.nn.Linear(3, 2)
        self.others = {"seen": torch.zeros(4, 2)}

    def differentiate(self):
        func, weight = self.torch.func, self.model.weight.detach()
        self.others["rows"] = func.jacrev(lambda w: (w @ self.x[0]).tanh())(weight)
        self.others["curve"] = func.hessian(lambda x: (weight @ x).exp().sum())(self.x[0])
        slope, value = func.grad_and_value(lambda w: func.vmap(lambda x: (w @ x).square().sum())(self.x).mean())(weight)
        self.others["slope"], self.others["value"] = slope, value
        pulled, pull = func.vjp(self.model, self.x)
        self.others["pulled"], = pull(pulled.detach())
        self.others["pulled"] = self.others["pulled"].detach()

    def sample(self):
        def written(row, x):
            row.copy_(x * 2)
            return row.sum()

        self.others["sums"] = self.torch.func.vmap(written)(self.others["seen"], self.x @ self.model.weight.detach().t())

    def step(self):
        with self.torch.no_grad():
            self.model.weight -= 0.05 * self.others["slope"]


class Sparse(Loop):
    """Gradients of layout COO, and products with CSR."""

    def make(self):
        torch = self.torch
        self.model = torch.nn.ModuleList([torch.nn.EmbeddingBag(6, 3, mode="sum", sparse=True), torch.nn.Linear(3, 2)])
        self.words = torch.tensor([[0, 1], [2, 2], [5, 1], [3, 0]])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.graph = torch.eye(4).mul(2).add(torch.eye(4).roll(1, 0)).to_sparse_csr()

    def forward(self):
        hidden = self.model[1](self.model[0](self.words))
        self.loss = (self.graph @ hidden - self.y).square().mean()

    def look(self):
        gradient = self.model[0].weight.grad
        if gradient is None:
            return super().look()
        self.model[0].weight.grad = None  # the others are dense
        try:
            found = super().look()
        finally:
            self.model[0].weight.grad = gradient
        found["0.weight.grad"] = gradient.to_dense().tolist()
        return found


class Masked(Loop):
    """MaskedTensor, masks by where, masked_fill and index_put."""

    statements = ("zero", "forward", "backward", "step", "hide")

    def make(self):
        super().make()
        self.optimizer = self.torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9, dampening=0.5)
        self.others = {"hidden": self.torch.zeros(4, 3), "count": self.torch.zeros((), dtype=self.torch.int64)}
        self.mask = self.x > 0

    def forward(self):
        masked, where = self.torch.masked, self.torch.where
        part = masked.masked_tensor(self.x, self.mask)
        self.weights = (part * 2).sum(1).get_data()
        hidden = where(self.mask, self.x, 0.5).masked_fill(self.x < -0.3, 0)
        self.loss = ((self.model(hidden) - self.y).square().sum(1) * (1 + self.weights.square())).mean() * 0.1

    def hide(self):
        self.others["hidden"][self.mask] = self.model[0].weight.detach()[0, 0]
        self.others["count"] += self.mask.sum()


class Loaded(Loop):
    """Batches of a DataLoader, shuffled by a generator of its own, with samples that are transformed."""

    statements = ("zero", "load", "forward", "backward", "step")

    def make(self):
        super().make()
        data = self.torch.utils.data
        self.order = self.torch.Generator()
        self.order.manual_seed(5)
        self.loader = data.DataLoader(data.TensorDataset(self.x, self.y), batch_size=2, shuffle=True, generator=self.order)
        self.batch = (self.x[:2], self.y[:2])
        self.counts = lambda: {"order": hash(tuple(self.order.get_state().tolist()))}

    def load(self):
        batches = list(self.loader)
        self.batch = batches[0]
        self.others["batch"] = self.batch[0]

    def forward(self):
        x, y = self.batch
        self.loss = self.torch.nn.functional.smooth_l1_loss(self.model(x), y)


class Read(Loop):
    """What a program asks tensors for: numbers, texts, arrays, sizes that depend on values, branches."""

    statements = ("zero", "forward", "backward", "read", "choose", "step", "save")

    def make(self):
        super().make()
        self.seen: list = []
        self.others = {"best": self.torch.full((), 10.0), "chosen": self.torch.zeros(3)}

    def read(self):
        loss = self.loss.item()
        _ = str(self.loss), f"{loss:.2f}", self.loss.detach().numpy(), [float(v) for v in self.x[0]], self.y.tolist()

    def choose(self):
        if self.loss < self.others["best"]:
            self.others["best"] = self.loss.detach().clone()
        rows = self.x[self.x.sum(1) > 0].nonzero()
        self.others["chosen"] = self.x[int(rows[0, 0])] * len(rows)

    def save(self):
        values, indices = self.x.sort(0)
        self.others["unique"] = self.torch.unique(indices) + values.shape[0]
        self.state = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.state)


class Optimized(Loop):
    """Several optimizers in turns, groups, scaled losses, sums of gradients over two passes."""

    statements = ("zero", "forward", "backward", "forward", "backward", "step", "second", "third")

    def make(self):
        super().make()
        optim, first, last = self.torch.optim, self.model[0], self.model[2]
        self.optimizer = optim.Adagrad([{"params": first.parameters(), "lr": 0.02}, {"params": last.parameters()}], lr=0.05)
        self.rest = [optim.Adamax([first.weight], lr=0.01), optim.Rprop([last.weight], lr=0.001)]

    def second(self):
        self.rest[0].step()

    def third(self):
        self.rest[1].step()

    def kept(self):
        found = super().kept()
        for number, optimizer in enumerate(self.rest):
            self.optimizer, first = optimizer, self.optimizer
            found |= {f"{number}.{key}": value for key, value in super().kept().items()}
            self.optimizer = first
        return found


class Watched(Loop):
    """A mode of functions, a mode of operators, saved tensors elsewhere, a default device, a profiler, anomaly mode."""

    def make(self):
        super().make()
        torch = self.torch
        modes = importlib.import_module(f"{torch.__name__}.utils._python_dispatch")

        class Functions(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                return function(*args, **(kwargs or {}))

        class Operators(modes.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                return function(*args, **(kwargs or {}))

        self.functions, self.operators = Functions, Operators

    def forward(self):
        torch = self.torch
        with self.functions(), torch.device("cpu"):
            hidden = self.model[:2](self.x * torch.ones(()))
        with self.operators(), torch.autograd.graph.save_on_cpu(), torch.autograd.set_detect_anomaly(True):
            out = self.model[2](hidden)
        with torch.enable_grad(), torch.set_grad_enabled(True), torch.inference_mode(False):
            self.loss = (out - self.y).square().mean()


LOOPS = loops.LOOPS | {kind.__name__: kind for kind in (
    Tangents, Transformed, Sparse, Masked, Loaded, Read, Optimized, Watched)}
