"""Memory that numpy and a tensor share: what is written on one side is seen on the other, as under PyTorch."""

import gc
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import torchlike
from compat.compare.texts import check_report, programs
from torchlike._record.cell import storage_of
from torchlike._record.shared_memory import Outside, is_outside

PROGRAMS = programs("""
import numpy as np
a = np.arange(6.).reshape(2, 3)
t = torch.from_numpy(a)
y = t * 2
a[0, 0] = 5
z = t * 2
t.add_(1)
r += [y, z, t, a]

import numpy as np
a = np.arange(6.).reshape(2, 3)
t = torch.from_numpy(a)
v, u, f, (p, q) = t[0], t.t(), t.view(-1), t.unbind(0)
w = v + 0
a[0] = 7
r += [v, v + 0, w, u + 0, f[2], p * 1]
v.mul_(2)
u.add_(1)
t[:, 1] = 0
q.zero_()
r += [a, f, u, q]

import numpy as np
x = torch.ones(3) * 2
n = x.numpy()
n[0] = 5
r += [x, x + 1]
x.mul_(2)
r += [n]

import numpy as np
x = torch.arange(6.).reshape(2, 3)
n = x[1].numpy()
n[:] = 0
x[1] += 4
m = x.t().numpy()
m[0, 0] = 44
r += [x, n, m, list(m.strides), np.asarray(x[:, ::2])]

import numpy as np
x = torch.arange(6.).reshape(2, 3)
y = torch.minimum(x.t(), x.t())  # its memory is by columns
n = y.numpy()
n[0, 1] = 7
y.mul_(2)
z, m = y[1:], y[1:].numpy()
m[:] = 5
r += [y, n, z, list(n.strides), list(m.strides)]
del n
m[0, 0] = 11
r += [y, y * 2]

import numpy as np
x = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
n = x.numpy()
n[0, 1, 2, 3] = 9
x[:, 1].numpy()[...] = 0
r += [x.sum(), n.sum(), list(n.strides)]

import numpy as np
a = np.arange(12.).reshape(3, 4)
t = torch.from_numpy(a[:, ::2])
v, u = t[1], t.t()
a[1] = 0
t.add_(1)
u[0] = 9
t[1:].numpy()[:, 1] = 2
r += [a, t, v, [x.stride() for x in (t, u, t * 2, t.clone(), t.contiguous(), t[1:])], t[1:].storage_offset()]
s = torch.from_numpy(np.asfortranarray(a))[1:, 2:]
s.numpy()[0, 0] = 77
r += [s, s.stride(), s.storage_offset()]
r += [torch.as_tensor(np.broadcast_to(np.arange(3.), (2, 3)).copy()[::2]).stride()]
t.requires_grad_()
(t * 3).sum().backward()
r += [t.grad, t.grad.stride()]
t.detach().view(6)

import numpy as np
torch.from_numpy(np.zeros(3, dtype=[("a", "f4"), ("b", "i1")])["a"])

import numpy as np
t = torch.as_tensor(np.broadcast_to(np.arange(3.), (1, 3))[:, ::2])
r += [t, t.stride()]

import numpy as np
a = np.ones(3)
t = torch.from_numpy(a).requires_grad_()
(t * t).sum().backward()
with torch.no_grad():
    t -= t.grad
r += [a, t.grad]
a[:] = 3
(t * t).sum().backward()
torch.optim.SGD([t], lr=0.1).step()
r += [a, t.grad]
torch.optim.Adam([t], lr=0.1).step()
r += [a]

import numpy as np
a = np.ones(2, np.float32)
for t in (torch.as_tensor(a), torch.asarray(a), torch.asarray(a, copy=False), torch.as_tensor(a, dtype=torch.float64),
          torch.asarray(a, copy=True), torch.tensor(a), torch.from_dlpack(a)):
    a[0] += 1
    t[1] += 1
    r += [t, a.copy()]

import numpy as np
b = bytearray(16)
t = torch.frombuffer(b, dtype=torch.float32)
b[0:4] = np.float32(1.5).tobytes()
t[1] = 2.5
r += [t, bytes(b).hex()]

import numpy as np
a = np.zeros(3)
t = torch.from_numpy(a)
for write in (lambda: t.fill_(3), lambda: t.zero_(), lambda: t.normal_(), lambda: t.copy_(torch.ones(3)),
              lambda: t.detach().add_(1), lambda: t.data.add_(1), lambda: torch.add(t, 1, out=t),
              lambda: t.index_add_(0, torch.tensor([0]), t[:1].clone()), lambda: t[1:].mul_(2),
              lambda: t.masked_fill_(t > 5, 0), lambda: setattr(t, "data", t.data)):
    write()
    r += [a.copy(), t._version]

import numpy as np
a = np.ones(3)
t = torch.from_numpy(a)
c = t.clone()
w = torch.ones(3, dtype=torch.float64, requires_grad=True)
first, second = (w * t).sum(), (w * c).sum()
a[:] = 9
r += [c, t, t.data_ptr() == a.ctypes.data, t[1:].data_ptr() == a[1:].ctypes.data]
(first + second).backward()
r += [w.grad]

import numpy as np
a = np.ones((3, 4))
for part in (a.T, a[::2], a[:, 1:3], a[1], a[..., None]):
    t = torch.from_numpy(part)
    t[0] += 5
    part[-1] -= 1
    r += [a.copy(), t]
r += [torch.from_numpy(a.T).stride()]

import numpy as np
z = torch.zeros(3, 2)
n = z.numpy()
z.t_()
n[0, 1] = 3
r += [z, z.stride()]
z.resize_(2)
z[0] = 8
r += [n]

import numpy as np
a = np.zeros((), np.int64)
t = torch.from_numpy(a)
a[...] = 3
t += 1
r += [a, t.item(), torch.from_numpy(np.zeros((0, 2))).shape]

import numpy as np
t = torch.from_numpy(np.frombuffer(b"12345678", np.uint8).copy())
kept = [t.numpy() for _ in range(3)]
kept[1][0] = 0
del kept
t += 1
r += [t, t.sum()]

import numpy as np
model = torch.nn.Linear(2, 1)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.zero_()
w = model.weight.detach().numpy()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for i in range(4):
    model(torch.ones(3, 2)).sum().backward()
    opt.step()
    opt.zero_grad()
    r += [w.copy()]
    if i == 2:
        w[:] = 0

import numpy as np
x = torch.tensor([1., 2., 3.], requires_grad=True)
v = x[1:]
v.data.numpy()[0] = 7
r += [v.index_select(0, torch.tensor([1, 0])), v, v.grad_fn.name()]

import numpy as np
t = (torch.tensor([1., 2., 3.]) + 1).view(3)
np.negative(t.detach().numpy(), out=t.detach().numpy())
r += [t * 1]
t = (torch.tensor([1., 2., 3.]) + 1)[1:]
np.negative(t.detach()[:].numpy(), out=t.detach()[:].numpy())
r += [t[:] * 1]

import numpy as np
a = np.arange(12.).reshape(6, 2)
data = torch.utils.data.TensorDataset(torch.from_numpy(a))
loader = torch.utils.data.DataLoader(data, batch_size=3)
r += [x for x, in loader]
a += 1
r += [x for x, in loader]
""")


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program):
    check_report(program)


def test_what_is_not_shared():
    """Differs from PyTorch: see `Tensor.numpy`."""
    z = torchlike.zeros(2, dtype=torchlike.complex64)
    z.real.numpy()[0] = 1
    assert z.abs().sum() == 0


def test_read_only_memory_is_not_written_to():
    a = np.ones(3)
    a.flags.writeable = False
    t = torchlike.from_numpy(a)
    t += 1
    assert (t.tolist(), a.tolist()) == ([2.0] * 3, [1.0] * 3)


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # PyTorch's has no copy keyword
@pytest.mark.parametrize("t", [torch, torchlike])
def test_what_copies(t):
    x = t.ones(2)
    np.array(x)[0] = 5
    np.asarray(x, np.float64)[0] = 5
    x.numpy().copy()[0] = 5
    assert x.tolist() == [1.0, 1.0]
    np.asarray(x)[0] = 5
    assert x.tolist() == [5.0, 1.0]


def outside(t) -> bool:
    return storage_of(t._cell).trace.__class__ is Outside


def test_memory_that_nobody_holds_is_like_any_other():
    t = torchlike.from_numpy(np.ones(3))
    assert outside(t)
    (t + 1).sum().item()
    assert not outside(t)
    n = t.numpy()
    t + 1
    assert outside(t)
    part = n[1:]
    del n
    t + 1
    assert outside(t)
    part[:] = 5
    assert t.tolist() == [1.0, 5.0, 5.0]
    del part
    t + 1
    assert not outside(t)


def test_others_than_arrays_hold_memory_for_good():
    t = torchlike.frombuffer(bytearray(8), dtype=torchlike.uint8)
    t + 1
    assert outside(t) and is_outside(storage_of(t._cell))


def test_the_array_lives_as_long_as_the_tensor():
    a = np.ones(3)
    t = torchlike.from_numpy(a)
    before = sys.getrefcount(a)
    del t
    gc.collect()
    assert sys.getrefcount(a) < before


def test_a_large_set_is_read_by_its_windows():
    """An index reads what it picks, not the whole memory."""
    a = np.zeros((50_000, 100), np.float32)
    t = torchlike.from_numpy(a)
    state = torchlike._record.trace.state
    for i in range(100):
        t[i] + 1
    assert sum(array.nbytes for array in state.trace.inputs) < a.nbytes


STEPS = (
    "a[{i}] = {v}", "a[:, {j}] += {v}", "t[{i}] = {v}", "t.add_({v})", "t[:, {j}].mul_({v})",
    "t.t_()", "r += [(t * {v})]", "r += [a.copy()]", "v = t[{i}]", "v += {v}",
    "r += [v + 1]", "f = t.reshape(-1)", "f[{i}] = {v}", "n = t.numpy()", "n[0] = {v}",
    "n = None", "x = x * t.sum()", "r += [x.sum()]", "t.data = t.data", "s = t.unbind(0)",
    "s[0].zero_()", "t = t.detach()", "u = t.view(3, 3)", "r += [u[{i}]]",
)


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 2), st.integers(0, 2), st.integers(-2, 3)), max_size=14))
@settings(max_examples=150, deadline=None)
def test_random_programs(steps):
    lines = ["import numpy as np", "a = np.arange(9.).reshape(3, 3)", "t = torch.from_numpy(a)", "x = torch.ones(2)",
             "v, f, n, s, u = t[0], t.view(-1), None, t.unbind(0), t"]
    lines += [step.format(i=i, j=j, v=v) for step, i, j, v in steps]
    check_report("\n".join([*lines, "r += [a, t, v, f, x]"]))


def test_both_know_the_steps():
    for step in STEPS:
        report = []
        scope = {"torch": torch, "r": report, "a": np.ones((3, 3)), "x": torch.ones(2), "n": np.ones(3)}
        exec("t = torch.from_numpy(a); v, f, s, u = t[0], t.view(-1), t.unbind(0), t\n" + step.format(i=0, j=0, v=2), scope)
