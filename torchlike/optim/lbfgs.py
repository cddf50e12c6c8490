"""`torch.optim.LBFGS`: https://pytorch.org/docs/stable/generated/torch.optim.LBFGS.html"""

from typing import Any

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import enable_grad, no_grad
from torchlike.optim.line_search import Point, strong_wolfe
from torchlike.optim.optimizer import Optimizer
from torchlike.optim.rule_optimizer import check_lr

_CURVED = 1e-10  # the least product of two differences that says something about the curvature


class LBFGS(Optimizer):
    """L-BFGS for all parameters at once, after minFunc. A step calls its closure several times, and reads a few numbers from
    the device each time.
    https://pytorch.org/docs/stable/generated/torch.optim.LBFGS.html

    Args:
        params: as for `Optimizer`; one group only.
        lr: the length of a step, or with a line search the first one to try.
        max_iter: at most how many iterations a step takes.
        max_eval: after how many calls of the closure a step ends; None means ``max_iter * 5 // 4``.
        tolerance_grad: a step ends where no part of the gradient is larger.
        tolerance_change: a step ends where no parameter or else the loss changes by more.
        history_size: how many of the last moves approximate the inverse of the Hessian.
        line_search_fn: None, or "strong_wolfe".
        maximize: whether the loss shall grow. PyTorch has it since 2.14.

    Raises:
        ValueError: `lr` is negative, or there are several groups. A step raises RuntimeError for another line search.
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None, *, maximize=False):
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        options = {"maximize": True} if maximize else {}  # PyTorch 2.13 has no such option in a group
        super().__init__(params, {"lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad": tolerance_grad,
                                  "tolerance_change": tolerance_change, "history_size": history_size,
                                  "line_search_fn": line_search_fn, **options})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @no_grad()
    def step(self, closure):
        """Up to ``max_iter`` iterations.

        Args:
            closure: computes the loss and its gradients anew and returns the loss, a number or a Tensor of one element.

        Returns:
            The first loss.

        Raises:
            AssertionError: a group was added.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        closure = enable_grad()(closure)
        group, = self.param_groups
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first: Any = closure()
        state["func_evals"] += 1
        loss, grad = _to_lower(first, group)
        if not _is_flat(grad, group):
            _iterate(closure, group, state, loss, grad)
        return first


def _to_lower(loss, group) -> tuple:
    """The number that shall become smaller, and its gradient as a vector."""
    grad = _flat_grad(group["params"])
    return (-float(loss), grad.neg()) if group.get("maximize") else (float(loss), grad)


def _iterate(closure, group, state, loss, grad) -> None:
    evaluations = 1
    for i in range(1, group["max_iter"] + 1):
        number = state["n_iter"] + 1
        d, moves = _direction(state, grad, number, group["history_size"])
        rate = group["lr"].squeeze() if isinstance(group["lr"], Tensor) else group["lr"]
        t = min(1.0, 1.0 / grad.abs().sum()) * rate if number == 1 else rate
        # all of it, or nothing if interrupted
        state.update({**moves, "n_iter": number, "d": d, "t": t, "prev_flat_grad": grad, "prev_loss": loss})
        start = Point(0, loss, grad, grad.dot(d))
        if start.slope > -group["tolerance_change"]:
            return
        if group["line_search_fn"] is not None:
            end, count = _search(closure, group, d, start, state["t"], group["max_eval"] - evaluations)
            loss, grad, state["t"] = end.loss, end.grad, end.t
            _move(group["params"], end.t, d)
        else:
            _move(group["params"], state["t"], d)
            count = int(i < group["max_iter"])  # the last move is evaluated in the next step
            if count:
                loss, grad = _to_lower(closure(), group)
        evaluations += count
        state["func_evals"] += count
        if i == group["max_iter"] or evaluations >= group["max_eval"] or _is_flat(grad, group):
            return
        small = group["tolerance_change"]
        if (d * state["t"]).abs().max() <= small or abs(loss - start.loss) < small:
            return


def _direction(state, grad, number, size):
    """Where to go in the iteration `number`: the gradient times the approximate inverse of the Hessian, from the last `size`
    moves; and what the state then says of them."""
    if number == 1:
        return grad.neg(), {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
    old_y, old_s, ro, scale = state["old_dirs"], state["old_stps"], state["ro"], state["H_diag"]
    y, s = grad - state["prev_flat_grad"], state["d"] * state["t"]
    ys = y.dot(s)
    if ys > _CURVED:
        scale, left = ys / y.dot(y), slice(1 - size, None) if size > 1 else slice(0, 0)
        old_y, old_s, ro = [*old_y[left], y], [*old_s[left], s], [*ro[left], 1.0 / ys]
    al = [None] * size
    q = grad.neg()
    for i in reversed(range(len(old_y))):
        al[i] = old_s[i].dot(q) * ro[i]
        q = q - old_y[i] * al[i]
    r = q * scale
    for i in range(len(old_y)):
        r = r + old_s[i] * (al[i] - old_y[i].dot(r) * ro[i])
    return r, {"old_dirs": old_y, "old_stps": old_s, "ro": ro, "H_diag": scale, "al": al}


def _search(closure, group, d, start, t, most):
    """The line search; parameters are back where they were when it is over."""
    if group["line_search_fn"] != "strong_wolfe":
        raise RuntimeError("only 'strong_wolfe' is supported")
    params = group["params"]
    origin = [p.clone() for p in params]

    def evaluate(t):
        _move(params, t, d)
        loss, grad = _to_lower(closure(), group)
        for p, before in zip(params, origin, strict=True):
            p.copy_(before)
        return Point(t, loss, grad, grad.dot(d))

    return strong_wolfe(evaluate, d, start, t, most)


# -- all parameters as one vector; complex numbers as two

def _flat_grad(params):
    pieces = []
    for p in params:
        piece = _api.zeros_like(p).view(-1) if p.grad is None else p.grad.view(-1)
        pieces.append(_api.view_as_real(piece).view(-1) if piece.is_complex() else piece)
    return _api.cat(pieces)


def _move(params, t, d) -> None:
    """Add `t` times a direction."""
    at = 0
    for p in params:
        numbers = _api.view_as_real(p) if p.is_complex() else p
        end = at + numbers.numel()
        numbers.add_((d[at:end] * t).view_as(numbers))
        at = end


def _is_flat(grad, group) -> bool:
    return bool(grad.abs().max() <= group["tolerance_grad"])
