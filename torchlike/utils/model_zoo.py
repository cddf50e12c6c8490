"""`torch.utils.model_zoo`: https://pytorch.org/docs/stable/model_zoo.html"""

from torchlike.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
