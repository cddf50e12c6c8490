"""What `save` and `load` call instead of taking an object as it is."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """An object with a state dict.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.stateful.Stateful
    """

    def state_dict(self) -> dict[str, Any]:
        """What is saved.

        Returns:
            a dict.
        """
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what was saved.

        Args:
            state_dict: the dict.
        """
        ...
