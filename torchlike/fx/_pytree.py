"""`torch.fx._pytree`, which generated code calls ``fx_pytree``: leaves of arguments whose form is known."""

from torchlike.utils._pytree import tree_flatten
from torchlike.utils._pytree_nodes import is_namedtuple_class, is_structseq_class

SUPPORTED_NODES: dict = {}  # class -> the function that gives an object's children
SUPPORTED_NODES_EXACT_MATCH: dict = {}


def register_pytree_flatten_spec(cls: type, flatten_fn_spec, flatten_fn_exact_match_spec=None) -> None:
    """Says how the children of a class's objects are found.

    Args:
        cls: the class.
        flatten_fn_spec: gets an object and its form, and gives the list of its children.
        flatten_fn_exact_match_spec: says whether an object has that form; it is kept alone.
    """
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree, spec) -> list:
    """The leaves of an object of a form that is known. Whatever else the object has is left out.

    Args:
        pytree: the object.
        spec: the form, a `TreeSpec`.

    Returns:
        A list.

    Raises:
        RuntimeError: a class that is not registered, and another form.
    """
    if spec.is_leaf():
        return [pytree]
    found = SUPPORTED_NODES.get(spec.type)
    if found is None and (is_namedtuple_class(spec.type) or is_structseq_class(spec.type)):
        found = _numbered
    if found is not None:
        children = zip(found(pytree, spec), spec.children(), strict=False)
        return [leaf for child, form in children for leaf in tree_flatten_spec(child, form)]
    leaves, real = tree_flatten(pytree)
    if spec != real:
        raise RuntimeError(f"Real spec {real} of object {pytree} is different from expected spec {spec}. "
                           "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml")
    return leaves


def _numbered(sequence, spec) -> list:
    return [sequence[i] for i in range(spec.num_children)]


def _keyed(mapping, spec) -> list:
    return [mapping[key] for key in spec.context]


def _of_its_length(container, spec) -> bool:
    return len(container) == spec.num_children


for _kind, _children in ((dict, _keyed), (list, _numbered), (tuple, _numbered)):
    register_pytree_flatten_spec(_kind, _children, _of_its_length)
