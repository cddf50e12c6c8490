"""`torch.special`: https://pytorch.org/docs/stable/special.html"""

from torchlike import _api

# Names that the torch namespace has under the same or another word.
_SAME = ("digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "log_softmax", "logit", "logsumexp",
         "polygamma", "round", "sinc", "softmax", "xlogy")
_RENAMED = {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma", "gammainc": "igamma", "gammaincc": "igammac",
            "multigammaln": "mvlgamma"}

FUNCTIONS: dict = {name.removeprefix("special_"): getattr(_api, name) for name in vars(_api) if name.startswith("special_")}
FUNCTIONS |= {name: getattr(_api, name) for name in _SAME if name not in FUNCTIONS and hasattr(_api, name)}
FUNCTIONS |= {name: getattr(_api, old) for name, old in _RENAMED.items() if name not in FUNCTIONS}
globals().update(FUNCTIONS)
__all__ = sorted(FUNCTIONS)  # noqa: PLE0605 - names are data
