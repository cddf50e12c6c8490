"""More programs of views and in-place writes: setitem, shapes, out=, complex numbers."""

SET = """
x = torch.ones(2, 3, requires_grad=True)
x[[1, 0]] = torch.ones(2, 3, dtype=torch.float64)

x = torch.ones(2, 3, requires_grad=True)
x[[7]] = torch.ones(4)

x = torch.arange(5.)
x.as_strided((2, 2), (1, 1), 1).copy_(torch.arange(4.).view(2, 2))
x.as_strided((2, 2), (1, 2)).mul_(2)
r = [x, x.as_strided((2, 2), (1, 1)).fill_(7.), x.unfold(0, 2, 2).mul_(3), x]

r = []
for index in ([1, 0], torch.tensor([True, True])):
    x = torch.arange(3.).expand(2, 3)
    try:
        x[index] = x
    except RuntimeError as error:
        r += [str(error)]
x.index_copy_(0, torch.tensor([1, 0]), x)

k = torch.tensor([1, 0, 1]).expand(2, 3)
k.index_fill_(0, k, 1)

x = torch.zeros(3, 4)
x[1] = 1.
x[:, 2] = 2.
x[0, 1:3] = torch.tensor([5., 6.])
x[..., 0] = torch.tensor([7., 8., 9.])
x[2, None] = 3.
x[-1, -1] = torch.tensor(4.)
r = [x, x._version]

x = torch.zeros(3, 4)
x[torch.tensor([0, 2])] = 1.
x[torch.tensor([0, 2]), torch.tensor([1, 3])] = torch.tensor([5., 6.])
x[[1, 2], :] = torch.arange(4.)
x[x > 4] = -1.
x[True] = x + 1.
x[False] = 100.
r = [x, x._version]

x = torch.zeros(3, 4)
x[:, torch.tensor([True, False, True, False])] = torch.ones(3, 2) * 2
x[torch.tensor([[0], [1]]), torch.tensor([[2, 3]])] = torch.tensor([[1., 2.], [3., 4.]])
x[1, torch.tensor([0, 1])] += 1.
r = [x]

x = torch.zeros(3, 4)
x[::2] = torch.ones(1, 1, 4)
x[:, ::3] = torch.ones(3, 1) * 5
r = [x]

x = torch.zeros(3, 4)
x[0] = torch.ones(3)

x = torch.zeros(3, 4)
x[5] = 1.

x = torch.zeros(3, 4)
x[0, 0, 0] = 1.

x = torch.zeros(3, 4)
x['a'] = 1.

x = torch.zeros(3)
x[0] = 'a'

x = torch.zeros(3, dtype=torch.int64)
x[0] = 2.7
x[1:] = torch.tensor([1.5, 2.5])
r = [x]

x = torch.zeros(3)
x[0] = torch.tensor([1, 2])

x = torch.ones(3, 4, requires_grad=True)
w = torch.arange(4., requires_grad=True)
y = x * 1
y[1] = w
y[:, 2] = w[:3] * 2
y[0, 0] = w.sum()
(y * y).sum().backward()
r = [y, x.grad, w.grad]

x = torch.ones(3, 4, requires_grad=True)
w = torch.arange(2., requires_grad=True)
y = x * 1
y[torch.tensor([0, 2]), torch.tensor([1, 3])] = w
r = [y.grad_fn.name()]
(y * y).sum().backward()
r += [y, x.grad, w.grad]

x = torch.ones(3, 4, requires_grad=True)
y = x * 1
m = torch.tensor([[True, False, True, False]] * 3)
y[m] = 0.5
r = [y.grad_fn.name()]
(y * y).sum().backward()
r += [y, x.grad]

x = torch.ones(3, 4, requires_grad=True)
w = torch.ones(6, requires_grad=True)
y = x * 1
m = torch.tensor([[True, False, True, False]] * 3)
y[m] = w * 3
(y * y).sum().backward()
r = [y, x.grad, w.grad]

x = torch.ones(3, 4, requires_grad=True)
y = x * 1
y[:, None, 1] = 4.
y[0:2, [0, 3]] = 2.
(y * y).sum().backward()
r = [y, x.grad]

w = torch.ones((), requires_grad=True)
y = torch.zeros(3)
y[1] = w
y[2] = w * 2
(y * y).sum().backward()
r = [y, w.grad, y.grad_fn.name()]

x = torch.arange(6.).view(2, 3)
y = x.clone()
y[0], y[1] = y[1].clone(), y[0].clone()
r = [y]

x = torch.arange(6.)
x[1:] = x[:-1].clone()
x[0:2] += x[2:4]
r = [x]

x = torch.zeros(2, 2)
x[0] = x[1] = torch.tensor([1., 2.])
x[0][1] = 7.
r = [x, x._version]
"""

SHAPES = """
x = torch.ones(1, 3).expand(2, 3)
x.add_(1.)

x = torch.ones(1, 3)
x.expand(2, 3)[0] = 5.
r = [x]

x = torch.ones(2, 3, requires_grad=True)
x.view(7)

x = torch.ones(2, 3).t()
r = [x.stride(), x.is_contiguous(), x.contiguous().stride(), x.clone().stride(), (x + 1).stride()]
x.view(6)

x = torch.ones(2, 3).t()
r = [x.reshape(6), x.reshape(3, 2).stride()]

x = torch.arange(6.).view(2, 3)
a = x.t().reshape(6)
b = x.reshape(6)
a.add_(1.)
b.add_(10.)
r = [x, a, b, a._is_view(), b._is_view()]

x = torch.arange(6).view(2, 3)
r = [x.permute(1, 0).stride(), x.unsqueeze(1).stride(), x[:, ::2].stride(), x[:, 1:].storage_offset()]
r += [x.expand(4, 2, 3).stride(), x.unfold(1, 2, 1).stride(), x.t()[1].storage_offset(), x.squeeze().shape]

x = torch.arange(24.).view(2, 3, 4)
v = x.permute(2, 0, 1)[1:3, :, ::2].transpose(0, 1)
v.mul_(-1.)
r = [x, v.stride(), v.storage_offset(), v._base is x, v]

x = torch.arange(24.).view(2, 3, 4)
r = [x.data_ptr() == x.view(6, 4).data_ptr(), x[1].data_ptr() == x.data_ptr(), x._base is None, x._is_view()]

x = torch.arange(12.).view(3, 4)
v = x.as_strided((2, 2), (4, 2), 1)
v.add_(100.)
w = v.as_strided((2,), (4,), 0)
w.mul_(0.)
r = [x, v, w, w.storage_offset()]

x = torch.arange(12.).view(3, 4)[1:]
v = x.as_strided((2, 2), (4, 2))
v.add_(100.)
r = [x, v, v.storage_offset()]

x = torch.arange(6.).view(2, 3)
x.t_()
r = [x, x.shape, x.stride(), x._version]
x.unsqueeze_(0)
r += [x.shape, x._version]
x.squeeze_(0).transpose_(0, 1)
r += [x, x.stride(), x._version]

x = torch.arange(6., requires_grad=True)
y = (x * 2).view(2, 3)
y.t_()
r = [y.grad_fn.name(), y]

x = torch.tensor([1, 2, 3])
x.add_(1.5)

x = torch.ones(3)
x.add_(torch.ones(2, 3))

x = torch.ones(3)
x.add_(torch.ones(4))

x = torch.ones(3, dtype=torch.int64)
x.div_(2)

x = torch.ones(3, dtype=torch.int64)
x += True
x.mul_(torch.tensor(3))
r = [x]

x = torch.ones(3)
x.add_(torch.ones(3, dtype=torch.float64))
x.add_(torch.ones(3, dtype=torch.int64))
r = [x]

x = torch.ones(3, requires_grad=True)
w = torch.ones(3, dtype=torch.float64, requires_grad=True)
y = x * 1
y.mul_(w * 2)
y.sum().backward()
r = [y, x.grad, w.grad]

x = torch.ones(3)
x.eq_(torch.tensor([1., 2., 1.]))
r = [x]

x = torch.zeros(3)
r = [x.add_(1.) is x, x.zero_() is x, x.fill_(3.) is x, x.copy_(torch.ones(1)) is x, x]

x = torch.zeros(0, 3)
x.add_(1.)
x[:, 1] = 5.
r = [x, x._version]

x = torch.arange(8.)
y = x.view(2, 2, 2)[:, 1]
z = y.unbind(0)[1]
x.mul_(2.)
r = [y, z, z._base is x, z.storage_offset(), z.stride()]
z.add_(100.)
r += [x, y]
"""

OUT = """
o = torch.zeros(3)
got = torch.add(torch.ones(3), torch.ones(3), out=o)
r = [o, got is o, o._version]

o = torch.zeros(0)
torch.exp(torch.zeros(3), out=o)
r = [o, o.shape]

o = torch.zeros(3, dtype=torch.int64)
torch.exp(torch.zeros(3), out=o)

o = torch.zeros(3, dtype=torch.float64)
torch.exp(torch.zeros(3), out=o)
r = [o]

o = torch.zeros(3, requires_grad=True)
torch.exp(torch.zeros(3), out=o)

o = torch.zeros(3)
torch.exp(torch.zeros(3, requires_grad=True), out=o)

o = torch.zeros(3)
with torch.no_grad():
    torch.exp(torch.zeros(3, requires_grad=True), out=o)
r = [o, o.requires_grad]

b = torch.zeros(2, 3)
torch.add(torch.ones(3), 1., out=b[0])
torch.mul(torch.ones(2), 4., out=b[:, 1])
r = [b, b._version]

o = torch.zeros(2, 2)
torch.mm(torch.ones(2, 2), o + 1, out=o)
torch.add(o, o, out=o)
r = [o, o._version]

a, b = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
torch.max(torch.tensor([[1., 2.], [4., 3.]]), 1, out=(a, b))
r = [a, b]

w = torch.ones(3, requires_grad=True)
o = torch.zeros(3)
y = w * o
torch.add(torch.ones(3), 1., out=o)
y.sum().backward()
"""

COMPLEX = """
x = torch.tensor([1. + 2.j, 3. - 1.j], requires_grad=True)
y = x * 1
y.real.mul_(3.)
y.imag.add_(1.)
r = [y, y.real._is_view(), y.real._base is y, y.real.stride(), y.imag.storage_offset()]
(y * y.conj()).real.sum().backward()
r += [x.grad]

x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x * 1
c = torch.view_as_complex(y)
c.mul_(1j)
r = [y, c, c.stride(), c._is_view()]
(y * y).sum().backward()
r += [x.grad]

x = torch.tensor([1. + 2.j, 3. - 1.j], requires_grad=True)
y = x * 1
v = torch.view_as_real(y)
v[:, 0] = 7.
r = [y, v, v.stride(), v.shape]
torch.view_as_real(y * y).sum().backward()
r += [x.grad]

x = torch.tensor([1. + 2.j, 3. - 1.j], requires_grad=True)
y = x * 1
v = y.conj()
v.mul_(2j)
r = [y.resolve_conj(), v.resolve_conj(), v._is_view()]
torch.view_as_real(y * y).sum().backward()
r += [x.grad]
"""
