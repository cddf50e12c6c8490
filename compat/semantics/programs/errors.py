"""The errors a beginner meets: gradients, conversions, arithmetic, reductions."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.arange(6.).view(2, 3)
i = torch.tensor([0, 1, 2])


# %% backward: of several elements
show(attempt(lambda: (x * 2).backward()))


# %% backward: of a plain tensor
show(attempt(lambda: m.sum().backward()))


# %% backward: of an integer tensor
show(attempt(lambda: i.sum().backward()))


# %% backward: after detach
show(attempt(lambda: (x * 2).detach().sum().backward()))


# %% backward: gradient of another shape
show(attempt(lambda: (x * 2).backward(torch.ones(2))))


# %% backward: gradient is a number
show(attempt(lambda: (x * 2).backward(1.0)))


# %% backward: gradient is a list
show(attempt(lambda: (x * 2).backward([1.0, 1.0, 1.0])))


# %% backward: a second time
y = (x * x).sum()
y.backward()
show(attempt(lambda: y.backward()))


# %% backward: float64 gradient is converted
(x * 2).backward(torch.ones(3, dtype=torch.float64))
show(x.grad)


# %% requires_grad: of integers
show(attempt(lambda: i.requires_grad_()))


# %% requires_grad: integers made with it
show(attempt(lambda: torch.tensor([1, 2], requires_grad=True)))


# %% requires_grad: zeros of integers
show(attempt(lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True)))


# %% requires_grad: attribute of bools
def write(): (i > 0).requires_grad = True
show(attempt(write))


# %% requires_grad: off for a result
def write(): (x * 2).requires_grad = False
show(attempt(write))


# %% requires_grad: integer Parameter
show(attempt(lambda: nn.Parameter(i)))


# %% requires_grad: not a bool
def write(): m.requires_grad = 1
show(attempt(write)[:2])


# %% numpy: requires grad
show(attempt(lambda: x.numpy()))


# %% numpy: np.asarray of a leaf
show(attempt(lambda: np.asarray(x)))


# %% numpy: forced
show(x.numpy(force=True).tolist())


# %% numpy: bfloat16
show(attempt(lambda: m.bfloat16().numpy()))


# %% item: several elements
show(attempt(lambda: m.item()))


# %% item: none
show(attempt(lambda: torch.zeros(0).item()))


# %% float: several elements
show(attempt(lambda: float(m)), attempt(lambda: int(m)))


# %% bool: several elements
show(attempt(lambda: bool(m)))


# %% bool: none
show(attempt(lambda: bool(torch.zeros(0))))


# %% bool: if on a comparison
def ask():
    if m == m:
        return 1
show(attempt(ask))


# %% bool: and of two tensors
show(attempt(lambda: m > 0 and m < 3))


# %% index: as a Python index, float
show(attempt(lambda: [1, 2, 3][torch.tensor(1.0)]))


# %% index: as a Python index, several
show(attempt(lambda: [1, 2, 3][i]))


# %% len: of a number
show(attempt(lambda: len(torch.tensor(1))))


# %% iterate: a number
show(attempt(lambda: list(torch.tensor(1))))


# %% contains: wrong type
show(attempt(lambda: "a" in m))


# %% add: shapes
show(attempt(lambda: torch.ones(3) + torch.ones(2)))


# %% add: shapes, second dimension
show(attempt(lambda: torch.ones(2, 3) * torch.ones(2, 2)))


# %% add: a string
show(attempt(lambda: m + "a")[:2])


# %% add: None
show(attempt(lambda: m + None)[:2])


# %% subtract: bools
show(attempt(lambda: torch.tensor([True]) - torch.tensor([False])))


# %% negate: bools
show(attempt(lambda: -torch.tensor([True])))


# %% power: integers to a negative power
show(attempt(lambda: i ** -1))


# %% divide: integers by zero
show(attempt(lambda: i // 0))


# %% remainder: integers by zero
show(attempt(lambda: i % 0))


# %% bitwise: floats
show(attempt(lambda: m & m), attempt(lambda: ~m))


# %% shift: floats
show(attempt(lambda: m.bitwise_left_shift(1)))


# %% compare: complex numbers
show(attempt(lambda: torch.tensor([1j]) < torch.tensor([2j])))


# %% compare: shapes
show(attempt(lambda: torch.ones(3) == torch.ones(2)))


# %% where: shapes
show(attempt(lambda: torch.where(torch.tensor([True, False]), torch.ones(3), torch.ones(3))))


# %% where: condition is no bool
show(attempt(lambda: torch.where(torch.ones(3), torch.ones(3), torch.ones(3))))


# %% index: out of range
show(attempt(lambda: m[2]), attempt(lambda: m[-3]))


# %% index: out of range, second dimension
show(attempt(lambda: m[0, 3]))


# %% index: too many
show(attempt(lambda: m[0, 0, 0]))


# %% index: of a number
show(attempt(lambda: torch.tensor(1)[0]))


# %% index: float tensor
show(attempt(lambda: m[torch.tensor([0.0])]))


# %% index: float number
show(attempt(lambda: m[0.5]))


# %% index: list out of range
show(attempt(lambda: m[[0, 5]]))


# %% index: tensor out of range
show(attempt(lambda: m[:, torch.tensor([0, -4])]))


# %% index: shapes of two lists
show(attempt(lambda: m[[0, 1], [0, 1, 2]]))


# %% index: mask of another shape
show(attempt(lambda: m[torch.tensor([True, False, True])]))


# %% index: mask of two dimensions
show(attempt(lambda: m[torch.ones(3, 2, dtype=torch.bool)]))


# %% index: negative step
show(attempt(lambda: m[::-1]))


# %% index: slice with floats
show(attempt(lambda: m[0.0:1.0]))


# %% index: two ellipses
show(attempt(lambda: m[..., ..., 0]))


# %% sum: dim
show(attempt(lambda: m.sum(2)), attempt(lambda: m.sum(-3)))


# %% sum: dim twice
show(attempt(lambda: m.sum((0, 0))))


# %% mean: integers
show(attempt(lambda: i.mean()))


# %% std: integers
show(attempt(lambda: i.std()))


# %% max: of nothing
show(attempt(lambda: torch.zeros(0).max()), attempt(lambda: torch.zeros(0).argmax()))


# %% max: dim of size zero
show(attempt(lambda: torch.zeros(2, 0).max(1)))


# %% softmax: integers
show(attempt(lambda: F.softmax(i, 0)))


# %% topk: too many
show(attempt(lambda: m.topk(4)))


# %% sort: dim
show(attempt(lambda: m.sort(2)))


# %% norm: integers
show(attempt(lambda: i.norm()))


# %% device: unknown
show(attempt(lambda: torch.device("gpu"))[:2])


# %% device: of a new tensor
show(attempt(lambda: torch.zeros(1, device="nowhere"))[:2])


# %% dtype: to an unknown one
show(attempt(lambda: m.to("float32"))[:2])


# %% manual_seed: a string
show(attempt(lambda: torch.manual_seed("a")))


# %% hook: on a tensor without grad
show(attempt(lambda: m.register_hook(lambda g: g)))


# %% deepcopy: of a result
import copy
show(attempt(lambda: copy.deepcopy(x * 2)))


# %% one_hot: class out of range
show(attempt(lambda: F.one_hot(i, 2)), attempt(lambda: F.one_hot(m)))


# %% interpolation of types: clamp without bounds
show(attempt(lambda: m.clamp()))


# %% allclose: dtypes
show(attempt(lambda: torch.allclose(m, m.double())))


# %% lerp: dtypes
show(attempt(lambda: torch.lerp(torch.ones(2), torch.ones(2).double(), 0.5)))


# %% addcmul and addcdiv: integers
show(attempt(lambda: torch.addcdiv(i, i, i)))


# %% searchsorted and bucketize run; bincount wants integers
show(attempt(lambda: torch.bincount(torch.tensor([0.5]))), attempt(lambda: torch.bincount(torch.tensor([-1]))))


# %% complex: from different dtypes
show(attempt(lambda: torch.complex(torch.ones(1), torch.ones(1).double())), attempt(lambda: torch.complex(i, i)))


# %% cast: complex to real warns
show(torch.tensor([1 + 2j]).float())


# %% multiply: a sequence is repeated
show([1] * torch.tensor(2), "ab" * torch.tensor(2), attempt(lambda: "ab" + torch.tensor(2))[:2])


# %% int and float: of complex numbers
show(attempt(lambda: float(torch.tensor(1j))), attempt(lambda: int(torch.tensor(1j))), int(torch.tensor(2 + 0j)))


# %% type: unknown name
show(attempt(lambda: m.type("torch.FooTensor")))
