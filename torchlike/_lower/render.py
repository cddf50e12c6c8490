"""The text of a whole module: imports, constants, functions, in the order in which a person would have them."""

import re
import textwrap

import numpy as np

from torchlike._lower.backward import Backward
from torchlike._lower.body import Body
from torchlike._lower.folding import Folder, hoisted
from torchlike._lower.layout import WIDTH, block, needed
from torchlike._lower.program import Constant, Step, each_step
from torchlike._lower.source import Module
from torchlike._lower.texts import dtype_name, number
from torchlike._lower.writer import Writer

_SHORT = 64  # numbers of a constant that is written as numbers; of longer ones the bytes stand at the end
_BYTES = '''def array(dtype, shape, text):
    """An array from its bytes."""
    return jnp.array(memoryview(bytes.fromhex(text)).cast("B")).view(dtype).reshape(shape)'''


def forward_text(lowered) -> str:
    """The source of the function of the leaves.

    Args:
        lowered: the Lowered.

    Returns:
        The text of the module.
    """
    module = _module(lowered, lowered.name)
    lines, (loss,) = _lines(module, lowered, lowered.steps, [lowered.root], {})
    main = block([f"def {lowered.name}(params):", [_SUMMARY, *lines, f"return {loss}"]], 0)
    return _assembled(module, "\n".join(main), f"`{lowered.name}`")


def backward_text(lowered) -> str:
    """The source of the function that computes the loss and its gradients, as the tape does.

    Args:
        lowered: the Lowered.

    Returns:
        The text of the module.
    """
    name = f"{lowered.name}_and_gradients"
    module = _module(lowered, name, is_differentiated=False)
    leaves = {edge: form for edge, (_, form) in module.leaves.items()}
    back = Backward(lowered.steps, lowered.root, leaves, module.form_of)
    for step in back.steps:
        if step.__class__ is Step and step.makes[0] not in module.forms:
            module.learn(step)
    for step in back.steps:
        for key in step.makes:
            _name_gradient(module, key)
    lines, (loss,) = _lines(module, lowered, back.steps, [lowered.root],
                            {leaf: back.gradients[edge] for leaf, edge in lowered.edges.items()})
    main = block([f"def {name}(params):", [_SUMMARY_BACK, "grads = {}", *lines, f"return {loss}, grads"]], 0)
    return _assembled(module, "\n".join(main), f"`{lowered.name}` and its gradients")


_SUMMARY = '"""The result, of a dictionary of all parameters."""'
_SUMMARY_BACK = '"""The result, and the gradient of each parameter."""'


def _module(lowered, name, is_differentiated=True) -> Module:
    module = Module(lowered.names, {edge: (leaf, lowered.form_of(edge)) for leaf, edge in lowered.edges.items()})
    module.taken |= {name, "grads"}
    module.is_differentiated = is_differentiated
    for step in each_step(lowered.steps):
        module.learn(step)
    return module


def _lines(module, lowered, steps, wanted, stores) -> tuple:
    """(statements, codes of the wanted keys). `stores`: {leaf: the key of its gradient}."""
    ends = [*wanted, *stores.values()]
    items = Folder(hoisted(steps), ends, lambda step: _form(module, step)).folded()
    writer = Writer(module, {"params"})
    body = Body(module, writer, {})
    twice = []
    for leaf, key in stores.items():
        if key.__class__ is Constant or key in body.stores:
            twice.append((leaf, key))
        else:
            body.stores[key] = f'grads["{leaf}"]'
    texts = body.write(items, [*wanted, *(key for _, key in twice)])
    codes = [writer.whole(text, module.shaped(key)).code
             for text, key in zip(texts, [*wanted, *(key for _, key in twice)], strict=True)]
    lines = [*writer.lines]
    lines += [f'grads["{leaf}"] = {code}' for (leaf, _), code in zip(twice, codes[len(wanted):], strict=True)]
    return needed(lines, codes), codes[:len(wanted)]


def _name_gradient(module, key) -> None:
    """The gradient of what the user has a name for is called after it."""
    if key.__class__ is tuple and key[0] in ("grad", "sum"):
        name = module.names.of_value(key[1])
        if name is not None:
            module.names.name_value(key, f"g_{name}")
    elif key.__class__ is tuple and key[0] == "again":
        name = module.names.of_value(key[1])
        if name is not None:
            module.names.name_value(key, name)


def _form(module, step):
    forms = tuple((tuple(f.shape), str(f.dtype)) for f in map(module.form_of, step.reads))
    return step.form, forms, step.keeps


def _assembled(module, main, title) -> str:
    short, long = [], []
    for name, array in module.constants.values():
        (short if array.size <= _SHORT else long).append((name, array))
    constants = [f"{name} = {_written(array)}" for name, array in short]
    body = [*module.texts, main]
    if long:
        body = [_BYTES, *body]
    code = "\n".join([*constants, *body])
    imports = ["import jax.numpy as jnp"]
    if module.is_wide or re.search(r"\bjax\.", code):
        imports.insert(0, "import jax")
    if re.search(r"\blax\.", code):
        imports.append("from jax import lax")
    imports += sorted(module.imports)
    parts = [f'"""{title} in JAX: a program for PyTorch, as torchlike has recorded it."""\n\n' + "\n".join(imports)]
    if module.is_wide:
        parts.append("\n" + 'jax.config.update("jax_enable_x64", True)  # PyTorch\'s integers have 64 bits')
    if constants:
        parts.append("\n" + "\n".join(constants))
    text = "\n".join(parts) + "\n"
    for function in body:
        text += f"\n\n{function}\n"
    for name, array in long:
        text += f"\n\n{_bytes(name, array)}\n"
    return text


def _written(array) -> str:
    """An array as numbers."""
    flat = [number(x) for x in array.reshape(-1)]
    if array.size and all(x == flat[0] for x in flat) and array.size > 4:
        shape = f"({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"
        return f"jnp.full({shape}, {flat[0]}, {dtype_name(array.dtype)})"
    rows = _rows(flat, array.shape, 4)
    if len(rows) == 1 and len(rows[0]) < WIDTH - 50:
        return f"jnp.array({rows[0].strip()}, {dtype_name(array.dtype)})"
    rows = [row if row.endswith((",", "[")) else f"{row}," for row in rows]
    return "\n".join(["jnp.array(", *rows, f"    {dtype_name(array.dtype)},", ")"])


def _rows(flat, shape, indent) -> list:
    """Nested lists as lines: as many numbers, or lists of numbers, on each as there is room for."""
    pad = " " * indent
    if not shape:
        return [pad + flat[0]]
    size = len(flat) // shape[0] if shape[0] else 0
    parts = [_rows(flat[i * size:(i + 1) * size], shape[1:], indent + 4) for i in range(shape[0])]
    whole = f"[{', '.join(part[0].strip() for part in parts)}]"
    if all(len(part) == 1 for part in parts) and len(whole) + indent < WIDTH:
        return [pad + whole]
    if len(shape) == 1:
        filled = textwrap.wrap(", ".join(flat) + ",", WIDTH - indent - 4, break_long_words=False)
        return [f"{pad}[", *(f"{pad}    {line}" for line in filled), f"{pad}],"]
    lines = [line if line.endswith((",", "[")) else f"{line}," for part in parts for line in part]
    return [f"{pad}[", *lines, f"{pad}],"]


def _bytes(name, array) -> str:
    text = np.ascontiguousarray(array).tobytes().hex()
    width = WIDTH - 8
    lines = [f'    "{text[i:i + width]}"' for i in range(0, len(text), width)]
    shape = f"({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"
    return "\n".join([f"{name} = array({dtype_name(array.dtype)}, {shape}, (", *lines, "))"])
