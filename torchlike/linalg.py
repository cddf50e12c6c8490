"""`torch.linalg`: https://pytorch.org/docs/stable/linalg.html"""

from torchlike import _api

FUNCTIONS: dict = {name.removeprefix("linalg_"): getattr(_api, name) for name in vars(_api) if name.startswith("linalg_")}
FUNCTIONS |= {name: getattr(_api, name) for name in ("cross", "diagonal", "matmul") if hasattr(_api, name)
              and name not in FUNCTIONS}
globals().update(FUNCTIONS)
__all__ = sorted(FUNCTIONS)  # noqa: PLE0605 - names are data
