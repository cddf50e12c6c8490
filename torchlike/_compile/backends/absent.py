"""Devices that PyTorch knows and JAX has none of here: they have names, and what is to be put on one raises."""

from torchlike._compile.backends.xla import XlaBackend

_ERRORS = {
    "mps": (RuntimeError, "PyTorch is not linked with support for mps devices"),
    "ipu": (RuntimeError, "PyTorch is not linked with support for ipu devices"),
    "mtia": (AssertionError, "Torch not compiled with MTIA enabled. Ensure you have `import "
             "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
             "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"),
    "xpu": (AssertionError, "Torch not compiled with XPU enabled"),
    "hpu": (ModuleNotFoundError, "No module named 'torch.hpu'"),
}
_OTHERS = "Could not run 'aten::empty.memory_format' with arguments from the '{}' backend: there is no such device."


class AbsentDevice(XlaBackend):
    """No hardware: PyTorch's error for the device, where its text is of use."""

    def hardware(self):
        error, text = _ERRORS.get(self.device.type, (NotImplementedError, _OTHERS.format(self.device.type.upper())))
        raise error(text)
