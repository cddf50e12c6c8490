"""Jacobians, Hessians and their products with vectors, of functions of tensors.
https://pytorch.org/docs/stable/autograd.html#functional-higher-level-api

Everything is built on `torch.autograd.grad`. A product with a vector from the right (`jvp`, `hvp`) is the
gradient of a gradient: g -> g^T J is linear, and its own gradient at v is J v.
"""

from torchlike._base.settings import strided
from torchlike._modes.transform import side_by_side
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike.autograd import engine, forward_ad
from torchlike.autograd.grad_mode import enable_grad

_STRICT = "This is not allowed in strict mode."
_STRICT_GRAPH = "This is not allowed in strict mode when create_graph=True."
_OUTPUT_CONSTANT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.")
_INDEPENDENT = "The output of the user-provided function is independent of input {}. " + _STRICT
# What strict mode says of a first gradient that does not depend on the inputs.
_CONSTANT_GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. "
    + _STRICT)
_CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input. " + _STRICT + " You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
    "for example).")
# What strict mode says of a missing result.
_MISSING_JVP = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients. " + _STRICT)
_MISSING_VHP = "The jacobian of the user-provided function is independent of input {}. " + _STRICT
_MISSING_HVP = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not "
    "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.")
# What strict mode says of a result without history under create_graph.
_JACOBIAN_ENDS = "The jacobian of the user-provided function is independent of input {}. " + _STRICT_GRAPH
_HESSIAN_ENDS = "The hessian of the user-provided function is independent of input {}. " + _STRICT_GRAPH
_JACOBIAN_STRATEGY = (
    "Expected strategy to be either \"forward-mode\" or \"reverse-mode\". Hint: If your function has more "
    "outputs than inputs, \"forward-mode\" tends to be more performant. Otherwise, prefer to use "
    "\"reverse-mode\".")
_STRATEGIES = ("forward-mode", "reverse-mode")


# -- the public calls

@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """The outputs of a function, and a vector times its Jacobian.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.vjp.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple.
        v: the vector, with the outputs' structure and shapes; it may be None where there is one output of one element.
        create_graph: whether the results have a history.
        strict: whether what does not depend on the inputs is an error instead of zeros.

    Returns:
        (outputs, v^T J); the product has the structure and shapes of `inputs`.

    Raises:
        TypeError: something is no Tensor.
        RuntimeError: `v` has another form; with `strict`, no dependence.
    """
    call = _Call("vjp", func, inputs, create_graph, strict)
    call.run()
    if v is None and (len(call.outputs) != 1 or call.outputs[0].numel() != 1):
        raise RuntimeError("The vector v can only be None if the user-provided function returns a single "
                           "Tensor with a single element.")
    vector = call.vector(v, call.outputs, call.one_output)
    product = _gradients(call.outputs, call.inputs, vector, create_graph)
    product = call.complete(product, call.inputs, _INDEPENDENT, _JACOBIAN_ENDS)
    return call.result(call.outputs, call.one_output), call.result(product, call.one_input)


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """The outputs of a function, and its Jacobian times a vector.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.jvp.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple.
        v: the vector, with the structure and shapes of `inputs`; it may be None where there is one input of one element.
        create_graph: whether the results have a history.
        strict: whether what does not depend on the inputs is an error instead of zeros.

    Returns:
        (outputs, J v); the product has the structure and shapes of the outputs.

    Raises:
        TypeError: something is no Tensor.
        RuntimeError: `v` has another form; with `strict`, no dependence.
    """
    call = _Call("jvp", func, inputs, create_graph, strict)
    vector = call.input_vector(v)
    call.run()
    weights = _zeros(call.outputs)
    linear = _gradients(call.outputs, call.inputs, weights, True)
    call.check(linear, _CONSTANT_GRADIENT)
    product = call.complete(_gradients(linear, weights, vector, create_graph), call.outputs,
                            _MISSING_JVP, _JACOBIAN_ENDS)
    return call.result(call.outputs, call.one_output), call.result(product, call.one_output)


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of a function.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.jacobian.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple.
        create_graph: whether the result has a history.
        strict: whether what does not depend on the inputs is an error instead of zeros.
        vectorize: one batched backward pass instead of one for each element of the outputs; the result is the same.
        strategy: "reverse-mode", or "forward-mode", which goes by the elements of the inputs and needs `vectorize`.

    Returns:
        A Tensor of the shapes of output and input, one after the other; a tuple of these for a tuple of inputs, and a
        tuple over the outputs around it for a tuple of outputs.

    Raises:
        TypeError: something is no Tensor.
        RuntimeError: with `strict`, no dependence; `strict` and `vectorize` together.
        NotImplementedError: what forward mode lacks.
        AssertionError: another strategy.
    """
    if strategy not in _STRATEGIES:
        raise AssertionError(_JACOBIAN_STRATEGY)
    if strategy == "forward-mode":
        _check_forward(create_graph, strict, vectorize)
        return _forward(func, inputs)
    call = _Call("jacobian", func, inputs, create_graph, strict)
    call.run()
    if vectorize and strict:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                           "supported together. Please either set `strict=False` or `vectorize=False`.")
    rows = _batched_rows(call) if vectorize else tuple(_rows(call, i) for i in range(len(call.outputs)))
    blocks = tuple(call.result(row, call.one_input) for row in rows)
    return blocks[0] if call.one_output else blocks


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False,
            outer_jacobian_strategy="reverse-mode"):
    """The Hessian of a function.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.hessian.html

    Args:
        func: a function of Tensors that returns one Tensor of one element.
        inputs: its arguments, a Tensor or a tuple.
        create_graph, strict, vectorize: as for `jacobian`.
        outer_jacobian_strategy: the strategy of the Jacobian of the gradient.

    Returns:
        A Tensor of the input's shape twice; for a tuple of inputs a tuple of tuples, one entry for each pair.

    Raises:
        RuntimeError: the output is not of one element; otherwise as `jacobian`.
        AssertionError: another strategy.
    """
    one_input, inputs = _tuple_of(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in _STRATEGIES:
        raise AssertionError("Expected strategy to be either \"forward-mode\" or \"reverse-mode\".")

    def scalar(*args):
        one, outputs = _tuple_of(func(*args), "outputs of the user-provided function", "hessian")
        if strict:
            _check_history(outputs, _OUTPUT_CONSTANT)
        _check_scalar("hessian", one, outputs)
        return outputs[0].squeeze()

    def gradient(*args):
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(x.requires_grad_(True) for x in args)
        found = jacobian(scalar, args, create_graph=True)
        if strict:
            _check_history(found, _CONSTANT_JACOBIAN)
        return found

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found[0][0] if one_input else found


@enable_grad()
def vhp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """The output of a function, and a vector times its Hessian.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.vhp.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple.
        v: the vector, with the structure and shapes of `inputs`; it may be None where there is one input of one element.
        create_graph: whether the results have a history.
        strict: whether what does not depend on the inputs is an error instead of zeros.

    Returns:
        (output, v^T H); the product has the structure and shapes of `inputs`.

    Raises:
        TypeError: something is no Tensor.
        RuntimeError: `v` has another form; with `strict`, no dependence; the output is not of one element.
    """
    call = _Call("vhp", func, inputs, create_graph, strict)
    vector = call.input_vector(v)
    gradient = call.gradient_of_scalar()
    product = call.complete(_gradients(gradient, call.inputs, vector, create_graph), call.inputs,
                            _MISSING_VHP, _HESSIAN_ENDS)
    return call.result(call.outputs, True), call.result(product, call.one_input)


@enable_grad()
def hvp(func, inputs, v=None, create_graph=False, strict=False) -> tuple:
    """The output of a function, and its Hessian times a vector. `vhp` is faster.
    https://pytorch.org/docs/stable/generated/torch.autograd.functional.hvp.html

    Args:
        func: a function of Tensors that returns a Tensor or a tuple of Tensors.
        inputs: its arguments, a Tensor or a tuple.
        v: the vector, with the structure and shapes of `inputs`; it may be None where there is one input of one element.
        create_graph: whether the results have a history.
        strict: whether what does not depend on the inputs is an error instead of zeros.

    Returns:
        (output, H v); the product has the structure and shapes of `inputs`.

    Raises:
        TypeError: something is no Tensor.
        RuntimeError: `v` has another form; with `strict`, no dependence; the output is not of one element.
    """
    call = _Call("hvp", func, inputs, create_graph, strict)
    vector = call.input_vector(v)
    gradient = call.gradient_of_scalar()
    weights = _zeros(call.inputs)
    linear = _gradients(gradient, call.inputs, weights, True)
    product = call.complete(_gradients(linear, weights, vector, create_graph), call.inputs,
                            _MISSING_HVP, _HESSIAN_ENDS)
    return call.result(call.outputs, True), call.result(product, call.one_input)


# -- one call

class _Call:
    """The arguments of one call as tuples of Tensors, what the function returned, and how results look."""

    def __init__(self, name, func, inputs, create_graph, strict):
        self.name, self.func, self.create_graph, self.strict = name, func, create_graph, strict
        self.one_input, given = _tuple_of(inputs, "inputs", name)
        self.inputs = tuple(self._apart(x, True) for x in given)
        self.one_output, self.outputs = False, ()

    def _apart(self, x, needs_grad) -> Tensor:
        """A Tensor that is not `x`: what the function does with `x` itself is a constant."""
        if self.create_graph and x.requires_grad:
            return x.view_as(x)
        return x.detach().requires_grad_(needs_grad)

    def run(self) -> None:
        """Call the function."""
        self.one_output, self.outputs = _tuple_of(
            self.func(*self.inputs), "outputs of the user-provided function", self.name)
        self.check(self.outputs, _OUTPUT_CONSTANT)

    def gradient_of_scalar(self) -> tuple:
        """Call the function, which must return one element; its gradient, with history."""
        self.run()
        _check_scalar(self.name, self.one_output, self.outputs)
        gradient = _gradients(self.outputs, self.inputs, None, True)
        self.check(gradient, _CONSTANT_JACOBIAN)
        return gradient

    def input_vector(self, v):
        """`v`, which must be like the inputs; None for one input of one element."""
        if v is None and (len(self.inputs) != 1 or self.inputs[0].numel() != 1):
            raise RuntimeError("The vector v can only be None if the input to the user-provided function is a "
                               "single Tensor with a single element.")
        return self.vector(v, self.inputs, self.one_input)

    def vector(self, v, like, one):
        """`v` as a tuple of Tensors of the shapes of `like`, which the caller knows as one Tensor if `one`."""
        if v is None:
            return None
        v = tuple(self._apart(x, False) for x in _tuple_of(v, "v", self.name)[1])
        if len(v) != len(like):
            raise RuntimeError("The given v should contain a single Tensor." if one else
                               f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
        for i, (x, y) in enumerate(zip(v, like, strict=True)):
            if x.shape != y.shape:
                raise RuntimeError(f"{'' if one else f'Entry {i} in '}v has invalid size: should be {y.shape} "
                                   f"but got {x.shape}.")
        return v

    def check(self, found, constant) -> None:
        """In strict mode, RuntimeError unless all of `found` depend on the inputs."""
        if self.strict:
            _check_history(found, constant)

    def complete(self, found, like, missing, ends) -> tuple:
        """Zeros for None; in strict mode RuntimeError instead, and under create_graph for lost history."""
        if self.strict:
            for i, x in enumerate(found):
                if x is None:
                    raise RuntimeError(missing.format(i))
                if self.create_graph and not x.requires_grad:
                    raise RuntimeError(ends.format(i))
        return tuple(y.new_zeros(y.shape) if x is None else x for x, y in zip(found, like, strict=True))

    def result(self, found, one):
        """What the caller gets: without history unless asked for, and as one Tensor if it gave `one`."""
        found = tuple(found) if self.create_graph else tuple(x.detach() for x in found)
        return found[0] if one else found


def _tuple_of(x, what, name) -> tuple:
    """(whether `x` is one Tensor, all as a tuple). TypeError for anything that is no Tensor."""
    one = not isinstance(x, tuple)
    for i, part in enumerate((x,) if one else x):
        if not isinstance(part, Tensor):
            where = f"given {what}" if one else f"value at index {i}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
                            f"{where} has type {type(part)}.")
    return one, (x,) if one else x


def _check_history(found, constant) -> None:
    for i, x in enumerate(found):
        if x is None:
            raise RuntimeError(_INDEPENDENT.format(i))
        if not x.requires_grad:
            raise RuntimeError(constant.format(i))


def _check_scalar(name, one, outputs) -> None:
    if not one:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")


def _gradients(outputs, inputs, weights, create_graph, retain_graph=None, batched=False) -> tuple:
    """`torch.autograd.grad` of those outputs that have a history; None for inputs they do not depend on."""
    weights = (None,) * len(outputs) if weights is None else weights
    pairs = [(x, g) for x, g in zip(outputs, weights, strict=True) if x is not None and x.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return engine.grad([x for x, _ in pairs], inputs, [g for _, g in pairs], retain_graph, create_graph,
                       allow_unused=True, is_grads_batched=batched)


def _zeros(like) -> tuple:
    """Zeros that require grad: the variables of a linear map. Strided ones: sparse zeros have no elements that a gradient
    could be for."""
    strided_ones = (x if x._cell.layout is strided else x.to_dense() for x in like)
    return tuple(x.new_zeros(x.shape, requires_grad=True) for x in strided_ones)


# -- Jacobians

def _rows(call, i) -> tuple:
    """For each input the Jacobian of output `i`, element after element."""
    out = call.outputs[i]
    columns = [[] for _ in call.inputs]
    for j in range(out.numel()):
        found = _gradients((out.reshape(-1)[j],), call.inputs, None, call.create_graph, True)
        for k, (g, x) in enumerate(zip(found, call.inputs, strict=True)):
            if call.strict and g is None:
                raise RuntimeError(f"Output {i} of the user-provided function is independent of input {k}. {_STRICT}")
            if call.strict and call.create_graph and not g.requires_grad:
                raise RuntimeError(_JACOBIAN_ENDS.format(i))
            columns[k].append(x.new_zeros(x.shape) if g is None else g)
    return tuple(bind(ROWS["stack"], (tuple(column),), (), (0,)).view(out.shape + x.shape)
                 for column, x in zip(columns, call.inputs, strict=True))


def _batched_rows(call) -> tuple:
    """For each output and input the Jacobian, from one batched backward pass."""
    sizes = [out.numel() for out in call.outputs]
    basis = _basis(call.outputs, sizes)
    flat = [out.reshape(-1) for out in call.outputs]
    found = _gradients(flat, call.inputs, basis, call.create_graph, batched=True)
    parts = []
    for g, x in zip(found, call.inputs, strict=True):
        g = x.new_zeros(x.shape).expand((sum(sizes), *x.shape)) if g is None else g
        parts.append(g.split(sizes))
    return tuple(tuple(part[i].view(out.shape + x.shape) for part, x in zip(parts, call.inputs, strict=True))
                 for i, out in enumerate(call.outputs))


def _basis(like, sizes) -> list:
    """The unit vectors of all tensors together as rows, in a matrix for each."""
    basis: list = []
    for x, size in zip(like, sizes, strict=True):
        basis.append(x.new_zeros((sum(sizes), size)))
        basis[-1].diagonal(-sum(sizes[:len(basis) - 1])).fill_(1)
    return basis


def _check_forward(create_graph, strict, vectorize) -> None:
    """PyTorch's errors of the forward-mode strategy."""
    for flag, name, kind in ((create_graph, "create_graph", NotImplementedError), (strict, "strict", RuntimeError)):
        if flag:
            raise kind(f"torch.autograd.functional.jacobian: `{name}=True` and `strategy=\"forward-mode\"` are not "
                       f"supported together (yet). Please either set `{name}=False` or "
                       "`strategy=\"reverse-mode\"`.")
    if not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
                                  "implemented for `vectorize=True`.")


def _forward(func, inputs):
    """The Jacobian by forward mode: the function is called once, with a batch of tangents."""
    one_input, inputs = _tuple_of(inputs, "inputs", "jacobian")
    sizes, ones = [x.numel() for x in inputs], []

    def push(*tangents):
        with forward_ad.dual_level():
            duals = [forward_ad.dual_of(x, t.view(x.shape)) for x, t in zip(inputs, tangents, strict=True)]
            one, outputs = _tuple_of(func(*duals), "outputs", None)
            ones.append(one)
            pairs = [forward_ad.unpack_dual(out) for out in outputs]
        return [out.new_zeros(out.shape) if t is None else t for out, t in pairs]

    columns = side_by_side(push, _basis(inputs, sizes), sum(sizes), True)
    blocks = []
    for column in columns:
        row = [part.movedim(0, -1).reshape(column.shape[1:] + x.shape)
               for part, x in zip(column.split(sizes), inputs, strict=True)]
        blocks.append(row[0] if one_input else row)
    return blocks[0] if ones[0] else tuple(blocks) if one_input else blocks
