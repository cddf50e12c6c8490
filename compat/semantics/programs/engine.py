"""The backward pass: twice, higher orders, autograd.grad, undefined gradients, exceptions, hooks while it runs."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
c = torch.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)

class Note: pass

def grad(y, v=x, **options):
    return torch.autograd.grad(y, v, **options)[0]


# %% twice: second backward
y = (x * x).sum()
y.backward()
show(attempt(lambda: y.backward()))


# %% twice: nothing saved
y = (x + 1).sum()
y.backward()
show(attempt(lambda: y.backward()), x.grad)


# %% twice: retain_graph accumulates
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
show(x.grad)


# %% twice: shared part of two losses
h = x.exp()
a, b = h.sum(), (h * 2).sum()
a.backward()
show(attempt(lambda: b.backward()))


# %% twice: both losses in one call
h = x.exp()
torch.autograd.backward([h.sum(), (h * 2).sum()])
show(x.grad)


# %% twice: grad frees too
y = (x * x).sum()
grad(y)
show(attempt(lambda: grad(y)))


# %% twice: create_graph retains
y = (x * x).sum()
grad(y, create_graph=True)
show(grad(y))


# %% twice: grad of a part frees only that part
h = x.exp()
y = (h * h).sum()
grad(y, h)
show(attempt(lambda: h.sum().backward()), x.grad)


# %% order: second derivative
g = grad((x ** 3).sum(), create_graph=True)
show(g.detach(), g.requires_grad, grad(g.sum()))


# %% order: third derivative
g = grad(x.sin().sum(), create_graph=True)
h = grad(g.sum(), create_graph=True)
show(grad(h.sum()), g.requires_grad, h.requires_grad)


# %% order: Nodes of a first derivative
show(grad(x.sin().sum(), create_graph=True).grad_fn.name(), grad((x * z).sum(), create_graph=True).requires_grad)


# %% order: mixed second derivative
g = grad((x * z.exp()).sum(), create_graph=True)
show(grad(g.sum(), z))


# %% order: gradient penalty
g = grad((x ** 2).sum(), create_graph=True)
((g.norm() - 1) ** 2).backward()
show(x.grad)


# %% order: constant first derivative
g = grad((x * 2).sum(), create_graph=True)
show(g.requires_grad)


# %% order: hessian by rows
g = grad((x * x * z).sum() + x.prod(), create_graph=True)
show(torch.stack([grad(g[i], retain_graph=True) for i in range(3)]))


# %% order: backward with create_graph warns
(x ** 2).sum().backward(create_graph=True)
show(x.grad)
x.grad = None


# %% order: gradient of .grad
(x ** 2).sum().backward(create_graph=True)
g = x.grad
x.grad = None
g.sum().backward()
show(x.grad)
x.grad = None


# %% order: Hessian-vector product
v = torch.tensor([1.0, 0.0, 2.0])
g = grad((x ** 4).sum(), create_graph=True)
show(grad(g, grad_outputs=v))


# %% inputs: only those get .grad
(x * z).sum().backward(inputs=[x])
show(x.grad, z.grad)


# %% inputs: one tensor
(x * z).sum().backward(inputs=z)
show(x.grad, z.grad)


# %% inputs: leaf and intermediate
y = x * 2
(y * z).sum().backward(inputs=[y, z])
show(x.grad, y.grad, z.grad)


# %% inputs: unused input
(x * 2).sum().backward(inputs=[x, z])
show(x.grad, z.grad)


# %% inputs: the output itself
y = (x * 2).sum()
y.backward(inputs=[y])
show(y.grad, x.grad)


# %% grad: does not touch .grad
show(grad((x * z).sum()), x.grad, z.grad)


# %% grad: several outputs
show(torch.autograd.grad([(x * 2).sum(), (x * z).sum()], [x, z]))


# %% grad: grad_outputs
show(torch.autograd.grad([x * 2, x * z], [x, z], grad_outputs=[torch.ones(3), torch.arange(3.)]))


# %% grad: grad_outputs with None
show(torch.autograd.grad([(x * 2).sum(), x * z], [x], grad_outputs=[None, torch.arange(3.)]))


# %% grad: grad_outputs' shape
show(attempt(lambda: grad(x * 2, grad_outputs=torch.ones(2))))


# %% grad: grad_outputs missing
show(attempt(lambda: grad(x * 2)))


# %% grad: number of grad_outputs
show(attempt(lambda: torch.autograd.grad([x * 2], [x], grad_outputs=[torch.ones(3), torch.ones(3)])))


# %% grad: unused
show(attempt(lambda: torch.autograd.grad((x * 2).sum(), [x, z])))


# %% grad: unused allowed gives None
show(torch.autograd.grad((x * 2).sum(), [x, z], allow_unused=True))


# %% grad: materialized zeros
show(torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True))


# %% grad: materialize and allow_unused=False
show(attempt(lambda: torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True, allow_unused=False)))


# %% grad: batched
show(grad(x ** 2, grad_outputs=torch.eye(3), is_grads_batched=True))


# %% grad: batched with an unused input
show(torch.autograd.grad(x ** 2, [x, z], grad_outputs=torch.eye(3), is_grads_batched=True, allow_unused=True))


# %% grad: batched shape
show(attempt(lambda: grad(x ** 2, grad_outputs=torch.ones(2, 2), is_grads_batched=True))[:2])


# %% grad: only_inputs=False
show(attempt(lambda: torch.autograd.grad((x * 2).sum(), [x], only_inputs=False)))


# %% grad: no inputs
show(attempt(lambda: torch.autograd.grad((x * 2).sum(), [])))


# %% grad: of an input to itself
y = x.sum()
show(torch.autograd.grad(y, y), torch.autograd.grad(x, x, torch.full((3,), 5.)))


# %% grad: of a non-leaf
y = x * 2
show(grad((y * y).sum(), y))


# %% grad: leaf and its child
y = x * 2
show(torch.autograd.grad((y * y).sum(), [x, y]))


# %% grad: input without grad
show(attempt(lambda: grad((x * 2).sum(), torch.ones(3))))


# %% grad: output without grad
show(attempt(lambda: grad(torch.ones(3).sum())))


# %% grad: hooks of passed tensors run
y = x * 2
y.register_hook(lambda g: g * 10)
show(grad(y.sum()))


# %% grad: hooks of the asked tensor run
x.register_hook(lambda g: g * 10)
show(grad((x * 2).sum()))


# %% undefined: unused output of several
a, b, last = x.unbind(0)
a.backward()
show(x.grad)


# %% undefined: second result of a sort
values, indices = x.sort()
values[0].backward()
show(x.grad)


# %% undefined: reaches a Function as zeros
class Both(Function):
    @staticmethod
    def forward(ctx, v): return v * 2, v * 3
    @staticmethod
    def backward(ctx, a, b):
        show(a, b)
        return a + b
Both.apply(x)[1].sum().backward()


# %% undefined: None from a Function stops there
class Stop(Function):
    @staticmethod
    def forward(ctx, v): return v * 2
    @staticmethod
    def backward(ctx, g): return None
Stop.apply(x * 2).sum().backward()
show(x.grad)


# %% undefined: grad of a stopped branch
class Stop(Function):
    @staticmethod
    def forward(ctx, v): return v * 2
    @staticmethod
    def backward(ctx, g): return None
show(torch.autograd.grad(Stop.apply(x).sum(), x, allow_unused=True))


# %% exception: graph is usable after a failing hook
y = x.exp()
calls = []
def hook(g):
    calls.append(1)
    if len(calls) == 1:
        raise ValueError("first")
y.register_hook(hook)
out = y.sum()
show(attempt(lambda: out.backward(retain_graph=True)), x.grad)
out.backward()
show(x.grad)


# %% exception: in a Function
class Fail(Function):
    @staticmethod
    def forward(ctx, v): return v * 2
    @staticmethod
    def backward(ctx, g): raise KeyError("inside")
show(attempt(lambda: Fail.apply(x).sum().backward()), x.grad)
(x * 2).sum().backward()
show(x.grad)


# %% exception: branches that ran keep what they gave
y = x * 2
y.register_hook(lambda g: 1 / 0)
out = (y + z.exp()).sum()
show(attempt(lambda: out.backward()), x.grad)


# %% exception: another backward afterwards
y = x * 2
y.register_hook(lambda g: 1 / 0)
show(attempt(lambda: y.sum().backward()))
show(grad((x * 5).sum()))


# %% hooks: added while running, run next time
y, log = x * 2, []
def hook(g):
    log.append("first")
    y.register_hook(lambda g: log.append("late"))
y.register_hook(hook)
out = y.sum()
out.backward(retain_graph=True)
show(log)
out.backward()
show(log)


# %% hooks: removed while running
y, log = x * 2, []
def hook(g):
    log.append("once")
    handle.remove()
handle = y.register_hook(hook)
out = y.sum()
out.backward(retain_graph=True)
out.backward()
show(log)


# %% hooks: one added on an earlier Node
y, log = x * 2, []
w = y * 3
w.register_hook(lambda g: y.register_hook(lambda g: log.append("early")))
w.sum().backward()
show(log)


# %% hooks: leaf hook added by an inner hook
y, log = x * 2, []
y.register_hook(lambda g: x.register_hook(lambda g: log.append("leaf")))
y.sum().backward()
show(log)


# %% order of Nodes: latest first
log = []
a, b = x * 2, x * 3
a.register_hook(lambda g: log.append("a"))
b.register_hook(lambda g: log.append("b"))
(a + b).sum().backward()
show(log)


# %% deep graph: no recursion
y = x
for _ in range(3000):
    y = y + 1
y.sum().backward()
show(x.grad)


# %% thread: backward in another thread
def work(): (x * 2).sum().backward()
thread = threading.Thread(target=work)
thread.start()
thread.join()
show(x.grad)


# %% grad: of a view
y = x * 2
v = y[:2]
show(grad((v * v).sum(), v), torch.autograd.grad((y * y).sum(), v, allow_unused=True))


# %% grad: of a view whose base was written
y = x * 2
v = y[:2]
y.mul_(2)
show(grad((v * v).sum(), v))


# %% grad: materialized zeros under create_graph
show(torch.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True, create_graph=True))


# %% order: forward mode by two backward passes
v = torch.zeros(3, requires_grad=True)
g = grad(x ** 3, grad_outputs=v, create_graph=True)
show(grad(g, v, grad_outputs=torch.tensor([1.0, 0.0, 2.0])))


# %% order: through writes in place
y = x * 1
y[0] = y[1] * y[2]
g = grad((y ** 2).sum(), create_graph=True)
show(grad(g.sum()))


# %% hooks: post-accumulate hook that fails
def post(p): raise ValueError("post")
handle = x.register_post_accumulate_grad_hook(post)
show(attempt(lambda: (x * 2).sum().backward()), x.grad)
handle.remove()
(x * 2).sum().backward()
show(x.grad)
