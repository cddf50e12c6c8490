"""`torchlike.optim.Optax`: transformations of optax as PyTorch's optimizer."""

from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._base.lazy import optax
from torchlike._record.bind import bind_kernel
from torchlike._record.cell import Storage
from torchlike._record.tensor import Tensor
from torchlike.optim.group_step import Plan, near, record, step_of
from torchlike.optim.optimizer import Optimizer
from torchlike.optim.transformation import Step, checked, form_of, init_kernel, kept_leaves, step_kernel

_NO_HYPERPARAMETER = ("this transformation has no hyperparameter {!r} that can change; those of "
                      "`optax.inject_hyperparams(...)(...)` can, as long as no schedule of optax's sets them")
_LOADED = "loaded state dict does not fit the transformation of parameter group {}: {}"


class Optax(Optimizer):
    """Any transformation of optax as an optimizer: ``Optax(model.parameters(), optax.adamw(1e-3))``.
    https://optax.readthedocs.io/en/latest/api/transformations.html

    The results are those of optax under jit, in 32 bits unless a parameter has 64.

    A group is a tree of its own to optax: the norm of `clip_by_global_norm` is over one group. The tree is a flat
    dictionary, with the names of `named_parameters()` as keys if they were given, else with the numbers 0, 1, ...; masks
    and labels see these. Hyperparameters of `optax.inject_hyperparams` are options of the group, ``learning_rate`` by
    PyTorch's name ``lr``: groups may override them and schedulers change them. Other options that are numbers are
    ValueErrors, since nothing would read them.

    A parameter whose ``grad`` is None keeps its value and its part of the state; the others see a gradient of zeros, and
    what the group shares, as the step count, goes on. Complex gradients are PyTorch's, which is the convention that optax
    expects. State: ``state["group_0"]`` and so on, a dictionary of tensors by their places in optax's state.

    With a closure, transformations get the loss as ``value`` and the gradients as ``grad`` (`optax.polyak_sgd`,
    `optax.contrib.reduce_on_plateau`).

    Args:
        params: as for `Optimizer`; a group may have its own transformation as "tx".
        tx: an `optax.GradientTransformation` for all other groups.
        maximize: whether gradients are followed upwards.

    Raises:
        TypeError: `tx` is no transformation. A step raises it where one needs the loss and there is no closure.
        ValueError: a group is refused: see `add_param_group`. A step raises UnsupportedError for transformations that
            evaluate the loss themselves (line searches, ``value_fn``) and for groups on several devices.
    """

    def __init__(self, params, tx, *, maximize: bool = False):
        self._tx = checked(tx)
        self._forms: list = []
        self._plans: dict = {}
        super().__init__(params, {"maximize": maximize})

    def __getstate__(self):
        return {**super().__getstate__(), "_tx": self._tx, "_forms": self._forms}

    def __setstate__(self, saved):
        forms = saved.get("_forms", self.__dict__.get("_forms"))
        entries = {_name(i): _loaded(i, form, group["params"], saved["state"][_name(i)])
                   for i, (form, group) in enumerate(zip(forms, saved["param_groups"], strict=True))
                   if _name(i) in saved["state"]}
        saved["state"].update(entries)
        super().__setstate__(saved)
        self._plans = {}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group, as `Optimizer.add_param_group` does.

        Args:
            param_group: as for `Optimizer.add_param_group`; "tx" may be the group's own transformation, and does not stay in
                it.

        Raises:
            ValueError: as there; a parameter is twice in the group; an option is a number that nothing would read; or two
                hyperparameters of the transformation have one name.
        """
        tx = self._tx
        if isinstance(param_group, dict) and "tx" in param_group:
            param_group = {**param_group}
            tx = checked(param_group.pop("tx"))
        super().add_param_group(param_group)
        params = param_group["params"]
        try:
            if len(set(params)) != len(params):
                raise ValueError("torchlike.optim.Optax: a parameter appears twice in a group")
            keys = param_group.get("param_names", range(len(params)))
            form = form_of(tx, keys, [p._cell.aval for p in params])
            _check_options(param_group, form)
        except Exception:
            self.param_groups.pop()
            raise
        for name, value in form.hyper.items():
            param_group.setdefault(name, value)
        self._forms.append(form)

    def step(self, closure=None):
        """One update of all parameters that have a gradient.

        Args:
            closure: computes the loss and its gradients anew and returns the loss; None means that the gradients are there.

        Returns:
            What the closure returned; None without one.
        """
        return step_of(closure, False, self._update_groups)

    def _update_groups(self, loss) -> None:
        for i, group in enumerate(self.param_groups):
            self._update(i, group, self._forms[i], loss)

    def _update(self, number, group, form, loss) -> None:
        params = group["params"]
        present = tuple([p._grad is not None for p in params])
        if not any(present):
            return
        if "lr" in group and "lr" not in form.hyper:
            raise ValueError(_NO_HYPERPARAMETER.format("lr"))
        owned, others = self._cells(number, params, form, present)
        with_loss = isinstance(loss, Tensor) and isinstance(form.tx, optax.GradientTransformationExtraArgs)
        if with_loss:
            others.append(loss._cell)
        values = [group[name] for name in form.hyper]
        others += [near(x, params[0].device)._cell for x in values if isinstance(x, Tensor)]
        flags = (present, bool(group["maximize"]), with_loss)
        avals = [c.aval for c in owned] + [c.aval for c in others]
        plan = self._plans.get(number)
        if plan is None or not plan.holds(flags, (), values, owned, avals):
            plan = self._plans[number] = _plan(form, flags, values, owned, others)
        record(plan, others)

    def _cells(self, number, params, form, present) -> tuple:
        """(the cells to overwrite, those that are only read): see `step_kernel`."""
        entries = self.state[_name(number)]
        if not entries and form.names:
            made = bind_kernel(init_kernel(form, tuple([p._cell.aval.plain for p in params])), params, ())
            entries.update(zip(form.names, made, strict=True))
        owned = [p._cell for p, there in zip(params, present, strict=True) if there]
        others = [p._grad._cell for p, there in zip(params, present, strict=True) if there]
        others += [p._cell for p, there in zip(params, present, strict=True) if not there]
        for name, keep in zip(form.names, kept_leaves(form, present), strict=True):
            (others if keep else owned).append(entries[name]._cell)
        return owned, others


def _plan(form, flags, values, owned, others) -> Plan:
    """What `record` needs: one kernel for the whole group."""
    present, maximize, with_loss = flags
    tensors = [name for name, value in zip(form.hyper, values, strict=True) if isinstance(value, Tensor)]
    numbers = {name: float(value) for name, value in zip(form.hyper, values, strict=True) if name not in tensors}
    cells = [*owned, *others]
    devices = {str(c.aval.device) for c in cells}
    if len(devices) > 1:
        raise UnsupportedError(f"torchlike.optim.Optax with a parameter group on several devices ({', '.join(devices)})")
    step = Step(present, maximize, (*tensors, *numbers), len(tensors), with_loss)
    made = Plan()
    made.flags, made.names, made.values, made.owned, made.tensors = flags, (), values, owned, []
    made.avals = [c.aval for c in cells]
    made.plain = all(c.__class__ is Storage and not c.inference for c in owned)
    made.numbers = tuple(numbers.values())
    made.batches = [(step_kernel(form, step, tuple([c.aval.plain for c in cells])), [])]
    return made


def _name(number) -> str:
    """The key of a group's state."""
    return f"group_{number}"


def _check_options(group, form) -> None:
    """ValueError for options that are numbers, which nothing would read."""
    known = {"maximize", *form.hyper, *(("initial_lr",) if "lr" in form.hyper else ())}
    for name, value in group.items():
        if name not in known and isinstance(value, Tensor | int | float):
            raise ValueError(_NO_HYPERPARAMETER.format(name))


def _loaded(number, form, params, entries) -> dict:
    """A saved state as tensors of our own beside the parameters. ValueError where it is another transformation's."""
    missing, unexpected = set(form.names) - set(entries), set(entries) - set(form.names)
    if entries and (missing or unexpected):
        text = "; ".join(f"{what} {', '.join(sorted(found))}" for what, found in
                         (("missing", missing), ("unexpected", unexpected)) if found)
        raise ValueError(_LOADED.format(number, text))
    found = {}
    for name, shape, dtype in zip(form.names, form.shapes, form.dtypes, strict=True):
        if name not in entries:
            continue
        value = entries[name]
        if tuple(value.shape) != shape:
            raise ValueError(_LOADED.format(number, f"{name} has shape {tuple(value.shape)} instead of {shape}"))
        found[name] = value.detach().to(device=params[0].device, dtype=dtype, copy=True)
    return found
