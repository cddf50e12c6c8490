"""Classes with `__torch_dispatch__` as users write them, for torch or torchlike."""

import importlib


def classes_of(lib) -> dict:
    """{name: class} made with a library."""
    dispatch = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")
    tree = importlib.import_module(f"{lib.__name__}.utils._pytree")

    class LoggingTensor(lib.Tensor):
        names = []  # noqa: RUF012

        @staticmethod
        def __new__(cls, elem, requires_grad=False):
            made = lib.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype,
                layout=elem.layout, device=elem.device, requires_grad=requires_grad)
            made.elem = elem
            return made

        def __repr__(self):
            return f"LoggingTensor({self.elem})"

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            args, kwargs = tree.tree_map(lambda x: x.elem if isinstance(x, cls) else x, (args, kwargs or {}))
            cls.names.append(str(func))
            return tree.tree_map(lambda x: cls(x) if isinstance(x, lib.Tensor) else x, func(*args, **kwargs))

    class TwoTensor(lib.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            return lib.Tensor._make_wrapper_subclass(
                cls, a.size(), strides=a.stride(), storage_offset=a.storage_offset(), device=a.device, layout=a.layout,
                requires_grad=a.requires_grad, dtype=a.dtype)

        def __init__(self, a, b):
            self.a, self.b = a, b

        def __repr__(self):
            return f"TwoTensor({self.a!r}, {self.b!r})"

        def __tensor_flatten__(self):
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(inner, meta, size, stride):
            return TwoTensor(inner["a"], inner["b"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            first = func(*tree.tree_map_only(cls, lambda x: x.a, args), **tree.tree_map_only(cls, lambda x: x.a, kwargs))
            second = func(*tree.tree_map_only(cls, lambda x: x.b, args), **tree.tree_map_only(cls, lambda x: x.b, kwargs))
            left, spec = tree.tree_flatten(first)
            pairs = zip(left, tree.tree_leaves(second), strict=True)
            out = tree.tree_unflatten([cls(a, b) if isinstance(a, lib.Tensor) else a for a, b in pairs], spec)
            return dispatch.return_and_correct_aliasing(func, args, kwargs, out)

    class ScaledInt8(lib.Tensor):
        @staticmethod
        def __new__(cls, payload, scale, requires_grad=False):
            return lib.Tensor._make_wrapper_subclass(cls, payload.size(), dtype=scale.dtype, requires_grad=requires_grad)

        def __init__(self, payload, scale, requires_grad=False):
            self.payload, self.scale = payload, scale

        def __repr__(self):
            return f"ScaledInt8({self.payload.tolist()}, {self.scale.item():.3f})"

        @classmethod
        def quantized(cls, x, requires_grad=False):
            scale = x.abs().max() / 127
            return cls((x / scale).round().to(lib.int8), scale, requires_grad)

        def dequantized(self):
            return self.payload.to(self.scale.dtype) * self.scale

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func in (lib.ops.aten.detach.default, lib.ops.aten.clone.default):
                return cls(func(args[0].payload), args[0].scale)
            if func is lib.ops.aten.t.default:
                return cls(args[0].payload.t(), args[0].scale)
            args, kwargs = tree.tree_map_only(cls, lambda x: x.dequantized(), (args, kwargs or {}))
            return func(*args, **kwargs)

    class Masked(lib.Tensor):
        @staticmethod
        def __new__(cls, data, mask, requires_grad=False):
            return lib.Tensor._make_wrapper_subclass(cls, data.size(), dtype=data.dtype, requires_grad=requires_grad)

        def __init__(self, data, mask, requires_grad=False):
            self.inside, self.mask = data, mask

        def __repr__(self):
            return f"Masked({[[x if m else None for x, m in zip(*rows)] for rows in zip(self.inside.tolist(), self.mask.tolist())]})"  # noqa: E501, B905

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            masks = [x.mask for x in args if isinstance(x, cls)]
            if func.overloadpacket is lib.ops.aten.sum:
                return lib.where(args[0].mask, args[0].inside, 0).sum(*args[1:], **(kwargs or {}))
            if func is lib.ops.aten.bmm.default:
                return NotImplemented
            plain = tree.tree_map_only(cls, lambda x: x.inside, args)
            return cls(func(*plain, **(kwargs or {})), masks[0] if masks else lib.ones_like(plain[0], dtype=lib.bool))

    return {each.__name__: each for each in (LoggingTensor, TwoTensor, ScaledInt8, Masked)}
