"""Schedules that the user gives as functions of the epoch."""

from torchlike.optim.lr_scheduler.scheduler import LRScheduler, saved_function, without


class _OfFunctions(LRScheduler):
    """``lr_lambda``: one function of the epoch for all groups, or a list of one for each."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        groups = optimizer.param_groups
        if not isinstance(lr_lambda, list | tuple):
            lr_lambda = [lr_lambda] * len(groups)
        elif len(lr_lambda) != len(groups):
            raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        self._check()
        super().__init__(optimizer, last_epoch)

    def _check(self) -> None:
        pass

    def state_dict(self):
        state = without(self.__dict__, "optimizer", "lr_lambdas")
        state["lr_lambdas"] = [saved_function(function) for function in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict) -> None:
        super().load_state_dict(without(state_dict, "lr_lambdas"))
        for i, saved in enumerate(state_dict["lr_lambdas"]):
            if saved is not None:
                self.lr_lambdas[i].__dict__.update(saved)


class LambdaLR(_OfFunctions):
    """The initial rate times a function of the epoch.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LambdaLR.html

    Args:
        optimizer: the optimizer.
        lr_lambda: the function, or a list with one for each group.
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: a wrong number of functions.
    """

    def get_lr(self):
        self._warn_outside_step()
        return [base * function(self.last_epoch)
                for function, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_OfFunctions):
    """The rate before times a function of the epoch.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiplicativeLR.html

    Args:
        As for `LambdaLR`.

    Raises:
        ValueError: a wrong number of functions.
        TypeError: one of them is no function.
    """

    def _check(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self):
        self._warn_outside_step()
        if self._is_initial:
            return self._groups_lr()
        return [group["lr"] * function(self.last_epoch)
                for function, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)]
