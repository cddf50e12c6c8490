"""Inference mode, the rules and the errors of inference tensors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)

def modes():
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


# %% inference_mode: context
with torch.inference_mode():
    y = x * 2
    show(modes(), y)
show(modes(), y.is_inference())


# %% inference_mode: False
with torch.inference_mode(False):
    show(modes(), x * 2)


# %% inference_mode: False inside True
with torch.inference_mode():
    with torch.inference_mode(False):
        show(modes(), x * 2)
    show(modes())


# %% inference_mode: decorator
@torch.inference_mode()
def double(v):
    return v * 2
show(double(x), modes())


# %% inference_mode: decorator without parentheses
@torch.inference_mode
def double(v):
    return v * 2
show(double(x))


# %% inference_mode: generator
@torch.inference_mode()
def numbers():
    yield modes()
    yield modes()
show([(inside, modes()) for inside in numbers()])


# %% inference_mode: mode=False as a decorator
@torch.inference_mode(mode=False)
def double(v):
    return v * 2
show(double(x))


# %% inference_mode: exception inside
def fail():
    with torch.inference_mode():
        raise ValueError("inside")
show(attempt(fail), modes())


# %% inference_mode: no_grad inside and outside
with torch.no_grad():
    with torch.inference_mode():
        show(modes())
    show(modes())


# %% inference tensor: is not saved for backward
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: x * t))


# %% inference tensor: saved for one's own gradient
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: t.requires_grad_()))


# %% inference tensor: add saves nothing
with torch.inference_mode():
    t = torch.ones(3)
y = x + t
y.sum().backward()
show(y, x.grad)


# %% inference tensor: clone is normal
with torch.inference_mode():
    t = torch.ones(3)
c = t.clone()
show(c.is_inference(), x * c)


# %% inference tensor: no version counter
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: t._version))


# %% inference tensor: results outside are normal
with torch.inference_mode():
    t = torch.ones(3)
show((t + 1).is_inference(), t.exp().is_inference())


# %% inference tensor: views outside are inference
with torch.inference_mode():
    t = torch.ones(2, 3)
show(t[0].is_inference(), t.t().is_inference(), t.view(6).is_inference(), t.detach().is_inference())


# %% inference tensor: view of a normal tensor
t = torch.ones(2, 3)
with torch.inference_mode():
    v = t[0]
show(v.is_inference(), v._is_view())


# %% inference tensor: view of a normal tensor, written outside
t = torch.ones(2, 3)
with torch.inference_mode():
    v = t[0]
v.add_(1)
show(t)


# %% inference tensor: view of a tensor with history, written outside
y = x * 2
with torch.inference_mode():
    v = y[:2]
show(attempt(lambda: v.add_(1)))


# %% inference tensor: view of an inference tensor, written outside
with torch.inference_mode():
    t = torch.ones(2, 3)
show(attempt(lambda: t[0].add_(1)), attempt(lambda: t.view(6).zero_()))


# %% inference tensor: requires_grad inside
with torch.inference_mode():
    t = torch.ones(3, requires_grad=True)
    show(t.requires_grad, (t * 2).requires_grad, t.is_inference())


# %% inference tensor: requires_grad_ inside
with torch.inference_mode():
    show(attempt(lambda: torch.ones(3).requires_grad_()))


# %% inference tensor: requires_grad_(False) outside
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: t.requires_grad_(False)))


# %% inference tensor: backward of its loss
with torch.inference_mode():
    loss = (x * 2).sum()
show(attempt(lambda: loss.backward()))


# %% inference tensor: backward inside
y = (x * x).sum()
with torch.inference_mode():
    show(attempt(lambda: y.backward()))
show(x.grad)


# %% inference tensor: out=
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: torch.add(torch.ones(3), 1, out=t)))


# %% inference tensor: backward inside, the third time
for _ in range(3):
    x.grad = None
    y = (x * x).sum()
    with torch.inference_mode():
        y.backward()
    show(x.grad)


# %% inference tensor: detach_
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: t.detach_()))


# %% inference tensor: in a normal matmul with a parameter
net = nn.Linear(3, 2)
with torch.inference_mode():
    t = torch.ones(1, 3)
show(attempt(lambda: net(t)))


# %% inference tensor: copied into a buffer
with torch.inference_mode():
    t = torch.ones(3)
buffer = torch.zeros(3)
buffer.copy_(t)
show(buffer, buffer.is_inference())


# %% inference tensor: numpy and item
with torch.inference_mode():
    t = torch.ones(2)
show(t.numpy().tolist(), t[0].item(), t.tolist())


# %% inference tensor: normal tensor written inside, saved before
y = x * 2
z = y.exp()
with torch.inference_mode():
    z.add_(1)
show(attempt(lambda: z.sum().backward()))


# %% is_inference: of leaf, result, parameter
show(x.is_inference(), (x * 2).is_inference(), torch.is_inference(nn.Parameter(torch.ones(1))))


# %% inference tensor: deepcopy outside is normal
import copy
with torch.inference_mode():
    t = torch.ones(2)
show(copy.deepcopy(t).is_inference(), t.contiguous().is_inference(), t.to(torch.float64).is_inference())


# %% inference tensor: requires_grad assigned outside
with torch.inference_mode():
    t = torch.ones(2)
def write(): t.requires_grad = True
show(attempt(write))


# %% inference tensor: layer made inside
with torch.inference_mode():
    layer = nn.Linear(2, 2)
show(layer.weight.is_inference(), layer.weight.requires_grad)


# %% inference_mode: grad mode asked for inside is forgotten outside
with torch.inference_mode():
    torch.set_grad_enabled(True)
    show(modes(), (x * 2).requires_grad)
show(modes())
