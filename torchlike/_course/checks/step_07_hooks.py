"""Checks of step 7: hooks and retain_grad."""


def a_hook_sees_the_gradient(e):
    """A hook is called once in each backward, with the whole gradient."""
    x = e.tensor(3.0, requires_grad=True)
    h, calls = x * 2, []
    h.register_hook(lambda g: calls.append(g.item()))
    out = h * h + h
    out.backward(retain_graph=True)
    e.show("what the hook saw", calls)
    out.backward()
    e.show("after a second backward", calls)
    e.show("x.grad", x.grad)


def a_hook_replaces(e):
    """What a hook returns takes the place of the gradient; None leaves it."""
    x = e.tensor(3.0, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    h.register_hook(lambda g: None)
    (h * 1).backward()
    e.show("x.grad", x.grad)


def order(e):
    """Hooks run in the order in which they were registered, each on what the one before gave."""
    x, seen = e.tensor(1.0, requires_grad=True), []

    def hook(label, change):
        def call(g):
            seen.append(f"{label} {g.item()}")
            return change(g)
        return call

    h = x * 1
    h.register_hook(hook("first", lambda g: g + 1))
    h.register_hook(hook("second", lambda g: g * 5))
    x.register_hook(hook("leaf", lambda g: g - 3))
    h.backward()
    e.show("calls", seen)
    e.show("x.grad", x.grad)


def removed(e):
    """remove() takes a hook away, and no other; a second time it does nothing."""
    x, seen = e.tensor(1.0, requires_grad=True), []
    h = x * 1
    first = h.register_hook(lambda g: seen.append("first"))
    h.register_hook(lambda g: seen.append("second"))
    first.remove()
    first.remove()
    h.backward()
    e.show("calls", seen)


def leaf_hooks(e):
    """A hook on a leaf runs before its .grad is added to, and sees what this backward brings."""
    x, seen = e.tensor(1.0, requires_grad=True), []
    x.register_hook(lambda g: seen.append([g.item(), x.grad is None]))
    x.register_hook(lambda g: g * 2)
    (x * 3).backward()
    (x * 4).backward()
    e.show("calls", seen)
    e.show("x.grad", x.grad)


def retained(e):
    """retain_grad makes backward fill .grad of what is no leaf; it adds up, and is idempotent."""
    x = e.tensor([1.0, 2.0], requires_grad=True)
    h, other = x * 2, x * 3
    h.retain_grad()
    h.retain_grad()
    out = (h * h * other).sum()
    out.backward(retain_graph=True)
    e.show("h.grad, other.grad", [h.grad, other.grad])
    out.backward()
    e.show("h.grad of two", h.grad)
    x.retain_grad()
    e.show("x.grad", x.grad)


def retained_after_hooks(e):
    """The gradient that is retained is the one after all hooks, also those registered later."""
    x = e.tensor(1.0, requires_grad=True)
    h = x * 2
    h.retain_grad()
    h.register_hook(lambda g: g * 10)
    h.backward()
    e.show("h.grad, x.grad", [h.grad, x.grad])


def refusals(e):
    """What requires no grad takes no hooks, and retains none."""
    c = e.tensor(1.0)
    e.attempt("register_hook", lambda: c.register_hook(lambda g: g))
    e.attempt("retain_grad", c.retain_grad)


def hooks_and_writes(e):
    """After a write a hook registered before sees the gradient of the old value; retain_grad follows the new one."""
    x, seen = e.tensor(1.0, requires_grad=True), []
    h = x * 2
    h.register_hook(lambda g: seen.append(f"old {g.item()}"))
    h.retain_grad()
    h.mul_(5)
    h.register_hook(lambda g: seen.append(f"new {g.item()}"))
    (h * 3).backward()
    e.show("calls", seen)
    e.show("h.grad, x.grad", [h.grad, x.grad])
