"""What the hooks of `weight_norm` and `spectral_norm` share."""


def refuse_second(module, kind: type, name: str, what: str) -> None:
    """RuntimeError if the parameter `name` has a hook of this kind."""
    if find(module._forward_pre_hooks, kind, name) is not None:
        raise RuntimeError(f"Cannot register two {what} hooks on the same parameter {name}")


def take_off(module, kind: type, name: str, what: str) -> None:
    """Remove the hook and what it made of the parameter `name`. ValueError if there is none."""
    key = find(module._forward_pre_hooks, kind, name)
    if key is None:
        raise ValueError(f"{what} of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(key).remove(module)


def find(hooks: dict, kind: type, name: str):
    """The key of the hook of this kind and parameter; None if there is none."""
    return next((key for key, hook in hooks.items() if isinstance(hook, kind) and hook.name == name), None)
