"""Transformers. https://pytorch.org/docs/stable/nn.html#transformer-layers

Sequences are (T, N, E), (N, T, E) with `batch_first`, or (T, E).
"""

import copy
import warnings

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules.activation import GELU, MultiheadAttention, ReLU
from torchlike.nn.modules.container import ModuleList
from torchlike.nn.modules.dropout import Dropout
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _causal_mask(size, device=None, dtype=None):
    """(size, size) with -inf above the diagonal and 0 elsewhere."""
    return _api.triu(_api.full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _sequence_length(x, batch_first):
    return x.size(1 if batch_first and x.dim() == 3 else 0)


def _is_causal(mask, is_causal, size):
    """`is_causal` if it is given; else whether `mask` is the causal mask."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _causal_mask(size, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_activation_fn(activation):
    named = {"relu": F.relu, "gelu": F.gelu}
    if not isinstance(activation, str):
        return activation
    if activation not in named:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return named[activation]


def _copies(module, count):
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """The feed-forward half and the norms, which both kinds of layer have."""

    def _make_rest(self, d_model, dim_feedforward, dropout, layer_norm_eps, bias, where, blocks):
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        for i in range(1, blocks + 1):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where))
        for i in range(1, blocks + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))

    def __setstate__(self, state):
        # Pickles from before the activation was an attribute.
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def _attend(self, attention, x, memory, attn_mask, key_padding_mask, is_causal):
        return attention(x, memory, memory, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
                         need_weights=False, is_causal=is_causal)[0]

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _feed_forward(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward net, each with a residual connection and a layer norm.
    https://pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html

    Args:
        d_model: E, the width of the sequences.
        nhead: how many heads; divides `d_model`.
        dim_feedforward: the width of the feed-forward net.
        dropout: the probability of dropout.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: added to the variances.
        batch_first: whether the batch is dimension 0.
        norm_first: whether the norms come before attention and feed-forward net instead of after.
        bias: whether linear layers and norms have biases.
        device, dtype: of the parameters.

    Shape:
        (S, N, E), or (N, S, E) with `batch_first`, or (S, E), to the same. Masks as for `MultiheadAttention`.

    Raises:
        RuntimeError: an unknown word as `activation`.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation=F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias,
                                            batch_first=batch_first, **where)
        self._make_rest(d_model, dim_feedforward, dropout, layer_norm_eps, bias, where, 2)
        self.norm_first = norm_first
        activation = _get_activation_fn(activation)
        if activation is F.relu or isinstance(activation, ReLU):
            self.activation_relu_or_gelu = 1
        else:
            self.activation_relu_or_gelu = 2 if activation is F.gelu or isinstance(activation, GELU) else 0
        self.activation = activation

    def forward(self, src: Tensor, src_mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        """One layer.

        Args:
            src: the sequences, shaped as the class says.
            src_mask: (S, S) or (N heads, S, S), bool with True where attention is forbidden, or floats that are added.
            src_key_padding_mask: (N, S), bool with True for padding, or floats that are added.
            is_causal: whether `src_mask` is the causal mask.

        Returns:
            The shape of `src`.
        """
        src_key_padding_mask = F._canonical_mask(src_key_padding_mask, "src_key_padding_mask",
                                                 F._none_or_dtype(src_mask), "src_mask", src.dtype)
        src_mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x):
        return self.dropout2(self._feed_forward(x))


class TransformerDecoderLayer(_Layer):
    """A `TransformerEncoderLayer` that attends to `memory`, the encoder's output, between its two parts.
    https://pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html

    Args:
        As for `TransformerEncoderLayer`.

    Shape:
        (T, N, E) and a memory (S, N, E) to (T, N, E); with `batch_first` N comes first; all may be without N.
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation=F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn"):
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias,
                                                   batch_first=batch_first, **where))
        self._make_rest(d_model, dim_feedforward, dropout, layer_norm_eps, bias, where, 3)
        self.norm_first = norm_first
        self.activation = _get_activation_fn(activation)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Tensor:
        """One layer.

        Args:
            tgt, memory: the sequences, shaped as the class says.
            tgt_mask, memory_mask: (T, T) and (T, S), bool with True where attention is forbidden, or floats that are
                added.
            tgt_key_padding_mask, memory_key_padding_mask: (N, T) and (N, S), bool with True for padding, or floats that
                are added.
            tgt_is_causal, memory_is_causal: whether the masks are causal ones.

        Returns:
            The shape of `tgt`.
        """
        x = tgt
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(self, x, memory, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout2(
            self._attend(self.multihead_attn, x, memory, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        return self.dropout3(self._feed_forward(x))


def _why_not_nested(layer):
    """Why PyTorch would not run this encoder layer on nested tensors, or ""."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, ".norm_first was True"),
        (not attention.batch_first, ".self_attn.batch_first was not True"
                                    "(use batch_first for better inference performance)"),
        (not attention._qkv_same_embed_dim, ".self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, ".self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, ".activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, ".norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, ".self_attn.num_heads is odd"),
    )
    return next((f"encoder_layer{text}" for holds, text in reasons if holds), "")


class TransformerEncoder(Module):
    """Copies of one layer, one after the other.
    https://pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html

    Args:
        encoder_layer: the layer.
        num_layers: how many copies.
        norm: a module for the end, or None.
        enable_nested_tensor: whether results at padded places are 0 where PyTorch would use nested tensors (in
            evaluation, without gradients). torchlike computes them in the ordinary way.
        mask_check: whether that requires the padding to be at the end.

    Shape:
        As for `TransformerEncoderLayer`.
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True):
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn("enable_nested_tensor is True, but self.use_nested_tensor is False because "
                          + reason, stacklevel=2)
            self.use_nested_tensor = False

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Tensor:
        """All layers.

        Args:
            src: the sequences.
            mask, src_key_padding_mask: as the masks of `TransformerEncoderLayer`.
            is_causal: whether `mask` is the causal mask; None compares it, which reads its values.

        Returns:
            The shape of `src`.
        """
        src_key_padding_mask = F._canonical_mask(src_key_padding_mask, "src_key_padding_mask",
                                                 F._none_or_dtype(mask), "mask", src.dtype)
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        blank = self._padding_comes_out_as_zero(src, mask, src_key_padding_mask)
        size = _sequence_length(src, self.layers[0].self_attn.batch_first)
        is_causal = _is_causal(mask, is_causal, size)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal,
                           src_key_padding_mask=src_key_padding_mask)
        if blank:
            output = output.masked_fill((src_key_padding_mask != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _padding_comes_out_as_zero(self, src, mask, padding):
        """Whether PyTorch would take its nested-tensor path, which returns 0 at padded places."""
        layer = self.layers[0]
        if (not self.use_nested_tensor or layer.training or src.dim() != 3 or padding is None
                or mask is not None):
            return False
        if is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in layer.parameters())):
            return False
        kept = padding == 0
        # The padding is at the end: no kept position follows a padded one.
        return not self.mask_check or not bool((kept[:, 1:] & ~kept[:, :-1]).any())


class TransformerDecoder(Module):
    """Copies of one layer, one after the other.
    https://pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html

    Args:
        decoder_layer: the layer.
        num_layers: how many copies.
        norm: a module for the end, or None.

    Shape:
        As for `TransformerDecoderLayer`.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None):
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None,
                memory_is_causal: bool = False) -> Tensor:
        """All layers.

        Args:
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, memory_is_causal: as the
                layer's.
            tgt_is_causal: whether `tgt_mask` is the causal mask; None compares it, which reads its values.

        Returns:
            The shape of `tgt`.
        """
        size = _sequence_length(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _is_causal(tgt_mask, tgt_is_causal, size)
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                           tgt_key_padding_mask=tgt_key_padding_mask,
                           memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                           memory_is_causal=memory_is_causal)
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder over `src`, and a decoder over `tgt` that attends to its output.
    https://pytorch.org/docs/stable/generated/torch.nn.Transformer.html

    Args:
        num_encoder_layers, num_decoder_layers: how many layers.
        custom_encoder, custom_decoder: modules in their places, or None.
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype: as for `TransformerEncoderLayer`.

    Shape:
        (S, N, E) and (T, N, E) to (T, N, E); with `batch_first` N comes first; both may be without N.
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
                 num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation=F.relu, custom_encoder: Module | None = None,
                 custom_decoder: Module | None = None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True, device=None,
                 dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}

        def stack(stack_kind, layer_kind, count):
            layer = layer_kind(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
                               batch_first, norm_first, bias, **where)
            return stack_kind(layer, count, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where))

        self.encoder = custom_encoder if custom_encoder is not None else stack(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        self.decoder = custom_decoder if custom_decoder is not None else stack(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        for param in self.parameters():
            if param.dim() > 1:
                init.xavier_uniform_(param)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None,
                tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
                memory_key_padding_mask: Tensor | None = None, src_is_causal: bool | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        """Encoder and decoder.

        Args:
            src, tgt: the sequences, shaped as the class says.
            src_mask, tgt_mask, memory_mask, src_is_causal, tgt_is_causal, memory_is_causal: as those of encoder and
                decoder.
            src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask: as those of encoder and decoder.

        Returns:
            The shape of `tgt`.

        Raises:
            RuntimeError: the batches differ, or a width is not `d_model`.
        """
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask,
                              is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                            memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device=None, dtype=None) -> Tensor:
        """The causal mask, as floats.

        Args:
            sz: how many positions.
            device, dtype: of the mask.

        Returns:
            (sz, sz), minus infinity above the diagonal and 0 elsewhere.
        """
        return _causal_mask(sz, device, dtype)
