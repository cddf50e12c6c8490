"""A custom Function as source: `jax.custom_vjp` with the user's backward."""

import re

from torchlike._lower.flat import Flat, traced
from torchlike._lower.names import identifier
from torchlike._lower.program import Constant
from torchlike._lower.texts import Text, tuple_of
from torchlike._lower.writer import Writer


def custom_function(module, step, body_class) -> str:
    """The name of the function of a custom Function, which is added to the module.

    Args:
        module: the Module.
        step: its Step.
        body_class: `Body`.

    Returns:
        The name. It returns an array, or a tuple of them where there are several results.
    """
    custom = step.custom
    for inner in custom.steps:
        module.learn(inner)
    names = [f"x{i}" if len(custom.inputs) > 1 else "x" for i in range(len(custom.inputs))]
    name = identifier(_snake(step.name))
    kept = [key for key in dict.fromkeys(custom.saved) if key is not None and key.__class__ is not Constant]
    known = set(custom.inputs) | set(custom.results)
    lines, results = _forward(module, custom, names, custom.results, body_class)
    shown = ", ".join(results)
    backward, used = _backward(module, custom, kept)
    values = dict(zip(custom.inputs, names, strict=True))
    if known.issuperset(used):
        outs = [f"out{k}" if len(custom.results) > 1 else "out" for k in range(len(custom.results))]
        values |= dict(zip(custom.results, outs, strict=True))
        forward = [f"{', '.join(outs)} = {{name}}({', '.join(names)})",
                   f"return {_bunch(outs)}, {tuple_of(values[key] for key in used)}"]
    else:
        forward, codes = _forward(module, custom, names, [*custom.results, *used], body_class)
        forward.append(f"return {_bunch(codes[:len(results)])}, {tuple_of(codes[len(results):])}")
    after = ("\n", f"def {{name}}_forward({', '.join(names)}):", *(f"    {line}" for line in forward),
             "\n", *backward, "\n", "{name}.defvjp({name}_forward, {name}_backward)")
    return module.function(name, names, lines, [shown], decorators=("@jax.custom_vjp",), after=after)


def _snake(name) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _bunch(codes) -> str:
    return codes[0] if len(codes) == 1 else f"({', '.join(codes)})"


def _forward(module, custom, names, wanted, body_class) -> tuple:
    """(statements, codes of the wanted keys)."""
    env = {key: Text(name, shape=tuple(module.form_of(key).shape)) for key, name in zip(custom.inputs, names, strict=True)}
    writer = Writer(module, names)
    body = body_class(module, writer, env)
    texts = body.write(custom.steps, wanted)
    return writer.lines, [writer.whole(text, module.shaped(key)).code for text, key in zip(texts, wanted, strict=True)]


def _backward(module, custom, kept) -> tuple:
    """(lines of the function of the gradients, what it reads of the forward pass)."""
    arrays = [*kept, *custom.inputs]
    forms = [module.form_of(key) for key in (*arrays, *custom.results)]

    def function(*values):
        env = dict(zip(kept, values, strict=False))
        saved = [None if key is None else key.array if key.__class__ is Constant else env[key] for key in custom.saved]
        return custom.backward(saved, values[len(kept):len(arrays)], values[len(arrays):])

    flat = Flat(traced(function, forms))
    used = list(dict.fromkeys(key for key, var in zip(arrays, flat.invars, strict=False) if var in flat.uses))
    labels = {key: f"saved{i}" if len(used) > 1 else "saved" for i, key in enumerate(used)}
    labels |= {key: f"x{i}" if len(custom.inputs) > 1 else "x" for i, key in enumerate(custom.inputs) if key in used}
    labels |= {key: f"out{i}" if len(custom.results) > 1 else "out" for i, key in enumerate(custom.results) if key in used}
    grads = [f"g{i}" if len(custom.results) > 1 else "g" for i in range(len(custom.results))]
    parameters = [labels.get(key, "_") for key in arrays] + grads
    writer = Writer(module, parameters)
    texts = writer.write(flat, [Text(name, shape=tuple(f.shape)) for name, f in zip(parameters, forms, strict=True)])
    head = ["def {name}_backward(saved, " + ("g" if len(grads) == 1 else "gradients") + "):"]
    if used:
        head.append(f"    {', '.join(labels[key] for key in used)}{',' if len(used) == 1 else ''} = saved")
    if len(grads) > 1:
        head.append(f"    {', '.join(grads)} = gradients")
    lines = [f"    {line}" for line in writer.lines]
    results = tuple_of(text.code for text in texts) if len(texts) == 1 else ", ".join(text.code for text in texts)
    escaped = [line.replace("{", "{{").replace("}", "}}") for line in (*lines, f"    return {results}")]
    return [*head, *escaped], used
