"""Functions that PyTorch has deprecated: they refuse."""

from torchlike._base import absent

_load_state_dict, load_state_dict, save_state_dict = (
    absent.refusing(f"{name}_state_dict", __name__, f"torch.distributed.checkpoint.{name}_state_dict is not supported: "
                                                    f"PyTorch has deprecated it; {name.strip('_')} is its successor")
    for name in ("_load", "load", "save"))
