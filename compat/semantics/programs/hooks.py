"""Hooks on tensors and Nodes: order, arguments, what a returned value changes, errors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

def first(g): return g[:1]
def after(y, hook, kind='register_hook'):
    getattr(y.grad_fn, kind)(hook)
    (y[0] if isinstance(y, tuple) else y).sum().backward()
def hooked(y):
    y.register_hook(lambda g: show('tensor', g))
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: show('before', gs))
    y.grad_fn.register_hook(lambda *gs: show('after', gs))
    return y
def leaf(hook):
    w = torch.ones(3, requires_grad=True)
    w.register_hook(hook)
    (w * 2).sum().backward()
    return w.grad


# %% tensor: size
y = x * 2
y.register_hook(first)
y.sum().backward()


# %% tensor: type
y = x * 2
y.register_hook(lambda g: g.double())
y.sum().backward()


# %% tensor: no tensor
y = x * 2
y.register_hook(lambda g: 3)
y.sum().backward()


# %% tensor: replaced
y = x * 2
y.register_hook(lambda g: g * 3)
y.register_hook(lambda g: show(g))
y.sum().backward()
show(x.grad)


# %% tensor: removed
y = x * 2
h = y.register_hook(lambda g: g * 3)
h.remove()
h.remove()
with y.register_hook(lambda g: g * 5): pass
y.sum().backward()
show(x.grad)


# %% tensor: second output
a, b = x.unbind(0)[:2]
b.register_hook(lambda g: show(g))
(a + 2 * b).backward()
show(x.grad)


# %% what leads nowhere: the tensor to start from has its hooks called, if it is one
y = hooked(z * 2)
show(torch.autograd.grad(y.sum(), x, allow_unused=True))
show(torch.autograd.grad(hooked(y.sum()), x, allow_unused=True))
hooked(y.sum()).backward(inputs=[x], retain_graph=True)
show(torch.autograd.grad([hooked(y.sum()), hooked(x.sum())], x), x.grad)
s = hooked(y.sum())
show(torch.autograd.grad([s, s], x, allow_unused=True))
z.register_hook(lambda g: show('leaf', g))
show(torch.autograd.grad(z, x, z.detach(), allow_unused=True))
torch.autograd.grad(hooked(z.sum()), x)


# %% leaf: size
leaf(first)


# %% leaf: replaced
show(leaf(lambda g: g * 3))


# %% leaf: tuple
leaf(lambda g: (g,))


# %% leaf: grad()
x.register_hook(lambda g: g * 3)
show(torch.autograd.grad((x * 2).sum(), x))


# %% no grad needed
torch.ones(3).register_hook(first)


# %% after accumulation
log = []
x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, p.grad.clone())))
(x * 2).sum().backward()
(x * 2).sum().backward()
show(log)


# %% after accumulation: no grad
torch.ones(3).register_post_accumulate_grad_hook(first)


# %% after accumulation: no leaf
(x * 2).register_post_accumulate_grad_hook(first)


# %% after accumulation: returns
x.register_post_accumulate_grad_hook(lambda p: 3)
(x * 2).sum().backward()


# %% retain: no grad
torch.ones(3).retain_grad()


# %% retain: leaf
x.retain_grad()
show(x.retains_grad, (x * 2).retains_grad)


# %% retain
y = x * 2
y.retain_grad()
y.retain_grad()
y.sum().backward(retain_graph=True)
y.sum().backward()
show(y.grad, y.retains_grad)


# %% retain: after hooks
y = x * 2
y.retain_grad()
y.register_hook(lambda g: g * 2)
y.sum().backward()
show(y.grad)


# %% write: hooks
y = x * 2
y.register_hook(lambda g: show('old', g))
y.mul_(3)
y.register_hook(lambda g: show('new', g))
y.sum().backward()


# %% write: retain
y = x * 2
y.retain_grad()
y.mul_(3)
y.sum().backward()
show(y.grad)


# %% node: both
y = x * 2
y.grad_fn.register_hook(lambda i, o: show(i, o))
y.grad_fn.register_prehook(lambda o: (show(o), (o[0] * 3,))[1])
y.sum().backward()
show(x.grad)


# %% node: handle
y = x * 2
h = y.grad_fn.register_hook(lambda i, o: (i[0] * 3, None))
y.sum().backward(retain_graph=True)
h.remove()
y.sum().backward()
show(x.grad)


# %% node: replaces None
after(x * 2, lambda i, o: (i[0], i[0]))


# %% node: tensor
after(x * 2, lambda i, o: i[0])


# %% node: int
after(x * 2, lambda i, o: 3)


# %% node: size
after(x.clone(), lambda i, o: (i[0][:1],))


# %% node: number
after(x.clone(), lambda i, o: (i[0], i[0]))


# %% node: all None
after(x * z, lambda i, o: (None, None))
show(x.grad, z.grad)


# %% prehook: int
after(x * 2, lambda o: 3, 'register_prehook')


# %% prehook: number
after(x * 2, lambda o: (o[0], o[0]), 'register_prehook')


# %% prehook: tensor
after(x * 2, lambda o: o[0] * 2, 'register_prehook')


# %% prehook: size
after(x * 2, lambda o: (o[0][:1],), 'register_prehook')


# %% inputs seen: where
after(torch.where(x > 0, x, z), lambda i, o: show(len(i), len(o), i))


# %% inputs seen: gather
after(x.gather(0, torch.tensor([0, 1])), lambda i, o: show(i, o))


# %% inputs seen: max
y = x.max(0).values
after(y, lambda i, o: show(i, o))


# %% inputs seen: number
after(x * 2, lambda i, o: show(i, o))


# %% inputs seen: constant
y = x * torch.ones(3)
show(y.grad_fn.next_functions)
after(y, lambda i, o: show(i, o))


# %% inputs seen: leaf
y = x * 2
y.grad_fn.next_functions[0][0].register_hook(lambda i, o: show(i, o))
y.sum().backward()


# %% leaf node: prehook
y = x * 2
y.grad_fn.next_functions[0][0].register_prehook(lambda o: (o[0] * 2,))
y.sum().backward()
show(x.grad)


# %% order
log = []
y = x * 2
n, acc = y.grad_fn, y.grad_fn.next_functions[0][0]
n.register_hook(lambda *a: log.append('post'))
n.register_prehook(lambda *a: log.append('pre'))
y.register_hook(lambda g: log.append('tensor'))
y.retain_grad()
y.register_hook(lambda g: (log.append('tensor 2'), g * 2)[1])
x.register_hook(lambda g: log.append('leaf'))
acc.register_prehook(lambda g: log.append('leaf pre'))
acc.register_hook(lambda *a: log.append('leaf post'))
x.register_post_accumulate_grad_hook(lambda p: log.append('accumulated'))
y.sum().backward(retain_graph=True)
log.append('grad(x)')
torch.autograd.grad(y.sum(), x, retain_graph=True)
log.append('grad(y)')
torch.autograd.grad(y.sum(), y, retain_graph=True)
log.append('inputs')
y.sum().backward(inputs=[x])
show(log, y.grad, x.grad)


# %% several: all
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
c, d, log = a * b, a * b, []
h = graph.register_multi_grad_hook((a, b, c, d), lambda g: log.append([v is not None for v in g]))
c.sum().backward(retain_graph=True)
c.sum().backward(inputs=(a,), retain_graph=True)
(c + d).sum().backward(retain_graph=True)
h.remove()
c.sum().backward()
show(log)


# %% several: any
a, b, log = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), []
c = a * b
h = graph.register_multi_grad_hook((a, b, c), log.append, mode='any')
(c * 3).sum().backward(retain_graph=True)
(c * 4).sum().backward()
show(log)


# %% several: mode
graph.register_multi_grad_hook((x,), print, mode='some')


# %% several: no grad
graph.register_multi_grad_hook((torch.ones(2),), print)
