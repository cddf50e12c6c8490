"""`torch.utils.model_zoo`: https://pytorch.org/docs/stable/model_zoo.html"""

import importlib
import importlib.util

from torchlike.hub import load_state_dict_from_url as load_url

__all__ = ["load_url", "tqdm"]
# It shows how a download goes on; nothing here downloads, but packages take it from here.
tqdm = importlib.import_module("tqdm.auto").tqdm if importlib.util.find_spec("tqdm") else None
