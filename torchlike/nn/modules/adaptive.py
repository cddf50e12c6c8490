"""A softmax over many classes of which few are frequent.
https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html"""

import collections
import itertools

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.container import ModuleList, Sequential
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = collections.namedtuple("_ASMoutput", ["output", "loss"])


def _check_cutoffs(cutoffs, n_classes) -> None:
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    rising = all(low < high for low, high in itertools.pairwise(cutoffs))
    if not rising or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1 or any(int(c) != c for c in cutoffs):
        raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                         "where each value is between 1 and n_classes-1")


class AdaptiveLogSoftmaxWithLoss(Module):
    """A softmax over many classes, the frequent ones first: those below ``cutoffs[0]`` have a weight of full width, each
    later cluster one that is narrower by `div_value`.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html

    Args:
        in_features: the length of an input vector.
        n_classes: how many classes.
        cutoffs: where clusters begin: rising integers from 1 to n_classes - 1.
        div_value: the factor of the widths.
        head_bias: whether the weight of the first cluster has a bias.
        device, dtype: of the weights.

    Shape:
        Inputs (N, in_features) or (in_features) and targets (N) or () to a named tuple (output, loss): the
        log-probability of each target, (N) or (), and minus their mean.

    Raises:
        ValueError: `cutoffs` are empty, do not rise or leave the range.
        RuntimeError: the forward pass gets targets out of range or shapes that do not fit.
    """

    def __init__(self, in_features: int, n_classes: int, cutoffs, div_value: float = 4.0, head_bias: bool = False,
                 device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        _check_cutoffs(cutoffs, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            narrow = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(
                Linear(in_features, narrow, bias=False, device=device, dtype=dtype),
                Linear(narrow, self.cutoffs[i + 1] - self.cutoffs[i], bias=False, device=device, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Draws all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor):
        """The log-probability of each target, and the loss.

        Args:
            input_: (N, in_features) or (in_features).
            target_: (N) or (), int64.

        Returns:
            (output, loss), as the class says.
        """
        self._check(input_, target_)
        single = target_.dim() == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        head = F.log_softmax(self.head(input), dim=1)
        output = head.gather(1, target.clamp(max=self.shortlist_size - 1).unsqueeze(1)).squeeze(1)
        for i, tail in enumerate(self.tail):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel():
                within = F.log_softmax(tail(input.index_select(0, rows)), dim=1)
                local = within.gather(1, (target.index_select(0, rows) - low).unsqueeze(1)).squeeze(1)
                of_cluster = head.index_select(0, rows)[:, self.shortlist_size + i]
                output = output.index_copy(0, rows, of_cluster + local)
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def _check(self, input, target) -> None:
        if target.dim() == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}")
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}")
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        low, high = int(target.min()), int(target.max())
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{low}, {high}] were found. ")

    def _all(self, input, head):
        parts = [head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            parts.append(F.log_softmax(tail(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return _api.cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes.

        Args:
            input: (N, in_features).

        Returns:
            (N, n_classes).
        """
        return self._all(input, F.log_softmax(self.head(input), dim=1))

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row.

        Args:
            input: (N, in_features).

        Returns:
            (N), int64.
        """
        head = self.head(input)
        output = head.argmax(dim=1)
        if bool((output < self.shortlist_size).all()):
            return output
        return self._all(input, F.log_softmax(head, dim=1)).argmax(dim=1)
