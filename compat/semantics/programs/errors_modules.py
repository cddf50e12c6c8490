"""The errors of layers, losses, modules, optimizers and of making tensors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.arange(6.).view(2, 3)
i = torch.tensor([0, 1, 2])


# %% linear: sizes
show(attempt(lambda: nn.Linear(4, 2)(m)))


# %% linear: integer input
show(attempt(lambda: nn.Linear(3, 2)(i)))


# %% linear: double input
show(attempt(lambda: nn.Linear(3, 2)(m.double())))


# %% cross_entropy: batch sizes
show(attempt(lambda: F.cross_entropy(m, i)))


# %% cross_entropy: target out of range
show(attempt(lambda: F.cross_entropy(m, torch.tensor([0, 3]))))


# %% cross_entropy: float targets
show(attempt(lambda: F.cross_entropy(m, torch.tensor([0.0, 1.0]))))


# %% cross_entropy: int32 targets
show(attempt(lambda: F.cross_entropy(m, torch.tensor([0, 1], dtype=torch.int32))))


# %% mse_loss: sizes warn and fail
show(attempt(lambda: F.mse_loss(torch.ones(3), torch.ones(2))))


# %% binary_cross_entropy: range
show(attempt(lambda: F.binary_cross_entropy(torch.tensor([2.0]), torch.tensor([1.0]))))


# %% binary_cross_entropy: sizes
show(attempt(lambda: F.binary_cross_entropy(torch.ones(3), torch.ones(2))))


# %% conv: channels
show(attempt(lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 2, 5, 5))))


# %% conv: kernel larger than the input
show(attempt(lambda: nn.Conv2d(1, 1, 5)(torch.ones(1, 1, 3, 3))))


# %% conv: dimensions
show(attempt(lambda: nn.Conv2d(1, 1, 3)(torch.ones(5, 5))))


# %% batch_norm: one value a channel
show(attempt(lambda: nn.BatchNorm1d(3)(torch.ones(1, 3))))


# %% layer_norm: shape
show(attempt(lambda: nn.LayerNorm(4)(m)))


# %% dropout: probability
show(attempt(lambda: F.dropout(m, 1.5)), attempt(lambda: nn.Dropout(-1)))


# %% tensor: ragged list
show(attempt(lambda: torch.tensor([[1, 2], [3]])))


# %% tensor: ragged list, deeper
show(attempt(lambda: torch.tensor([1, [2]])))


# %% tensor: strings
show(attempt(lambda: torch.tensor("a")), attempt(lambda: torch.tensor(["a"])))


# %% tensor: None
show(attempt(lambda: torch.tensor(None)), attempt(lambda: torch.tensor([None])))


# %% tensor: a dict
show(attempt(lambda: torch.tensor({"a": 1})))


# %% tensor: too large for int64
show(attempt(lambda: torch.tensor(2 ** 70)))


# %% tensor: too large for its dtype
show(attempt(lambda: torch.tensor(300, dtype=torch.uint8)))


# %% tensor: list of tensors of several elements
show(attempt(lambda: torch.tensor([torch.ones(2), torch.ones(2)])))


# %% zeros: negative size
show(attempt(lambda: torch.zeros(-1)))


# %% zeros: float size
show(attempt(lambda: torch.zeros(1.5))[:2])


# %% zeros: dtype is a string
show(attempt(lambda: torch.zeros(1, dtype="float32"))[:2])


# %% zeros: unknown keyword
show(attempt(lambda: torch.zeros(1, size=(2,), colour=3))[:2])


# %% arange: step
show(attempt(lambda: torch.arange(0, 3, -1)), attempt(lambda: torch.arange(0, 3, 0)))


# %% linspace: steps
show(attempt(lambda: torch.linspace(0, 1, -1)))


# %% full: no value
show(attempt(lambda: torch.full((2,)))[:2])


# %% eye: negative
show(attempt(lambda: torch.eye(-1)))


# %% randint: empty range
show(attempt(lambda: torch.randint(3, 3, (2,))))


# %% randperm: negative
show(attempt(lambda: torch.randperm(-1)))


# %% normal: negative std
show(attempt(lambda: torch.normal(0.0, -1.0, (2,))))


# %% bernoulli: probability
show(attempt(lambda: torch.bernoulli(torch.tensor([2.0]))))


# %% multinomial: bad weights
show(attempt(lambda: torch.multinomial(torch.tensor([-1.0, 2.0]), 1)))


# %% multinomial: too many
show(attempt(lambda: torch.multinomial(torch.tensor([1.0, 2.0]), 3)))


# %% from_numpy: no array
show(attempt(lambda: torch.from_numpy([1, 2])))


# %% from_numpy: dtype
show(attempt(lambda: torch.from_numpy(np.array(["a"]))))


# %% functions: wrong type
show(attempt(lambda: torch.exp(3))[:2], attempt(lambda: torch.relu([1.0]))[:2])


# %% functions: missing argument
show(attempt(lambda: torch.matmul(m))[:2], attempt(lambda: torch.cat())[:2])


# %% functions: unknown keyword
show(attempt(lambda: torch.sum(m, axes=0))[:2], attempt(lambda: torch.exp(m, base=2))[:2])


# %% functions: tensor where a list is expected
show(attempt(lambda: torch.stack(m))[:2])


# %% names: unknown method
show(attempt(lambda: m.nothing))


# %% names: unknown attribute of a module
show(attempt(lambda: nn.Linear(1, 1).nothing))


# %% names: unknown functional
show(attempt(lambda: F.nothing)[:2], attempt(lambda: torch.nothing)[:2])


# %% module: forward is missing
class Net(nn.Module): pass
show(attempt(lambda: Net()(1)))


# %% module: super().__init__ is missing
class Net(nn.Module):
    def __init__(self): self.layer = nn.Linear(1, 1)
show(attempt(Net))


# %% module: number of arguments
class Net(nn.Module):
    def forward(self, v): return v
show(attempt(lambda: Net()())[:2])


# %% module: parameter assigned a tensor
net = nn.Linear(3, 1)
def write(): net.weight = torch.ones(1, 3)
show(attempt(write))


# %% module: state_dict of another size
show(attempt(lambda: nn.Linear(3, 1).load_state_dict(nn.Linear(2, 1).state_dict())))


# %% module: state_dict without a key
show(attempt(lambda: nn.Linear(3, 1).load_state_dict({})))


# %% module: state_dict with an unknown key
net = nn.Linear(3, 1, bias=False)
show(attempt(lambda: net.load_state_dict({**net.state_dict(), "other": m})))


# %% module: Sequential index
show(attempt(lambda: nn.Sequential(nn.ReLU())[2]))


# %% module: ModuleList is not callable
show(attempt(lambda: nn.ModuleList([nn.ReLU()])(m)))


# %% optimizer: no parameters
show(attempt(lambda: torch.optim.SGD([], lr=0.1)))


# %% optimizer: a tensor
show(attempt(lambda: torch.optim.SGD(x, lr=0.1)))


# %% optimizer: non-leaf
show(attempt(lambda: torch.optim.SGD([x * 2], lr=0.1)))


# %% optimizer: learning rate
show(attempt(lambda: torch.optim.SGD([x], lr=-1)), attempt(lambda: torch.optim.Adam([x], betas=(1.0, 0.9))))


# %% optimizer: parameter in two groups
show(attempt(lambda: torch.optim.SGD([{"params": [x]}, {"params": [x]}], lr=0.1)))


# %% Parameters of integers
class OfInts(torch.Tensor):
    pass


for made in (torch.tensor([1, 0]), torch.tensor([1, 0]).as_subclass(OfInts)):
    show(attempt(nn.Parameter, made))
    show(attempt(nn.Parameter, made, False))
