"""Nodes: their names, edges and lives, and what they save."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
c = torch.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)

class Note: pass

def grad(y, v=x, **options):
    return torch.autograd.grad(y, v, **options)[0]


# %% name: arithmetic
show([y.grad_fn.name() for y in (x + 1, x - 1, 1 - x, x * 2, x / 2, 2 / x, x ** 2, 2 ** x, -x, x @ x, x % 2, abs(x))])


# %% name: reductions
show([y.grad_fn.name() for y in (x.sum(), x.sum(0), x.mean(), x.mean(0), x.max(), x.max(0).values, x.prod(), x.std(),
                                 x.norm(), x.logsumexp(0), x.amax(), x.median(), x.cumsum(0))])


# %% name: pointwise
show([y.grad_fn.name() for y in (x.exp(), x.log(), x.sin(), x.tanh(), x.sigmoid(), x.relu(), x.clamp(0), x.sqrt(),
                                 x.abs(), x.erf(), x.square(), x.reciprocal(), F.softplus(x), F.gelu(x))])


# %% name: joining and choosing
show([y.grad_fn.name() for y in (torch.cat([x, z]), torch.stack([x, z]), x[0], x[1:], x[[0]], x[x > 0],
                                 torch.where(x > 0, x, z), x.gather(0, torch.tensor([0])), x.flip(0), x.sort().values,
                                 x.topk(1).values, x.repeat(2), x.clone(), x.double())])


# %% name: layers
w, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, requires_grad=True)
show([y.grad_fn.name() for y in (F.linear(x, w, b), F.linear(x[None], w, b), F.softmax(x, 0), F.log_softmax(x, 0),
                                 F.mse_loss(x, z), F.layer_norm(x, (3,)), w.t() @ w, w.bmm(w) if w.dim() > 2 else w @ x)])


# %% name: the leaf's accumulator
y = x * 2
show(y.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[0][0].variable is x)


# %% name: repr and type
node = (x * 2).grad_fn
show(type(node).__name__, isinstance(node, torch.autograd.graph.Node), repr(node))


# %% node: identity is stable
y = x * 2
show(y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, hash(y.grad_fn) == hash(y.grad_fn))


# %% node: accumulator is shared while it lives
a, b = x * 2, x * 3
show(a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0])


# %% node: next_functions of constants
show([(None if n is None else n.name(), i) for n, i in (x * torch.ones(3)).grad_fn.next_functions])


# %% node: next_functions, output numbers
a, b, *_ = x.unbind(0)
show([(n.name(), i) for n, i in (a * b).grad_fn.next_functions], b.output_nr)


# %% node: metadata is a dict of one's own
node = (x * 2).grad_fn
node.metadata["key"] = [1]
show(node.metadata, (x * 3).grad_fn.metadata)


# %% node: metadata is seen from the next Node
y = x * 2
y.grad_fn.metadata["key"] = 5
show((y + 1).grad_fn.next_functions[0][0].metadata)


# %% node: called by hand
show((x * 2).grad_fn(torch.ones(3)))


# %% node: sequence numbers rise
a = x * 2
b = a * 2
show(a.grad_fn._sequence_nr() < b.grad_fn._sequence_nr())


# %% node: dies with its tensor
y = x * 2
note = y.grad_fn.metadata["note"] = Note()
reference = weakref.ref(note)
gc.disable()
del y, note
show(reference() is None)
gc.enable()


# %% node: is kept by its graph, which dies without the collector
y = x * 2
note = y.grad_fn.metadata["note"] = Note()
reference = weakref.ref(note)
gc.disable()
out = (y * y).exp().sum()
del y, note
show(reference() is None)
out.backward()
show(reference() is None)
del out
show(reference() is None)
gc.enable()


# %% node: tensor with a hook on itself dies
y = x * 2
y.register_hook(lambda g: g)
reference = weakref.ref(y)
gc.disable()
out = y.sum()
del y
show(reference() is None)
out.backward()
gc.enable()


# %% node: saved input keeps the tensor's values alive
y = x * 2
out = (y * y).sum()
del y
out.backward()
show(x.grad)


# %% node: retained graph dies with its output
out = (x * 2).exp().sum()
note = out.grad_fn.next_functions[0][0].metadata["note"] = Note()
reference = weakref.ref(note)
out.backward(retain_graph=True)
gc.disable()
del out, note
show(reference() is None)
gc.enable()


# %% saved: of mul
node = (x * z).grad_fn
show(node._saved_self, node._saved_other)


# %% saved: is the leaf itself
node = (x * z).grad_fn
show(node._saved_self is x, node._saved_other is z)


# %% saved: unneeded operand is None
node = (x * torch.ones(3)).grad_fn
show(node._saved_self, node._saved_other)


# %% saved: of exp is the result
y = x.exp()
show(y.grad_fn._saved_result, y.grad_fn._saved_result.grad_fn is y.grad_fn)


# %% saved: of pow
node = (x ** 3).grad_fn
show(node._saved_self, node._saved_exponent)


# %% saved: of sum
node = x.view(3, 1).sum(0).grad_fn
show(node._saved_dim, node._saved_keepdim)


# %% saved: sizes of sum
show(x.view(3, 1).sum(0).grad_fn._saved_self_sym_sizes)


# %% saved: numbers of add and addcmul
show(torch.add(x, z, alpha=3).grad_fn._saved_alpha, torch.addcmul(x, x, z).grad_fn._saved_value)


# %% saved: of softmax
node = F.softmax(x, 0).grad_fn
show(node._saved_result, node._saved_dim)


# %% saved: of clamp
node = x.clamp(0, 1).grad_fn
show(node._saved_min, node._saved_max)


# %% saved: after backward
y = x.exp()
y.sum().backward()
show(attempt(lambda: y.grad_fn._saved_result))


# %% saved: after a retaining backward
y = x.exp()
y.sum().backward(retain_graph=True)
show(y.grad_fn._saved_result)


# %% saved: modified
y = x * 2
w = y * y
y.add_(1)
show(attempt(lambda: w.grad_fn._saved_self))


# %% saved: unknown name
show(attempt(lambda: (x * z).grad_fn._saved_nothing))


# %% raw saved: hooks
node = (x * x).grad_fn
node._raw_saved_self.register_hooks(lambda t: t.detach() * 10, lambda t: t)
show(node._saved_self)


# %% raw saved: hooks twice
node = (x * x).grad_fn
node._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
show(attempt(lambda: node._raw_saved_self.register_hooks(lambda t: t, lambda t: t)))


# %% raw saved: type
show(type((x * x).grad_fn._raw_saved_self).__name__)


# %% raw saved: after backward
y = x * x
y.sum().backward()
show(attempt(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)))


# %% operands of integers have edges without a Node
w, k = torch.ones(3, requires_grad=True), torch.tensor([1, 0, 2])
for y in (w + k, w * k[0], k[0] + w, w - k, torch.maximum(w, k), torch.where(w > 0, w, k), torch.add(w, k, alpha=2), w / (k + 1),
          torch.addcmul(w, w, k), w ** k, torch.lerp(w, w, w), torch.cat((w, k)), torch.stack((k, w))):
    show(y.grad_fn.name(), [node and node.name() for node, _ in y.grad_fn.next_functions])
    if "Cat" not in y.grad_fn.name() and "Stack" not in y.grad_fn.name():  # PyTorch's hooks see a gradient of k there
        y.grad_fn.register_hook(lambda i, o: show([x is None for x in i]))
    y.sum().backward()
