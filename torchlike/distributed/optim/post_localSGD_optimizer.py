"""An optimizer that averages parameters over the ranks now and then."""

import warnings

from torchlike.distributed.algorithms.model_averaging.averagers import ModelAverager
from torchlike.optim.optimizer import Optimizer


class PostLocalSGDOptimizer(Optimizer):
    """An optimizer after whose steps the parameters are averaged, when it is time.
    https://pytorch.org/docs/stable/distributed.optim.html#torch.distributed.optim.PostLocalSGDOptimizer

    Args:
        optim: what takes the steps, on each rank for itself.
        averager: who averages.
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager):  # the base class's would take parameters
        self.optim, self.averager = optim, averager

    @property
    def param_groups(self) -> list:
        """Those of the inner optimizer."""
        return self.optim.param_groups

    @property
    def state(self):
        """That of the inner optimizer."""
        return self.optim.state

    @property
    def defaults(self) -> dict:
        """Those of the inner optimizer."""
        return self.optim.defaults

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict:
        """The inner optimizer's, with the averager's number of steps under "step"."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict) -> None:
        """Takes over a `state_dict`. Warns where it has no number of steps.

        Args:
            state_dict: the dict.
        """
        self.optim.load_state_dict({key: value for key, value in state_dict.items() if key != "step"})
        if "step" not in state_dict:
            warnings.warn("Loaded state dict does not contain a step counter for an averager. Setting step counter to 0.",
                          stacklevel=2)
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:
        """A step of the inner optimizer, and what the averager does after it."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops gradients.

        Args:
            set_to_none: as for `Optimizer.zero_grad`.
        """
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict) -> None:
        """Adds a group of parameters to the inner optimizer.

        Args:
            param_group: as for `Optimizer.add_param_group`.
        """
        self.optim.add_param_group(param_group)
