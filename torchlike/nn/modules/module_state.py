"""`state_dict` and `load_state_dict` of a module.

https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
"""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.modules._handles import RemovableHandle, add_hook
from torchlike.nn.modules.module_hooks import WrappedHook
from torchlike.nn.parameter import is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"
_POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
_POST_HOOK_RETURNED = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
    "values, if incompatible_keys need to be modified, it should be done inplace."
)
_NEVER_CALLED = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class ModuleState:
    """What `Module` has for saving and loading.
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
    """

    def get_extra_state(self):
        """To be overridden: what the `state_dict` holds besides tensors.

        Raises:
            RuntimeError: the class does not override it.
        """
        raise RuntimeError(_NEVER_CALLED.format("get_extra_state"))

    def set_extra_state(self, state):
        """To be overridden: takes back what `get_extra_state` gave.

        Args:
            state: the object.

        Raises:
            RuntimeError: the class does not override it.
        """
        raise RuntimeError(_NEVER_CALLED.format("set_extra_state"))

    def register_state_dict_pre_hook(self, hook) -> RemovableHandle:
        """Runs a hook before `state_dict` collects.

        Args:
            hook: ``hook(module, prefix, keep_vars)``.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook) -> RemovableHandle:
        """Runs a hook after `state_dict` has collected.

        Args:
            hook: ``hook(module, state_dict, prefix, local_metadata)``, which may edit the dict and returns None.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        hook._from_public_api = True
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook) -> RemovableHandle:
        """As the post-hook, but what it returns replaces the state dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook) -> RemovableHandle:
        """Runs a hook before the module loads its state.

        Args:
            hook: ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``,
                which may edit all of them.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False) -> RemovableHandle:
        wrapped = WrappedHook(hook, self if with_module else None)
        return add_hook(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_post_hook(self, hook) -> RemovableHandle:
        """Runs a hook after the module has loaded its state.

        Args:
            hook: ``hook(module, incompatible_keys)``, which may edit the two lists and returns None.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return add_hook(self._load_state_dict_post_hooks, hook)

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Every parameter and persistent buffer by its path.

        Args:
            args: deprecated: the three below by position.
            destination: a dict to add to; None means a new one.
            prefix: what the paths begin with.
            keep_vars: whether to give the tensors themselves instead of detached ones, which share their memory.

        Returns:
            an OrderedDict, path to tensor.
        """
        if args:
            warnings.warn(_POSITIONAL, FutureWarning, stacklevel=2)
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given["destination"] if destination is None else destination
            prefix = prefix or given.get("prefix", "")
            keep_vars = keep_vars or given.get("keep_vars", False)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return self._run_state_dict_hooks(destination, prefix, local_metadata)

    def _run_state_dict_hooks(self, destination, prefix, local_metadata):
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if replaced is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Puts this module's own state, not its children's, into `destination`."""
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        if type(self).get_extra_state is not ModuleState.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def _own_state(self):
        """Name to tensor: the parameters and the persistent buffers that are not None."""
        state = {name: p for name, p in self._parameters.items() if p is not None}
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                state[name] = buf
        return state

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies a `state_dict` into this module and all inside it.

        Args:
            state_dict: path to tensor.
            strict: whether a missing or unexpected path is an error.
            assign: whether to put the given tensors in the places of the old ones instead of copying.

        Returns:
            a named tuple (missing_keys, unexpected_keys).

        Raises:
            TypeError: `state_dict` is no mapping.
            RuntimeError: shapes differ, or with `strict` paths.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        keys = _IncompatibleKeys([], [])
        errors: list = []
        _load(self, state_dict, "", metadata, assign, keys, errors)
        if strict:
            _put_first(errors, "Unexpected", keys.unexpected_keys)
            _put_first(errors, "Missing", keys.missing_keys)
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(
                type(self).__name__, "\n\t".join(errors)))
        return keys

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        """Loads this module's own state, not its children's; appends to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, old in own.items():
            key = prefix + name
            if key in state_dict:
                error = self._load_one(name, key, old, state_dict[key], assign)
                if error is not None:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if type(self).set_extra_state is not ModuleState.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            unexpected_keys += self._unknown_keys(state_dict, prefix, own, extra_key)

    def _load_one(self, name, key, old, new, assign):
        """Loads one tensor; the text of the error if it could not be."""
        if not isinstance(new, Tensor):
            return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                    f"object from checkpoint but received {type(new)}")
        if is_lazy(old) and is_lazy(new):
            return None
        # Before PyTorch 0.4 scalars were saved with one dimension.
        if len(old.shape) == 0 and len(new.shape) == 1 and new.shape[0] == 1:
            new = new[0]
        if new.shape != old.shape:
            return (f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, "
                    f"the shape in current model is {old.shape}.")
        try:
            with no_grad():
                if assign:
                    setattr(self, name, _as_kind_of(old, new))
                else:
                    old.copy_(new)
        except Exception as error:  # noqa: BLE001 - reported with the others, as PyTorch does
            return (f'While copying the parameter named "{key}", whose dimensions in the model are '
                    f"{old.size()} and whose dimensions in the checkpoint are {new.size()}, an exception "
                    f"occurred : {error.args}.")
        return None

    def _unknown_keys(self, state_dict, prefix, own, extra_key):
        unknown = []
        for key in state_dict:
            if not key.startswith(prefix) or key == extra_key:
                continue
            first, dot, _ = key[len(prefix):].partition(".")
            if first not in (self._modules if dot else own):
                unknown.append(key)
        return unknown


def _as_kind_of(old, new):
    """`new`, made a Parameter with `old`'s requires_grad if `old` is one."""
    if not isinstance(old, Parameter):
        return new
    if isinstance(new, Parameter):
        return new.requires_grad_(old.requires_grad)
    return Parameter(new, requires_grad=old.requires_grad)


def _load(module, state_dict, prefix, metadata, assign, keys, errors):
    local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state_dict, prefix, local_metadata, True, *keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            part = {k: v for k, v in state_dict.items() if k.startswith(inner)}
            _load(child, part, inner, metadata, assign, keys, errors)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(_POST_HOOK_RETURNED)


def _put_first(errors, word, keys):
    if keys:
        quoted = ", ".join(f'"{k}"' for k in keys)
        errors.insert(0, f"{word} key(s) in state_dict: {quoted}. ")
