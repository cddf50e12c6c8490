"""Pruning: parameters multiplied by masks. https://pytorch.org/docs/stable/nn.html#utilities

A pruned parameter `weight` is kept as ``weight_orig``, its mask is the buffer ``weight_mask``, and a hook before each
forward makes `weight` their product.
"""

import abc
import collections.abc
import numbers

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad


def _check_amount(amount) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count(amount, size) -> int:
    """How many of `size` to prune."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    if amount > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return int(amount)


def _hooks(module):
    return [(key, hook) for key, hook in module._forward_pre_hooks.items() if isinstance(hook, BasePruningMethod)]


class BasePruningMethod(abc.ABC):
    """What prunes one tensor of a module. A subclass says by `compute_mask` what stays, and by `PRUNING_TYPE`
    ("unstructured", "structured" or "global") how it goes together with other methods.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.BasePruningMethod.html
    """

    _tensor_name: str
    PRUNING_TYPE = "unstructured"

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abc.abstractmethod
    def compute_mask(self, t, default_mask):
        """To be overridden: what stays.

        Args:
            t: (*), values or scores.
            default_mask: (*), what earlier methods have left.

        Returns:
            (*), 1 where an element stays and 0 elsewhere.
        """

    def apply_mask(self, module):
        """The product of the original tensor and its mask.

        Args:
            module: the module.

        Returns:
            a tensor.
        """
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prunes a parameter by a new method, on top of what pruned it before.

        Args:
            module: the module.
            name: the parameter's name.
            args, kwargs: those of the method's constructor.
            importance_scores: scores of the parameter's shape, which take the place of its values.

        Returns:
            The method.

        Raises:
            AssertionError: the scores have another shape.
        """
        earlier = [(key, hook) for key, hook in _hooks(module) if hook._tensor_name == name]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        now = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != now.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}, got "
                                 f"{importance_scores.shape} vs {now.shape}")
        before = getattr(module, name + "_mask") if earlier else _api.ones_like(now, requires_grad=False)
        for _, found in earlier:
            container = found if isinstance(found, PruningContainer) else PruningContainer(found)
            container.add_pruning_method(method)
            method = container
        with no_grad():
            mask = method.compute_mask(now.detach() if importance_scores is None else importance_scores, before.clone())
        for key, _ in earlier:
            del module._forward_pre_hooks[key]
        if not earlier:
            del module._parameters[name]
            module.register_parameter(name + "_orig", now)
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor times the mask that its values, or scores, give.

        Args:
            t: (*).
            default_mask: (*); None means ones.
            importance_scores: (*), in place of the values.

        Returns:
            (*).

        Raises:
            AssertionError: the scores have another shape.
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        mask = _api.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, mask)

    def remove(self, module) -> None:
        """Makes the pruned tensor a plain parameter.

        Args:
            module: the module.
        """
        name = self._tensor_name
        value = self.apply_mask(module)
        original = module._parameters.pop(name + "_orig")
        del module._buffers[name + "_mask"]
        original.data = value.detach()
        delattr(module, name)
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods for one tensor; each sees only what those before it have left.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.PruningContainer.html

    Args:
        args: methods.
    """

    def __init__(self, *args):
        self._pruning_methods: tuple = ()
        for method in args:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method) -> None:
        """Adds a method at the end.

        Args:
            method: the method, for the same tensor.

        Raises:
            TypeError: it is no pruning method.
            ValueError: it prunes another tensor.
        """
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype).clone()
        where = _left(method, mask)
        mask[where] = method.compute_mask(t[where], default_mask[where]).to(dtype=mask.dtype)
        return mask


def _left(method, mask):
    """The index of the elements that earlier methods have left to this one."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE != "structured":
        return (slice(None),) * mask.dim()
    dim = method.dim % mask.dim()
    kept = mask.sum(dim=[d for d in range(mask.dim()) if d != dim]) != 0
    return (slice(None),) * dim + (kept,)


class Identity(BasePruningMethod):
    """Prunes nothing."""

    def compute_mask(self, t, default_mask):
        return default_mask


class _ByAmount(BasePruningMethod):
    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount


class RandomUnstructured(_ByAmount):
    """Prunes elements at random.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.RandomUnstructured.html

    Args:
        amount: how many (an int), or which share from 0 to 1 (a float).
    """

    def compute_mask(self, t, default_mask):
        return _without(default_mask, _api.rand_like(t), _count(self.amount, t.nelement()), True)


class L1Unstructured(_ByAmount):
    """Prunes the elements of smallest absolute value.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.L1Unstructured.html

    Args:
        As for `RandomUnstructured`.
    """

    def compute_mask(self, t, default_mask):
        return _without(default_mask, t.abs(), _count(self.amount, t.nelement()), False)


def _without(mask, scores, count, largest):
    mask = mask.clone(memory_format=None).contiguous()
    if count:
        mask.view(-1)[scores.reshape(-1).topk(count, largest=largest).indices] = 0
    return mask


class _Structured(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def _check(self, t) -> None:
        if t.dim() <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                             f"{t.shape} with {t.dim()} dims")
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")

    def _mask(self, t, default_mask, chosen):
        mask = _api.zeros_like(t)
        mask[(slice(None),) * (self.dim % t.dim()) + (chosen,)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes channels at random.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.RandomStructured.html

    Args:
        amount: how many channels (an int), or which share from 0 to 1 (a float).
        dim: the dimension of the channels.
    """

    def compute_mask(self, t, default_mask):
        self._check(t)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if not count:
            return default_mask
        scores = _api.rand(size)
        return self._mask(t, default_mask, scores > scores.kthvalue(count).values)


class LnStructured(_Structured):
    """Prunes the channels of smallest norm.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.LnStructured.html

    Args:
        n: the exponent of the norm.
        amount, dim: as for `RandomStructured`.
    """

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t, default_mask):
        self._check(t)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if not count:
            return default_mask
        others = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return self._mask(t, default_mask, _api.norm(t, self.n, others).topk(size - count).indices)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask. https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.CustomFromMask.html

    Args:
        mask: 1 where an element stays and 0 elsewhere.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError("default_mask and self.mask must have the same shape")
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module, name):
    """Gives a parameter a mask of ones.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.identity.html

    Args:
        module: the module.
        name: the parameter's name.

    Returns:
        The module.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prunes elements of a parameter at random.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.random_unstructured.html

    Args:
        amount: as for `RandomUnstructured`.
        module, name: as for `identity`.

    Returns:
        The module.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prunes the elements of a parameter of smallest absolute value.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.l1_unstructured.html

    Args:
        amount: as for `RandomUnstructured`.
        importance_scores: scores of the parameter's shape, which take the place of its values.
        module, name: as for `identity`.

    Returns:
        The module.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prunes channels of a parameter at random.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.random_structured.html

    Args:
        amount, dim: as for `RandomStructured`.
        module, name: as for `identity`.

    Returns:
        The module.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prunes the channels of a parameter of smallest norm.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.ln_structured.html

    Args:
        amount, n, dim: as for `LnStructured`.
        importance_scores: scores of the parameter's shape, which take the place of its values.
        module, name: as for `identity`.

    Returns:
        The module.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Prunes a parameter by a given mask.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.custom_from_mask.html

    Args:
        mask: as for `CustomFromMask`.
        module, name: as for `identity`.

    Returns:
        The module.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs) -> None:
    """Prunes several parameters as if they were one tensor.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.global_unstructured.html

    Args:
        parameters: an iterable of pairs (module, name).
        pruning_method: a class of unstructured methods.
        importance_scores: a dict from such pairs to scores, which take the place of the values.
        kwargs: the arguments of the method's constructor.

    Raises:
        TypeError: `parameters` is not iterable, or the method is not unstructured.
    """
    if not isinstance(parameters, collections.abc.Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs, given = [(module, name) for module, name in parameters], importance_scores or {}
    scores = _api.cat([given.get(pair, getattr(*pair)).detach().reshape(-1) for pair in pairs])
    masks = [getattr(module, name + "_mask", _api.ones_like(getattr(module, name), requires_grad=False))
             for module, name in pairs]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    method._tensor_name = "all"
    whole = PruningContainer(method).compute_mask(scores, _api.cat([mask.reshape(-1) for mask in masks]))
    for (module, name), mask, part in zip(pairs, masks, whole.split([mask.numel() for mask in masks]), strict=True):
        custom_from_mask(module, name, part.view(mask.shape))


def remove(module, name):
    """Makes a pruned parameter a plain one with its present values.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.remove.html

    Args:
        module, name: as for `identity`.

    Returns:
        The module.

    Raises:
        ValueError: the parameter is not pruned.
    """
    for key, hook in _hooks(module):
        if hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module) -> bool:
    """Whether a parameter of a module, or of one inside it, is pruned.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.prune.is_pruned.html

    Args:
        module: the module.

    Returns:
        a bool.
    """
    return any(_hooks(child) for child in module.modules())
