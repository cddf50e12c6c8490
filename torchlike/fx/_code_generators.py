"""`torch.fx.CodeGen`: what writes a Graph as the text of a function, to be subclassed.

https://pytorch.org/docs/stable/fx.html#torch.fx.Graph.set_codegen
"""

import inspect
from typing import Any, NamedTuple

from torchlike.fx._codegen import CodeWriter, PythonCode
from torchlike.fx._names import Namespace
from torchlike.utils import _pytree


class CodeGen:
    """Writes a Graph as the text of a function. Its methods can be overridden."""

    def __init__(self):
        self._body_transformer: Any = None
        self._func_name = "forward"

    # -- to be overridden

    def gen_fn_def(self, free_vars: list, maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """The head of the function.

        Args:
            free_vars: its parameters as texts; ``self`` is put before them.
            maybe_return_annotation: the annotation of the result, or nothing.
            expanded_def: whether each parameter has its line.

        Returns:
            The text.
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        listed = "\n" + "".join(map(_on_its_line, free_vars)) if expanded_def else ", ".join(free_vars)
        return f"def {self._func_name}({listed}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs: list | None = None, repr_fn=None) -> str:
        """The ``return`` of the function.

        Args:
            output_args: what it returns: a Node or a structure of Nodes.
            descs: a comment for each of several, or None.
            repr_fn: the text of a value; None is ``repr``.

        Returns:
            The text, not indented.
        """
        return "return " + _listed(output_args, descs, repr_fn or repr)

    def process_inputs(self, *args):
        """What the Nodes get, out of the arguments of the function.

        Args:
            *args: the arguments.

        Returns:
            A sequence, here the arguments.
        """
        return args

    def process_outputs(self, outputs):
        """What the function returns, out of what the output Node has.

        Args:
            outputs: what the output Node has.

        Returns:
            The result, here the same.
        """
        return outputs

    def additional_globals(self) -> list:
        """What else the text refers to.

        Returns:
            A list of pairs of a name and a value, here empty.
        """
        return []

    # -- writing

    def _gen_python_code(self, nodes, root_module: str, namespace: Namespace, *, expanded_def: bool = False,
                         **options) -> PythonCode:
        writer = CodeWriter(nodes, root_module, namespace)

        def output(value):
            return _heeding(self.generate_output, value, repr_fn=writer.value)

        body = writer.body(output)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        for name, value in self.additional_globals():
            writer.add_global(name, value)
        head = _heeding(self.gen_fn_def, writer.parameters, writer.returns, expanded_def=expanded_def)
        lines = "\n".join(line for line in "".join(body).split("\n") if "# COUNTER: " not in line).lstrip("\n")
        text = "\n".join(f"    {line}" for line in lines.split("\n"))
        return PythonCode(f"\n{wraps}\n\n{head}\n{text}", writer.globals)


def _heeding(method, *args, **options) -> str:
    """Calls a method, which may have been overridden before it had all options."""
    known = inspect.signature(method).parameters
    return method(*args, **{name: value for name, value in options.items() if name in known})


def _on_its_line(parameter: str) -> str:
    code, mark, comment = parameter.partition("#")
    return f"    {code.rstrip()},  # {comment.lstrip()}\n" if mark else f"    {code},\n"


def _listed(values, comments, repr_fn) -> str:
    """A value; several with comments have a line each."""
    if comments is None or not isinstance(values, list | tuple):
        return repr_fn(values)
    lines = "".join(f"    {repr_fn(value)},  # {comment}\n" for value, comment in zip(values, comments, strict=False))
    first, last = "()" if isinstance(values, tuple) else "[]"
    return f"{first}\n{lines}{last}"


class _PyTreeInfo(NamedTuple):
    """The names of the parameters, and the forms of the arguments and of the result."""

    orig_args: list
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Writes a function whose arguments and result are structures, of a Graph of their leaves."""

    def __init__(self, pytree_info: _PyTreeInfo):
        super().__init__()
        self.pytree_info: Any = pytree_info

    def process_inputs(self, *inputs):
        return _pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out):
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        return _pytree.tree_unflatten(out if isinstance(out, list | tuple) else [out], self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = list(self.pytree_info.orig_args)
        if names[:1] == ["self"]:
            free_vars.insert(0, "self")
        head = super().gen_fn_def(names[:], maybe_return_annotation, expanded_def=expanded_def)
        return head + self.gen_var_bindings(names, free_vars, expanded_def) if free_vars else head

    def gen_var_bindings(self, fn_args: list, free_vars: list, expanded_def: bool) -> str:
        """The lines that take the leaves out of the arguments.

        Args:
            fn_args: the names of the arguments.
            free_vars: the parameters of the Graph, as texts.
            expanded_def: whether each annotation has its line.

        Returns:
            The text.
        """
        leaves = [each.split(":")[0].split("#")[0] for each in free_vars]
        annotated = [each for each in free_vars if ":" in each]
        text = "\n    ".join(annotated) if expanded_def else "".join(f"{each}; " for each in annotated) + "\n"
        first = f"\n    {text}" if annotated else ""
        return f"{first}\n    {', '.join(leaves)}, = fx_pytree.tree_flatten_spec({self._given(fn_args)})"

    def _given(self, names) -> str:
        spec = self.pytree_info.in_spec
        two = spec.type is tuple and [child.type for child in spec.children()] == [tuple, dict]
        if not two:
            return f"[{', '.join(names)}], self._in_spec"
        count, keys = spec.child(0).num_children, spec.child(1).context
        names = self.pytree_info.orig_args
        named = ", ".join(f"'{key}':{name}" for key, name in zip(keys, names[count:], strict=False))
        return f"([{', '.join(names[:count])}], {{{named}}}), self._in_spec"

    def generate_output(self, output_args, *, descs=None, repr_fn=None):
        if not (self.pytree_info and self.pytree_info.out_spec):
            return super().generate_output(output_args, descs=descs, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({_listed(output_args, descs, repr_fn or repr)}, self._out_spec)"
