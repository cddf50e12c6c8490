"""The rules, by PyTorch's names of operators, without overloads and the underscore of those in place."""

from torchlike.distributed.tensor._rules import compute
from torchlike.distributed.tensor._rules import indexing as i
from torchlike.distributed.tensor._rules import matrix as m
from torchlike.distributed.tensor._rules import pointwise as p
from torchlike.distributed.tensor._rules import reduction as r
from torchlike.distributed.tensor._rules import views as v
from torchlike.distributed.tensor._rules.call import Rule

_POINTWISE = Rule(p.pointwise, is_by_element=True)


def _all(names: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_all("copy clone detach _to_copy alias lift_fresh contiguous masked_fill where native_dropout _detach _conj "
           "resolve_conj resolve_neg dropout", _POINTWISE),
    **_all("zeros_like ones_like full_like _full_like empty_like rand_like randn_like randint_like fill zero bernoulli "
           "normal uniform random exponential log_normal geometric cauchy", Rule(p.filled, is_by_element=True)),
    **_all("new_zeros new_ones new_full new_empty", Rule(p.made, sizes=1)),
    **_all(" ".join(m.PRODUCTS), Rule(m.product)),
    **_all("convolution", Rule(m.convolution)),
    **_all("_scaled_dot_product_flash_attention_for_cpu", Rule(m.attention)),
    **_all(" ".join([*r.REDUCES, "linalg_vector_norm var std var_mean std_mean argmax argmin logsumexp aminmax median "
                     "nanmedian norm"]), Rule(r.reduction)),
    **_all("_softmax cumsum cumprod cummax cummin logcumsumexp sort argsort topk kthvalue mode",
           Rule(r.along("dim"))),
    **_all("flip roll", Rule(r.along("dims"))),
    **_all("glu", Rule(r.along("dim"))),
    **_all("tril triu", Rule(r.triangle)),
    **_all("native_layer_norm", Rule(r.rows)),
    **_all("native_batch_norm", Rule(r.channels)),
    **_all("mse_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits",
           Rule(r.loss)),
    **_all("nll_loss_forward", Rule(r.nll_loss, compute=compute.nll_loss, compute_gradient=compute.nll_loss_gradient,
                                       is_scaled=True)),
    **_all("_log_softmax", Rule(r.log_softmax, compute=compute.log_softmax, compute_gradient=compute.log_softmax_gradient)),
    **_all("t transpose", Rule(v.transpose)),
    **_all("permute", Rule(v.permute)),
    **_all("unsqueeze", Rule(v.unsqueeze)),
    **_all("squeeze", Rule(v.squeeze)),
    **_all("expand", Rule(v.expand, sizes=1)),
    **_all("view _unsafe_view reshape _reshape_alias", Rule(v.reshape, sizes=1, is_view=True)),
    **_all("slice split split_with_sizes unsafe_split narrow", Rule(v.whole_along("dim"))),
    **_all("unfold", Rule(v.whole_along("dimension"))),
    **_all("select unbind", Rule(v.select)),
    **_all("cat", Rule(v.cat)),
    **_all("stack", Rule(v.stack)),
    **_all("repeat", Rule(v.repeat)),
    **_all("constant_pad_nd", Rule(v.pad)),
    **_all("embedding", Rule(i.embedding, compute=compute.embedding, compute_gradient=compute.embedding_gradient)),
    **_all("gather", Rule(i.gather)),
    **_all("scatter scatter_add scatter_reduce", Rule(i.scatter)),
    **_all("index_select", Rule(i.index_select)),
    **_all("index", Rule(i.index)),
    **_all("index_put", Rule(i.index_put)),
}


def rule_of(name: str, row) -> Rule | None:
    """The rule of an operator.

    Args:
        name: see `RULES`.
        row: its row of the operator table; None where it has none.

    Returns:
        the rule; None where there is none, and the whole is computed.
    """
    found = RULES.get(name.lstrip("_") if name == "_native_batch_norm" else name)
    return _POINTWISE if found is None and row is not None and row.layout == "pointwise" else found
