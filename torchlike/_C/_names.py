"""Names for annotations, ``isinstance`` and registrations: dispatch keys, tags of operators, TorchScript's graphs."""

import enum
import functools

from torchlike._base import absent
from torchlike._base.errors import UnsupportedError

DispatchKey = enum.Enum(
    "DispatchKey",
    "CPU CUDA HIP XLA MTIA MPS IPU XPU HPU VE Lazy Meta PrivateUse1 PrivateUse2 PrivateUse3 AutogradCPU AutogradCUDA "
    "AutogradHIP AutogradXLA AutogradMTIA AutogradMPS AutogradIPU AutogradXPU AutogradHPU AutogradVE AutogradLazy "
    "AutogradMeta AutogradPrivateUse1 AutogradPrivateUse2 AutogradPrivateUse3 Undefined Dense MAIA Quantized Sparse "
    "SparseCsr NestedTensor BackendSelect Python FuncTorchDynamicLayerBackMode Functionalize Conjugate Negative "
    "ZeroTensor ADInplaceOrView AutogradOther AutogradFunctionality AutogradNestedTensor AutocastCPU AutocastXPU "
    "AutocastHPU AutocastIPU AutocastMPS AutocastCUDA AutocastPrivateUse1 FuncTorchBatched FuncTorchVmapMode "
    "FuncTorchGradWrapper PythonTLSSnapshot PreDispatch PythonDispatcher Autograd CompositeImplicitAutograd "
    "CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional CompositeImplicitAutogradNestedTensor")

Tag = enum.Enum(
    "Tag",
    "core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view "
    "maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order "
    "nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction view_copy",
    module="torchlike", start=0)


class DispatchKeySet(frozenset):
    """Some of the keys.

    Args:
        keys: one `DispatchKey`, or several.
    """

    def __new__(cls, keys):
        return super().__new__(cls, (keys,) if isinstance(keys, DispatchKey) else keys)

    def __or__(self, other):
        return DispatchKeySet(super().__or__(other))

    def __and__(self, other):
        return DispatchKeySet(super().__and__(other))

    def __sub__(self, other):
        return DispatchKeySet(super().__sub__(other))

    def has(self, key: DispatchKey) -> bool:
        """Whether a key is among them.

        Args:
            key: the key.

        Returns:
            a bool.
        """
        return key in self


def _refused(name: str, reason: str) -> type:
    return absent.uninstantiable(name, "torchlike._C", UnsupportedError, f"torch._C.{name} is not supported: {reason}")


_of_scripts = functools.partial(_refused, reason="there is no TorchScript")
Graph, Node, Value, Block, TensorType = map(_of_scripts, ("Graph", "Node", "Value", "Block", "TensorType"))
_IncludeDispatchKeyGuard = _refused("_IncludeDispatchKeyGuard", "nothing is dispatched by keys")
PyTorchFileReader = _refused("PyTorchFileReader", "torch.load reads files")
PyTorchFileWriter = _refused("PyTorchFileWriter", "torch.save writes files")
