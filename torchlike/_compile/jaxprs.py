"""What jaxprs consist of. These are the names of `jax.extend.core`, from where that has them: it cannot be imported without
all of `jax.extend`, whose Pallas takes a tenth of the time of ``import torchlike``."""

from jax._src.core import ClosedJaxpr as ClosedJaxpr
from jax._src.core import Literal as Literal
from jax._src.core import Var as Var
from jax._src.core import jaxpr_as_fun as jaxpr_as_fun
from jax._src.core import set_current_trace as set_current_trace
