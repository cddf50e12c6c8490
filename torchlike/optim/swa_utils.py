"""`torch.optim.swa_utils`: averages of a model's weights along its training.

https://pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

import copy
import itertools
import math

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.modules.batchnorm import _BatchNorm
from torchlike.nn.modules.module import Module
from torchlike.optim.lr_scheduler.scheduler import LRScheduler, one_each

# -- averages

def get_ema_multi_avg_fn(decay=0.999):
    """The exponential moving average, as a ``multi_avg_fn`` of `AveragedModel`.
    https://pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema

    Args:
        decay: the weight of the average so far, in [0, 1].

    Returns:
        A function of (averages, new values, count), which writes the averages.

    Raises:
        ValueError: a decay outside [0, 1].
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for mean, new in zip(ema_param_list, current_param_list, strict=True):
            if _has_fractions(mean):
                mean.lerp_(new, 1 - decay)
            else:
                mean.copy_(mean * decay + new * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """A ``multi_avg_fn`` of `AveragedModel`: the mean of all values so far, each counting as much.
    https://pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
    """

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        count = num_averaged + 1
        whole = not _has_fractions(averaged_param_list[0])
        weight = 1 / count if whole else float(1 / count)
        for mean, new in zip(averaged_param_list, current_param_list, strict=True):
            if not whole:
                mean.lerp_(new, weight)
            elif isinstance(count, Tensor):
                mean.addcdiv_(new - mean, count)
            else:
                mean.add_(new - mean, alpha=weight)

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """The exponential moving average, as an ``avg_fn`` of `AveragedModel`.
    https://pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema

    Args:
        decay: as for `get_ema_multi_avg_fn`.

    Returns:
        A function of (average, new value, count), which returns the next average.

    Raises:
        ValueError: a decay outside [0, 1].
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """An ``avg_fn`` of `AveragedModel`: the mean of all values so far, each counting as much.
    https://pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
    """

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _check_decay(decay) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _has_fractions(x) -> bool:
    return x.is_floating_point() or x.is_complex()


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's along its training.
    https://pytorch.org/docs/stable/optim.html#constructing-averaged-models

    Args:
        model: the model, which is copied.
        device: where the copy goes; None leaves it where the model is.
        avg_fn: gives the next average of one parameter: ``avg_fn(average, new, count)``, the count a 0-d int64 tensor. None
            means the mean of all, computed in one way on every device.
        multi_avg_fn: writes the averages of a list: ``multi_avg_fn(averages, new, count)``, called for the parameters of
            each device and dtype.
        use_buffers: whether buffers are averaged too; else they are the model's last ones.

    Raises:
        AssertionError: both functions are given.
    """

    n_averaged: Tensor

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _api.tensor(0, dtype=dt.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        """Calls the averaged model.

        Args:
            *args, **kwargs: what the model takes.

        Returns:
            What the model returns.
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model) -> None:
        """Takes the present parameters of a model into the averages; the first time it copies them.

        Args:
            model: one with the same parameters in the same order.
        """
        pairs = [(mean.detach(), new.detach().to(mean.device))
                 for mean, new in zip(self._averaged(self.module), self._averaged(model), strict=False)]
        if self.n_averaged == 0:
            for mean, new in pairs:
                mean.copy_(new)
        elif self.multi_avg_fn is not None:
            for means, news in _by_kind(pairs):
                self.multi_avg_fn(means, news, self.n_averaged.to(means[0].device))
        else:
            average = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
            for mean, new in pairs:
                mean.copy_(average(mean, new, self.n_averaged.to(mean.device)))
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach().to(mine.device))
        self.n_averaged += 1

    def _averaged(self, model):
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


def _by_kind(pairs) -> list:
    """([averages], [new values]) for each device and dtype."""
    kinds: dict = {}
    for mean, new in pairs:
        means, news = kinds.setdefault((mean.device, mean.dtype), ([], []))
        means.append(mean)
        news.append(new)
    return list(kinds.values())


@no_grad()
def update_bn(loader, model, device=None):
    """Computes the running statistics of a model's batch norms anew, as means over all batches.
    https://pytorch.org/docs/stable/optim.html#taking-care-of-batch-normalization

    Args:
        loader: iterable over batches; of a tuple or list the first item is the input.
        model: the model. It is in training mode meanwhile, and with no batch norm in it nothing happens.
        device: where the inputs are moved; None leaves them.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    momenta = [module.momentum for module in norms]
    was_training = model.training
    model.train()
    for module in norms:
        module.reset_running_stats()
        module.momentum = None  # all batches count alike
    for batch in loader:
        inputs = batch[0] if isinstance(batch, list | tuple) else batch
        model(inputs if device is None else inputs.to(device))
    for module, momentum in zip(norms, momenta, strict=True):
        module.momentum = momentum
    model.train(was_training)


# -- the learning rate

class SWALR(LRScheduler):
    """The rate goes to a value in a number of epochs and stays.
    https://pytorch.org/docs/stable/optim.html#swa-learning-rate-schedules

    Args:
        optimizer: the optimizer.
        swa_lr: the last rate, or one for each group.
        anneal_epochs: how many epochs it takes.
        anneal_strategy: "cos" or "linear".
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: another strategy, a negative or fractional number of epochs, or a wrong number of rates.
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for rate, group in zip(one_each("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How far the rate has gone.

        Args:
            t: which part of the epochs is over, in [0, 1].

        Returns:
            A float in [0, 1].
        """
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self.anneal_func(max(0, min(1, count / max(1, self.anneal_epochs)))) for count in (step - 1, step))
        return [_annealed(group["lr"], group["swa_lr"], before, now) for group in self.optimizer.param_groups]


def _annealed(rate, end, before, now):
    """The next rate: where the way began follows from how far it has come."""
    start = end if before == 1 else (rate - before * end) / (1 - before)
    return end * now + start * (1 - now)
