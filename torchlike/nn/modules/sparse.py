"""Look-up tables. https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html"""

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules.module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A table `weight` of rows; that of `padding_idx` starts at zero."""

    num_embeddings: int
    embedding_dim: int
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool

    def _set_padding(self, padding_idx, called):
        """A negative one counts from the end. AssertionError, with the argument as `called`, if there is no such row."""
        if padding_idx is not None:
            if not -self.num_embeddings <= padding_idx < max(self.num_embeddings, 1):
                raise AssertionError(f"{called} must be within num_embeddings")
            if padding_idx < 0:
                padding_idx += self.num_embeddings
        self.padding_idx = padding_idx

    def _set_weight(self, given, requires_grad, device, dtype):
        """The table `given`, or one that is drawn. AssertionError for a table of another shape."""
        shape = (self.num_embeddings, self.embedding_dim)
        if given is None:
            self.weight = new_parameter(*shape, device=device, dtype=dtype)
            self.weight.requires_grad_(requires_grad)
            self.reset_parameters()
        else:
            if tuple(given.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(given, requires_grad=requires_grad)

    def _look_up_settings(self):
        """The part of the `repr` that both kinds of table have."""
        parts = []
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        return parts

    def reset_parameters(self):
        """Draws the table anew."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """Rows of a table by index.
    https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html

    Args:
        num_embeddings, embedding_dim: V and D.
        padding_idx: a row that starts at zero and gets no gradient; negative ones count from the end.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.
        device, dtype: of `weight` (V, D), standard normal at first.

    Shape:
        (*), int32 or int64, to (*, D).

    Raises:
        AssertionError: there is no row `padding_idx`.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device=None,
                 dtype=None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self._set_padding(padding_idx, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_weight(_weight, not _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        parts += self._look_up_settings()
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
                        max_norm: float | None = None, norm_type: float = 2.0,
                        scale_grad_by_freq: bool = False, sparse: bool = False) -> "Embedding":
        """A layer with a given table.

        Args:
            embeddings: (V, D), which the layer uses without copying.
            freeze: whether the table is left untrained.
            padding_idx: kept; its row is not set to zero.
            max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.

        Returns:
            The layer.

        Raises:
            AssertionError: `embeddings` has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        return cls(rows, cols, _weight=embeddings, _freeze=freeze, padding_idx=padding_idx,
                   max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq,
                   sparse=sparse)


class EmbeddingBag(_Table):
    """Sums, means or maxima of table rows over bags of indices. The forward pass takes indices, offsets and weights as
    `torch.nn.functional.embedding_bag` does.
    https://pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html

    Args:
        num_embeddings, embedding_dim: V and D.
        mode, include_last_offset: as for `embedding_bag`.
        padding_idx: an index that does not count; its row starts at zero.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.
        device, dtype: of `weight` (V, D), standard normal at first.

    Shape:
        (B, N), or (N) and offsets (B), to (B, D).

    Raises:
        AssertionError: there is no row `padding_idx`.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                 _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
                 device=None, dtype=None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_padding(padding_idx, "padding_idx")
        self._set_weight(_weight, True, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        parts += self._look_up_settings()
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
                        sparse: bool = False, include_last_offset: bool = False,
                        padding_idx: int | None = None) -> "EmbeddingBag":
        """A layer with a given table.

        Args:
            embeddings: (V, D), which the layer uses without copying.
            freeze: whether the table is left untrained.
            max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx: as for
                `embedding_bag`.

        Returns:
            The layer.

        Raises:
            AssertionError: `embeddings` has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, cols = embeddings.shape
        made = cls(rows, cols, _weight=embeddings, max_norm=max_norm, norm_type=norm_type,
                   scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
                   include_last_offset=include_last_offset, padding_idx=padding_idx)
        made.weight.requires_grad = not freeze
        return made
