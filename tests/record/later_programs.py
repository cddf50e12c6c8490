"""More programs of views and writes: see view_programs.py. What earlier ones left open."""

LATER = """
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
v = y[0]
y.t_()
w = torch.ones(3, requires_grad=True)
v.mul_(w * 2)
(y * y).sum().backward()
r += [y, v, x.grad, w.grad]

x = torch.ones(2, 2, requires_grad=True)
y = x * 1
d = y.detach()
v = d[0]
v.mul_(3.)
r += [y, v, d._version, y._version, v._base is d]
(y * 2).sum().backward()
r += [x.grad]

b = torch.zeros(4)
x = torch.ones(2, requires_grad=True)
v = b[:2]
v.add_(x)
b.mul_(3.)
v.mul_(2.)
(v * v).sum().backward()
r += [x.grad, b]

x = torch.ones(4, requires_grad=True)
y = (x * 1).unsqueeze(0)
y.squeeze_(0)
y.mul_(x)
r += [y, y.grad_fn.name(), y._base.grad_fn.name()]
y.sum().backward()
r += [x.grad]

x = torch.ones(4, requires_grad=True)
y = x * 1
y.unsqueeze_(0)
y.mul_(2.)
y.squeeze_(0)
(y * y).sum().backward()
r += [y.grad_fn.name(), y._version, x.grad]

x = torch.ones(3, requires_grad=True)
y = x * 2
v = y[0:2]
z = v * v
y[2] = 5.
z.sum().backward()

x = torch.ones(3, requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
h.mul_(3.)
h.sum().backward()
r += [x.grad]

x = torch.ones(3, requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
v = h[1:]
v.mul_(3.)
h.sum().backward()
r += [x.grad]

x = torch.ones(3, requires_grad=True)
h = x * 2
v = h[1:]
v.register_hook(lambda g: g * 10)
h.mul_(3.)
(v.sum() + h.sum()).backward()
r += [x.grad]

x = torch.ones(3, requires_grad=True)
h = x * 2
v = h[1:]
v.retain_grad()
h.mul_(3.)
v.sum().backward()
r += [x.grad, v.grad]

x = torch.ones(3, requires_grad=True)
h = x * 2
h.retain_grad()
v = h[1:]
v.mul_(3.)
h.sum().backward()
r += [x.grad, h.grad]

x = torch.ones(3)
y = x.expand(2, 3)
y.zero_()
r += [x, y]

x = torch.ones(4)
y = x.unsqueeze(0)
y.squeeze_(0)
y.add_(1.)
r += [x, y, y._is_view(), y._base is x, y.shape]

x = torch.tensor([1., 4.], requires_grad=True)
y = x * 1
y.asinh_()
r += [y, y.grad_fn.name()]
y.sum().backward()

x = torch.tensor([1., 4.], requires_grad=True)
y = x * 1
y.logical_not_()
r += [y, y.grad_fn.name(), x.logical_not_() is x]

x = torch.tensor([1., 4.], requires_grad=True)
y = x * 1
y.gt_(2.)
r += [y, y.grad_fn.name()]
y.sum().backward()
r += [x.grad]

x = torch.tensor([1. + 2.j, 3. - 1.j], requires_grad=True)
y = x * 1
v = y.imag
v.mul_(2.)
y.mul_(2.)
r += [v.grad_fn.name(), v]
(v * v).sum().backward()
r += [x.grad]
"""
