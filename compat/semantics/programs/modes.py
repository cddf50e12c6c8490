"""Grad mode: contexts, decorators, generators, exceptions, threads."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)

def modes():
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


# %% default
show(modes())


# %% no_grad: context
with torch.no_grad():
    show(modes(), x * 2)
show(modes(), x * 2)


# %% no_grad: leaf keeps requires_grad
with torch.no_grad():
    show(x.requires_grad, x.is_leaf, (x * 2).requires_grad)


# %% no_grad: new leaf may require grad
with torch.no_grad():
    w = torch.ones(2, requires_grad=True)
(w * 3).sum().backward()
show(w.grad)


# %% no_grad: nested
with torch.no_grad():
    with torch.no_grad():
        show(modes())
    show(modes())
show(modes())


# %% no_grad: enable_grad inside
with torch.no_grad():
    with torch.enable_grad():
        y = x * 2
    z = y * 2
show(y, z)


# %% no_grad: same object twice
guard = torch.no_grad()
with guard:
    show(modes())
with guard:
    show(modes())
show(modes())


# %% no_grad: decorator
@torch.no_grad()
def double(v):
    """Doubles."""
    return v * 2
show(double(x), double.__name__, double.__doc__, modes())


# %% no_grad: decorator without parentheses
@torch.no_grad
def double(v):
    return v * 2
show(double(x), modes())


# %% no_grad: decorated method
class Net:
    @torch.no_grad()
    def double(self, v):
        return v * 2
show(Net().double(x))


# %% no_grad: decorated recursion
@torch.no_grad()
def down(n):
    return [modes()[0]] + (down(n - 1) if n else [])
show(down(2), modes())


# %% no_grad: generator
@torch.no_grad()
def numbers():
    show(modes())
    yield x * 2
    show(modes())
    yield x * 3
for v in numbers():
    show(v, modes())


# %% no_grad: generator that receives
@torch.no_grad()
def echo():
    got = None
    while True:
        got = yield (got, modes()[0])
g = echo()
show(next(g), g.send(5), modes()[0])
g.close()


# %% no_grad: generator that catches
@torch.no_grad()
def catching():
    try:
        yield 1
    except ValueError as error:
        yield str(error), modes()[0]
g = catching()
show(next(g), g.throw(ValueError("thrown")), modes()[0])


# %% no_grad: generator's return value
@torch.no_grad()
def inner():
    yield 1
    return 7
def outer():
    result = yield from inner()
    yield result
show(list(outer()))


# %% no_grad: undecorated generator leaks its mode
def numbers():
    with torch.no_grad():
        yield 1
g = numbers()
next(g)
show(modes())
g.close()
show(modes())


# %% no_grad: exception inside
def fail():
    with torch.no_grad():
        raise ValueError("inside")
show(attempt(fail), modes())


# %% no_grad: exception inside a decorated function
@torch.no_grad()
def fail():
    raise ValueError("inside")
show(attempt(fail), modes())


# %% no_grad: returned from inside
def early():
    with torch.no_grad():
        return x * 2
show(early(), modes())


# %% no_grad: decorated class
@torch.no_grad()
class Thing:
    def __init__(self):
        self.mode = modes()
show(Thing().mode)


# %% no_grad: wrong argument
show(attempt(lambda: torch.no_grad(3))[:2])


# %% no_grad: backward inside
y = (x * x).sum()
with torch.no_grad():
    y.backward()
show(x.grad)


# %% no_grad: grad of a part
y = x * 2
with torch.no_grad():
    show(torch.autograd.grad(y.sum(), x))


# %% no_grad: module call
net = nn.Linear(3, 2)
with torch.no_grad():
    show(net(torch.ones(3)).requires_grad)
show(net(torch.ones(3)).requires_grad)


# %% no_grad: requires_grad_ on a result
with torch.no_grad():
    y = (x * 2).requires_grad_()
show(y.is_leaf, y)


# %% no_grad: detach in it
with torch.no_grad():
    d = x.detach()
show(d)


# %% no_grad: to and clone
with torch.no_grad():
    show(x.clone().requires_grad, x.to(torch.float64).requires_grad, x.to(torch.float32) is x)


# %% no_grad: item and tolist need it not
show(x[0].item(), x.tolist())


# %% no_grad: Parameter made in it
with torch.no_grad():
    p = nn.Parameter(torch.ones(2))
show(p, p.is_leaf)


# %% enable_grad: decorator inside no_grad
@torch.enable_grad()
def double(v):
    return v * 2
with torch.no_grad():
    show(double(x), modes())


# %% enable_grad: does not undo inference_mode
with torch.inference_mode():
    with torch.enable_grad():
        y = x * 2
        show(modes())
show(y.is_inference())


# %% set_grad_enabled: context
with torch.set_grad_enabled(False):
    show(modes(), x * 2)
show(modes())


# %% set_grad_enabled: function
torch.set_grad_enabled(False)
show(modes(), x * 2)
torch.set_grad_enabled(True)
show(modes(), x * 2)


# %% set_grad_enabled: works when it is made
guard = torch.set_grad_enabled(False)
show(modes())
with guard:
    show(modes())
show(modes())


# %% set_grad_enabled: nested values
with torch.set_grad_enabled(False), torch.set_grad_enabled(True):
    show(modes())
show(modes())


# %% set_grad_enabled: decorator
@torch.set_grad_enabled(False)
def double(v):
    return v * 2
show(modes(), double(x))


# %% set_grad_enabled: decides on a flag
for training in (True, False):
    with torch.set_grad_enabled(training):
        show((x * 2).requires_grad)


# %% set_grad_enabled: keyword
with torch.set_grad_enabled(mode=False):
    show(modes())


# %% names: torch.autograd has them too
show(torch.autograd.no_grad is torch.no_grad, torch.autograd.enable_grad is torch.enable_grad,
     torch.autograd.set_grad_enabled is torch.set_grad_enabled, torch.autograd.inference_mode is torch.inference_mode)


# %% grad_mode: set_multithreading and inference guards exist
show(torch.autograd.grad_mode.no_grad is torch.no_grad, torch.is_grad_enabled() is True)


# %% no_grad: coroutine
@torch.no_grad()
async def work(): return modes()
task = work()
try:
    task.send(None)
except StopIteration as done:
    show(done.value, modes())


# %% no_grad: generator that raises
@torch.no_grad()
def numbers():
    yield 1
    raise ValueError("end")
g = numbers()
show(next(g), attempt(lambda: next(g)), modes())


# %% set_grad_enabled: no bool
show(attempt(lambda: torch.set_grad_enabled("yes")), modes())


# %% thread: starts with grad enabled
def work(): show(modes())
with torch.no_grad():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


# %% thread: its mode stays its own
def work():
    torch.set_grad_enabled(False)
    show(modes())
thread = threading.Thread(target=work)
thread.start()
thread.join()
show(modes())


# %% thread: inference mode is its own
def work(): show(modes(), (x * 2).requires_grad)
with torch.inference_mode():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
