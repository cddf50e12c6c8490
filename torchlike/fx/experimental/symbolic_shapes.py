"""Questions about sizes, which are numbers here. https://pytorch.org/docs/stable/fx.experimental.html"""


class GuardOnDataDependentSymNode(RuntimeError):
    """A size depends on values. It is never raised: values are known when Python runs."""


def guard_or_false(a) -> bool:
    """Whether a condition on sizes holds.

    Args:
        a: the condition.

    Returns:
        a bool.
    """
    return bool(a)


def guard_or_true(a) -> bool:
    """Whether a condition on sizes holds.

    Args:
        a: the condition.

    Returns:
        a bool.
    """
    return bool(a)


def statically_known_true(x) -> bool:
    """Whether a condition on sizes holds.

    Args:
        x: the condition.

    Returns:
        a bool.
    """
    return bool(x)


def free_symbols(val) -> set:
    """The unknown sizes in a value: none.

    Args:
        val: a size, or a structure of sizes.

    Returns:
        An empty set.
    """
    return set()


def free_unbacked_symbols(x) -> set:
    """The sizes in a value that depend on values: none.

    Args:
        x: a size, or a structure of sizes.

    Returns:
        An empty set.
    """
    return set()
