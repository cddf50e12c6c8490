"""The iterators over a module's parameters, buffers and modules, and what is done to all of them.

https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.named_parameters
"""

import warnings

_REPLICA = (
    "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are "
    "copied (in a differentiable manner) from the original module. This means they are not leaf nodes in "
    "autograd and so don't accumulate gradients. If you need gradients in your forward method, consider "
    "using autograd.grad instead."
)


class ModuleIterators:
    """What `Module` has for going through its parts, and for doing something to each.

    A path is the names from the outermost module to the part, with dots between them.
    """

    training: bool
    _parameters: dict
    _buffers: dict
    _modules: dict

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """(path, member) for every module's ``get_members_fn(module)``, each object once."""
        seen = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
                   if recurse else [(prefix, self)])
        for path, module in modules:
            for name, member in get_members_fn(module):
                # By identity: `==` between tensors is elementwise.
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def parameters(self, recurse=True):
        """Every parameter, each once.

        Args:
            recurse: whether those of modules inside count.

        Yields:
            parameters.
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Every parameter with its path.

        Args:
            prefix: what the paths begin with.
            recurse: whether those of modules inside count.
            remove_duplicate: whether a shared one comes only once.

        Yields:
            (path, parameter).
        """
        yield from self._named_members(lambda module: module._parameters.items(), prefix=prefix,
                                       recurse=recurse, remove_duplicate=remove_duplicate)

    def buffers(self, recurse=True):
        """Every buffer, each once.

        Args:
            recurse: whether those of modules inside count.

        Yields:
            tensors.
        """
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Every buffer with its path.

        Args:
            As for `named_parameters`.

        Yields:
            (path, tensor).
        """
        yield from self._named_members(lambda module: module._buffers.items(), prefix=prefix,
                                       recurse=recurse, remove_duplicate=remove_duplicate)

    def children(self):
        """The modules directly inside this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """(name, module) of the modules directly inside this one, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """This module and all inside it, parents first.

        Args:
            remove_duplicate: whether a shared one comes only once.

        Yields:
            modules.
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all inside it with their paths, parents first.

        Args:
            memo: a set of modules to leave out; it grows.
            prefix: what the paths begin with.
            remove_duplicate: whether a shared one comes only once.

        Yields:
            (path, module); the path of this module is `prefix`.
        """
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name,
                                                remove_duplicate)

    def apply(self, fn):
        """Calls a function on this module and all inside it, children first.

        Args:
            fn: ``fn(module)``; what it returns is dropped.

        Returns:
            self.
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Sets the mode of this module and all inside it.

        Args:
            mode: True for training, False for evaluation.

        Returns:
            self.

        Raises:
            ValueError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Sets the evaluation mode: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Sets `requires_grad` of every parameter.

        Args:
            requires_grad: the value.

        Returns:
            self.
        """
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drops the gradient of every parameter.

        Args:
            set_to_none: whether `grad` becomes None; else it is filled with zeros.
        """
        if getattr(self, "_is_replica", False):
            warnings.warn(_REPLICA, stacklevel=2)
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
                continue
            if param.grad.grad_fn is not None:
                param.grad.detach_()
            else:
                param.grad.requires_grad_(False)
            param.grad.zero_()
