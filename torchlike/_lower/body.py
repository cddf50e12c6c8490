"""The statements of a program's function: its steps, checkpoints and loops, with the user's names."""

import re

from torchlike._lower.custom_source import custom_function
from torchlike._lower.folding import Loop
from torchlike._lower.names import identifier
from torchlike._lower.program import NAMED, Checkpoint, Constant, Step
from torchlike._lower.source import function_name, result_name
from torchlike._lower.texts import Text
from torchlike._lower.turns import Turns
from torchlike._lower.writer import Writer

_LONGEST, _DEAREST = 60, 4
_MANY = 4  # results that get no name each


class Body:
    """Writes steps.

    Args:
        module: the Module.
        writer: the Writer of the function.
        env: {key: Text} of what is at hand.
    """

    def __init__(self, module, writer, env):
        self.module, self.writer, self.env = module, writer, dict(env)
        self.left: dict = {}  # {key: how many will read it}
        self.hints: dict = {}  # {key: the name that it had better have}
        self.indexes: set = set()  # the variables of loops that are over
        self.ends: list = []  # the keys that are read in the end
        self.stores: dict = {}  # {key: where the value is to go, as code}
        self.held: dict = {}  # {variable: the key whose value it has}

    def write(self, items, wanted) -> list:
        """Writes steps.

        Args:
            items: Steps, Checkpoints and Loops.
            wanted: the keys that are read in the end.

        Returns:
            The Text of each of `wanted`.
        """
        self.ends = list(wanted)
        for key in (*(key for item in items for key in item.operands), *wanted, *self.stores):
            self.left[key] = self.left.get(key, 0) + 1
        for item in items:
            _WRITE[item.__class__](self, item)
            for key in item.makes:
                self._store(key)
        for key in list(self.stores):
            self._store(key)
        return [self.text(key) for key in wanted]

    def _store(self, key) -> None:
        """Puts a value where it is to go."""
        target = self.stores.pop(key, None)
        if target is None:
            return
        self.left[key] -= 1
        text = self.writer.whole(self.text(key), self.module.shaped(key))
        self.writer.lines.append(f"{target} = {text.code}")
        if not text.is_name and self.left[key]:
            self.env[key] = Text(target, shape=text.shape)

    def text(self, key) -> Text:
        """The Text of a value.

        Args:
            key: its key.

        Returns:
            The Text.
        """
        if key in self.env:
            return self.env[key]
        if key.__class__ is Constant:
            return self.module.constant(key.array, self.module.names.of_constant(key))
        return Text(self.module.leaf(key), shape=tuple(self.module.form_of(key).shape))

    def _read(self, key) -> Text:
        text = self.text(key)
        self.left[key] -= 1
        return text

    def assign(self, key, text, hint) -> None:
        """Gives a value a variable.

        Args:
            key: its key.
            text: its Text.
            hint: the name, unless somebody needs what has it.
        """
        name = self.variable(hint)
        self.writer.lines.append(f"{name} = {text.code}")
        self.bind(key, name, text.shape)

    def bind(self, key, name, shape) -> None:
        """A variable has a value now.

        Args:
            key: its key.
            name: the variable.
            shape: its shape.
        """
        self.held[name] = key
        self.env[key] = Text(name, shape=shape)

    def variable(self, hint) -> str:
        """A variable that may be assigned to.

        Args:
            hint: its name, unless somebody needs what has it.

        Returns:
            The name.
        """
        key = self.held.get(hint)
        if key is None or self.left.get(key, 0) > 0:
            return self.writer.fresh(hint)
        return self.writer.fresh(hint) if self.is_awaited(hint) else hint

    def is_awaited(self, name) -> bool:
        """Whether an expression that is still to be written reads a variable.

        Args:
            name: the variable.

        Returns:
            A bool.
        """
        word = re.compile(rf"\b{re.escape(name)}\b")
        return any(self.left.get(key, 0) > 0 and word.search(text.code) for key, text in self.env.items())

    def _variables(self, hints) -> list:
        """Variables for several values at once."""
        found: list = []
        for hint in hints:
            name = hint if hint == "_" else self.variable(hint)
            found.append(self.writer.fresh(hint) if name != "_" and name in found else name)
        return found

    # -- one item

    def _step(self, step: Step) -> None:
        wanted = [k for k, key in enumerate(step.makes) if self.left.get(key, 0)]
        if not wanted:
            for key in step.reads:
                self.left[key] -= 1
            return
        arguments = [self._read(key) for key in step.reads]
        if step.name == "wait":
            self._wait(step, arguments)
            return
        if step.custom is not None:
            wanted = list(range(len(step.makes)))
            found = self._custom(step, arguments)
        else:
            found = self.module.unit(step, wanted).write(self.writer, arguments)
        if step.keeps:
            found = [self._kept(text) for text in found]
        keys = [step.makes[k] for k in wanted]
        if len(keys) > 1:
            self._several(step, keys, found)
            return
        (key,), (text,) = keys, found
        hint = self.hints.get(key) or self.module.names.of_value(key)
        once = self.ends == [key] or key in self.stores
        if text.is_name or once or (hint is None and self.left[key] < 2 and _is_short(text)):
            self.env[key] = text
            return
        self.assign(key, text, hint or result_name(step))

    def _wait(self, step, arguments) -> None:
        """Values that are there only when all of them are."""
        hints = [self.module.names.of_value(key) or ("x" if key[0] == "again" else "g") for key in step.makes]
        names = self._variables(hints)
        codes = [self.writer.whole(x, self.module.shaped(key)).code for x, key in zip(arguments, step.reads, strict=True)]
        self.writer.lines.append(f"{', '.join(names)} = lax.optimization_barrier(({', '.join(codes)}))")
        for key, name in zip(step.makes, names, strict=True):
            self.bind(key, name, tuple(self.module.form_of(key).shape))

    def _custom(self, step, arguments) -> list:
        name = custom_function(self.module, step, Body)
        whole = [self.writer.whole(x, self.module.shaped(key)).code for x, key in zip(arguments, step.reads, strict=True)]
        shapes = [tuple(self.module.form_of(key).shape) for key in step.makes]
        return [Text(f"{name}({', '.join(whole)})" if not k else "", shape=shape, cost=1) for k, shape in enumerate(shapes)]

    def _kept(self, text) -> Text:
        self.module.imports.add("from jax.ad_checkpoint import checkpoint_name")
        return Text(f'checkpoint_name({text.code}, "kept")', shape=text.shape, cost=text.cost + 1)

    def _several(self, step, keys, found) -> None:
        """The results of a call: variables, or a list of so many."""
        call, shapes = found[0].code, [text.shape for text in found]
        shapes[0] = tuple(self.module.form_of(keys[0]).shape)
        if len(keys) > _MANY:
            name = self.variable(function_name(step) + "s")
            self.writer.lines.append(f"{name} = {call}")
            self.module.sizes[name] = len(keys)
            for i, (key, shape) in enumerate(zip(keys, shapes, strict=True)):
                self.env[key] = Text(f"{name}[{i}]", shape=shape)
            return
        names = self._variables([self.module.names.of_value(key) or result_name(step) for key in keys])
        self.writer.lines.append(f"{', '.join(names)} = {call}")
        for key, name, shape in zip(keys, names, shapes, strict=True):
            self.bind(key, name, shape)

    def _checkpoint(self, region: Checkpoint) -> None:
        operands = region.operands
        arguments = []
        for key, own in zip(operands, region.own, strict=True):
            arguments.append(self.writer.whole(self._read(key), self.module.shaped(own)).code)
        name = region_function(self.module, region)
        makes = [key for key in region.makes if self.left.get(key, 0)]
        call = f"{name}({', '.join(arguments)})"
        if len(region.makes) == 1:
            key = region.makes[0]
            hint = self.hints.get(key) or self.module.names.of_value(key) or "x"
            self.assign(key, Text(call, shape=tuple(self.module.form_of(key).shape)), hint)
            return
        names = self._variables([self.module.names.of_value(key) or "x" if key in makes else "_" for key in region.makes])
        self.writer.lines.append(f"{', '.join(names)} = {call}")
        for key, variable in zip(region.makes, names, strict=True):
            self.bind(key, variable, tuple(self.module.form_of(key).shape))

    def _loop(self, loop: Loop) -> None:
        Turns(self, loop).write()

    def named(self, key, hint) -> Text:
        """A value that is read more than once from here on: a variable, if it is not cheap.

        Args:
            key: its key.
            hint: the name.

        Returns:
            Its Text.
        """
        text = self.text(key)
        if not text.is_name:
            self.assign(key, text, self.module.names.of_value(key) or hint)
        return self.env.get(key, text)


def _is_short(text) -> bool:
    return len(text.code) <= _LONGEST and text.cost <= _DEAREST


_WRITE = {Step: Body._step, Checkpoint: Body._checkpoint, Loop: Body._loop}


def region_function(module, region) -> str:
    """The name of the function of a checkpointed region, which is added to the module.

    Args:
        module: the Module.
        region: the Checkpoint.

    Returns:
        The name.
    """
    names, prefix = _region_names(module, region)
    env = {key: Text(name, shape=tuple(module.form_of(key).shape)) for key, name in zip(region.own, names, strict=True)}
    writer = Writer(module, names)
    body = Body(module, writer, env)
    body.held = dict(zip(names, region.own, strict=True))
    results = [writer.whole(text, module.shaped(key)).code
               for text, key in zip(body.write(region.steps, region.makes), region.makes, strict=True)]
    found = identifier(prefix or "region")
    if region.policy is None:
        return module.function(found, names, writer.lines, results, decorators=("@jax.checkpoint",))
    policy = f"jax.checkpoint_policies.{region.policy}"
    if region.policy == NAMED:
        policy += '("kept")'
    after = f"\n\n{{name}} = jax.checkpoint({{name}}, policy={policy})"
    return module.function(found, names, writer.lines, results, after=(after,))


def _region_names(module, region) -> tuple:
    """(the names of what a region reads, that of the module of the user's that it is, or None)."""
    leaves = {key: module.leaves[key][0] for key in region.own if key in module.leaves}
    parts = [name.split(".")[:-1] for name in leaves.values()]
    common = []
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        common.append(column[0])
    words = [part for part in common if not part.isdigit()]
    found: list = []
    for key in region.own:
        if key in leaves:
            hint = identifier(leaves[key][len(".".join([*common, ""])):])
        elif key.__class__ is Constant:
            hint = module.names.of_constant(key).lower()
        else:
            hint = "x"
        name, count = hint, 2
        while name in found:
            name, count = f"{hint}{count}", count + 1
        found.append(name)
    return found, re.sub(r"(?<=[^s])s$", "", words[-1]) if words else None
