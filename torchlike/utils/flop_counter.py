"""`torch.utils.flop_counter`: how many multiplications and additions products and convolutions take.
https://pytorch.org/docs/stable/generated/torch.utils.flop_counter.FlopCounterMode.html
"""

import collections
import math
import warnings

from torchlike import ops
from torchlike._modes.intercept import intercepting
from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torchlike.utils._pytree import tree_map

_GLOBAL = "Global"
_SUFFIXES = ("", "K", "M", "B", "T")
_AT_MOST = 999_999  # levels of modules


def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs) -> int:
    """Of a product of two matrices.

    Args:
        a_shape, b_shape: (m, k) and (k, n).
        args, out_shape, kwargs: not looked at.

    Returns:
        2 m k n.
    """
    return 2 * math.prod(a_shape) * b_shape[-1]


def addmm_flop(self_shape, a_shape, b_shape, *args, **kwargs) -> int:
    """Of a product of two matrices to which a third is added, which is not counted.

    Args:
        self_shape, args, kwargs: not looked at.
        a_shape, b_shape: as for `mm_flop`.

    Returns:
        2 m k n.
    """
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape, b_shape, *args, **kwargs) -> int:
    """Of products of matrices.

    Args:
        a_shape, b_shape: (b, m, k) and (b, k, n).
        args, kwargs: not looked at.

    Returns:
        2 b m k n.
    """
    return mm_flop(a_shape, b_shape)


def baddbmm_flop(self_shape, a_shape, b_shape, *args, **kwargs) -> int:
    """As for `bmm_flop`; what is added is not counted.

    Args:
        self_shape, args, kwargs: not looked at.
        a_shape, b_shape: as for `bmm_flop`.

    Returns:
        2 b m k n.
    """
    return mm_flop(a_shape, b_shape)


def conv_flop_count(x_shape, w_shape, out_shape, transposed: bool = False) -> int:
    """Of a convolution, without its bias.

    Args:
        x_shape, w_shape, out_shape: of the input, the kernel and the result.
        transposed: whether it is a transposed one.

    Returns:
        twice the kernel's size for each element of the result, of the input if transposed.
    """
    return 2 * x_shape[0] * math.prod((x_shape if transposed else out_shape)[2:]) * math.prod(w_shape)


def conv_flop(x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs) -> int:
    """The same, of the operator's arguments.

    Args:
        x_shape, w_shape, transposed, out_shape: those of `conv_flop_count`.
        args, kwargs: not looked at.

    Returns:
        a number.
    """
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


def sdpa_flop_count(query_shape, key_shape, value_shape) -> int:
    """Of scaled dot product attention: of its two products.

    Args:
        query_shape, key_shape, value_shape: (b, h, s, d).

    Returns:
        a number.
    """
    b, h, queries, d = query_shape
    return 2 * b * h * queries * key_shape[-2] * (d + value_shape[-1])


def sdpa_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs) -> int:
    """The same, of the operator's arguments.

    Args:
        query_shape, key_shape, value_shape: those of `sdpa_flop_count`.
        args, out_shape, kwargs: not looked at.

    Returns:
        a number.
    """
    return sdpa_flop_count(query_shape, key_shape, value_shape)


_aten = ops.aten
_PRODUCTS = {_aten.mm: mm_flop, _aten.addmm: addmm_flop, _aten.bmm: bmm_flop, _aten.baddbmm: baddbmm_flop}
flop_registry: dict = {**_PRODUCTS, _aten.convolution: conv_flop}  # as PyTorch's on the CPU: attention is not counted
# Operator -> the one that PyTorch's gradient calls for each operand that requires grad.
_GRADIENTS = {_aten.mm: _aten.mm, _aten.addmm: _aten.mm, _aten.bmm: _aten.bmm, _aten.baddbmm: _aten.bmm}


def register_flop_formula(targets, get_raw=False):
    """A decorator: the function counts for these operators, in all counters that are made from now on.
    https://pytorch.org/docs/stable/generated/torch.utils.flop_counter.register_flop_formula.html

    Args:
        targets: an operator such as ``torch.ops.aten.mm``, or a list of them.
        get_raw: whether the function gets the tensors, and the result as ``out_val``; else their shapes.

    Returns:
        the decorator.
    """
    def register(formula):
        formula._get_raw = get_raw
        flop_registry.update(dict.fromkeys(targets if isinstance(targets, list | tuple) else [targets], formula))
        return formula

    return register


def _shape(x):
    return tuple(x.shape) if isinstance(x, Tensor) else x


def get_suffix_str(number) -> str:
    """The suffix with which a number is told.

    Args:
        number: the number.

    Returns:
        "", "K", "M", "B" or "T".
    """
    return _SUFFIXES[max(0, min(len(_SUFFIXES) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number, suffix) -> str:
    """A number with a suffix.

    Args:
        number: the number.
        suffix: what `get_suffix_str` gave.

    Returns:
        "1.024K", say.
    """
    return f"{number / 1000 ** _SUFFIXES.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num, denom) -> str:
    """A part of a number.

    Args:
        num, denom: two numbers.

    Returns:
        "12.50%", say.
    """
    return f"{num / denom:.2%}" if denom else "0%"


class FlopCounterMode:
    """Counts in a block, and in the backward calls of it, for each module that is called there. Differs from PyTorch: what
    backward does counts for all modules that were running when the forward product was made.
    https://pytorch.org/docs/stable/generated/torch.utils.flop_counter.FlopCounterMode.html

    Args:
        mods: deprecated, without effect.
        depth: of the modules that `get_table` shows.
        display: whether to print the table at the end of the block.
        custom_mapping: operator -> function that counts, see `register_flop_formula`.
    """

    def __init__(self, mods=None, depth: int = 2, display: bool = True, custom_mapping=None):
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts: dict = collections.defaultdict(lambda: collections.defaultdict(int))
        self.depth, self.display = depth, display
        self.flop_registry = {**flop_registry, **(custom_mapping or {})}
        self._names: dict = {}
        self._stack: list[str] = []
        self._entered: list = []

    def get_total_flops(self) -> int:
        """Of the whole block."""
        return sum(self.flop_counts[_GLOBAL].values())

    def get_flop_counts(self) -> dict:
        """{name of a module, "Global" for all: {operator: number}}."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def __enter__(self):
        self.flop_counts.clear()
        self._entered = [register_module_forward_pre_hook(self._begin), register_module_forward_hook(self._end)]
        self._block = intercepting(self._count)
        self._block.__enter__()
        return self

    def __exit__(self, *exception) -> None:
        self._block.__exit__(*exception)
        for hook in self._entered:
            hook.remove()
        self._entered = []
        self._names.clear()
        self._stack.clear()
        if self.display:
            print(self.get_table(self.depth))

    def _begin(self, module, inputs) -> None:
        name = self._names.setdefault(module, type(module).__name__)
        for child, inner in module.named_children():
            self._names.setdefault(inner, f"{name}.{child}")
        self._stack.append(name)

    def _end(self, module, inputs, output) -> None:
        self._stack.pop()

    def _count(self, operation):
        result = operation.run()
        if operation.row is None:
            return result
        packet = getattr(_aten, operation.name.partition(".")[0], None)
        formula = self.flop_registry.get(packet)
        if formula is not None:
            parents = {_GLOBAL, *self._stack}
            if getattr(formula, "_get_raw", False):
                number = formula(*operation.args, **operation.kwargs, out_val=result)
            else:
                args, kwargs, shape = tree_map(_shape, (operation.args, operation.kwargs, result))
                number = formula(*args, **kwargs, out_shape=shape)
            self._add(parents, packet, number)
            self._count_backward(parents, packet, number, operation.operands, result)
        return result

    def _add(self, parents, packet, number) -> None:
        for name in parents:
            self.flop_counts[name][packet] += number

    def _count_backward(self, parents, packet, number, operands, result) -> None:
        """Has a backward call in the block counted, where the gradients of operands are products of the same size."""
        first = result[0] if isinstance(result, tuple) else result
        if first.grad_fn is None:
            return
        if packet is _aten.convolution:
            called, number = _aten.convolution_backward, number * sum(x.requires_grad for x in operands[:2])
        elif packet in _GRADIENTS:
            called, number = _GRADIENTS[packet], number * sum(x.requires_grad for x in operands[-2:])
        else:
            return
        first.grad_fn.register_hook(lambda *gradients: self._add(parents, called, number) if self._entered else None)

    def get_table(self, depth=None) -> str:
        """The counts as a table.

        Args:
            depth: of modules; None means that of the constructor.

        Returns:
            a text of several lines.
        """
        depth = depth or self.depth or _AT_MOST
        total, rows, whole = self.get_total_flops(), [], False
        for name in sorted(self.flop_counts):
            if name != _GLOBAL and name.count(".") < depth:
                rows += self._rows(name, total)
                whole |= sum(self.flop_counts[name].values()) >= total
        if _GLOBAL in self.flop_counts and not whole:
            rows = self._rows(_GLOBAL, total) + rows
        return _table([("Module", "FLOP", "% Total"), *(rows or [(_GLOBAL, "0", "0%")])])

    def _rows(self, name, total) -> list:
        suffix, counts = get_suffix_str(total), self.flop_counts[name]
        told = [(name, sum(counts.values())), *((f"- {packet}", number) for packet, number in counts.items())]
        return [(text, convert_num_with_suffix(number, suffix) if suffix else str(number),
                 convert_to_percent_str(number, total)) for text, number in told]


def _table(rows) -> str:
    """Rows, the first of which is the head, under each other."""
    widths = [max(len(rows[0][i]) + 2, *(len(row[i]) for row in rows[1:])) for i in range(3)]
    lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
