"""Cases of losses."""

_REDUCTIONS = ("mean", "sum", "none")


def _each(text):
    return [text.replace("RED", f"reduction='{word}'") for word in _REDUCTIONS]


_PROBABILITY = "torch.sigmoid(x(3, 4))"
CASES = {
    "mse_loss": [*_each("F.mse_loss(x(3, 4), x(3, 4), RED)"), "F.mse_loss(x(), x())"],
    "l1_loss": _each("F.l1_loss(x(3, 4), x(3, 4), RED)"),
    "smooth_l1_loss": [*_each("F.smooth_l1_loss(x(3, 4), x(3, 4), RED, beta=0.7)"), "F.smooth_l1_loss(x(3), x(3), beta=0.)"],
    "huber_loss": _each("F.huber_loss(x(3, 4), x(3, 4), RED, delta=0.7)"),
    "soft_margin_loss": _each("F.soft_margin_loss(x(3, 4), x(3, 4).detach(), RED)"),
    "binary_cross_entropy": [*_each(f"F.binary_cross_entropy({_PROBABILITY}, {_PROBABILITY}, RED)"),
                             f"F.binary_cross_entropy({_PROBABILITY}, {_PROBABILITY}, pos(4).detach())"],
    "binary_cross_entropy_with_logits": [
        *_each(f"F.binary_cross_entropy_with_logits(x(3, 4), {_PROBABILITY}, RED)"),
        *_each(f"F.binary_cross_entropy_with_logits(x(3, 4), {_PROBABILITY}, pos(3, 4).detach(), RED, pos_weight=pos(4).detach())")],
    "nll_loss": [
        *_each("F.nll_loss(x(3, 5), i(5, 3), RED)"), *_each("F.nll_loss(x(3, 5), i(5, 3), pos(5).detach(), RED, ignore_index=1)"),
        "F.nll_loss(x(5), i(5))", "F.nll_loss(x(2, 5, 3, 3), i(5, 2, 3, 3))", "F.nll_loss(x(2, 5, 3), i(5, 2, 3), reduction='none')",
        "F.nll_loss(x(2, 5, 3, 2, 2), i(5, 2, 3, 2, 2), pos(5).detach(), ignore_index=1)"],
    "cross_entropy": [
        *_each("F.cross_entropy(x(3, 5), i(5, 3), RED)"), "F.cross_entropy(x(5), i(5))", "F.cross_entropy(x(3, 5, 2), i(5, 3, 2))",
        *_each("F.cross_entropy(x(3, 5), i(5, 3), pos(5).detach(), RED, label_smoothing=0.1, ignore_index=2)"),
        *_each("F.cross_entropy(x(3, 5), i(5, 3), RED, label_smoothing=0.1)"),
        *_each("F.cross_entropy(x(3, 5), x(3, 5).softmax(1), RED)"), "F.cross_entropy(x(3, 5), pos(3, 5).detach(), pos(5).detach(), label_smoothing=0.1)"],
    "kl_div": [*_each("F.kl_div(x(3, 4) * 1.0, pos(3, 4).detach(), RED)"), "F.kl_div(x(3, 4) * 1.0, x(3, 4) * 1.0, reduction='batchmean', log_target=True)"],
    "hinge_embedding_loss": _each("F.hinge_embedding_loss(x(3, 4) * 1.0, x(3, 4).detach().sign(), RED)"),
    "margin_ranking_loss": _each("F.margin_ranking_loss(x(3), x(3), x(3).detach().sign(), 0.1, RED)"),
    "cosine_embedding_loss": _each("F.cosine_embedding_loss(x(3, 4), x(3, 4), x(3).detach().sign(), 0.1, RED)"),
    "triplet_margin_loss": _each("F.triplet_margin_loss(x(3, 4), x(3, 4), x(3, 4), swap=True, RED)"),
    "poisson_nll_loss": _each("F.poisson_nll_loss(x(3, 4), pos(3, 4).detach(), RED, full=True)"),
    "gaussian_nll_loss": _each("F.gaussian_nll_loss(x(3, 4), x(3, 4), pos(3, 4), RED, full=True)"),
    "cosine_similarity": ["F.cosine_similarity(x(3, 4), x(3, 4))", "F.cosine_similarity(x(3, 4), x(4), dim=-1)"],
    "pairwise_distance": ["F.pairwise_distance(x(3, 4), x(3, 4))", "F.pairwise_distance(x(3, 4), x(4), p=1., keepdim=True)"],
}
SPECIAL = {
    "smooth_l1_loss": ["F.smooth_l1_loss(t([0., .7, -.7, 1., -1.]), t([0., 0., 0., 0., 0.]), reduction='none', beta=0.7)"],
    "huber_loss": ["F.huber_loss(t([0., .7, -.7, 1., -1.]), t([0., 0., 0., 0., 0.]), reduction='none', delta=0.7)"],
    "binary_cross_entropy": ["F.binary_cross_entropy(t([0., 1., .5]), t([0., 1., .5]).detach(), reduction='none')"],
    "binary_cross_entropy_with_logits": ["F.binary_cross_entropy_with_logits(t([0., 100., -100., 1000.]), t([0., 1., .5, 0.]), reduction='none')"],
    "nll_loss": ["F.nll_loss(t([[1., 2.], [3., 4.]]), torch.tensor([-100, -100]))"],
    "cosine_similarity": ["F.cosine_similarity(t([[0., 0.], [3., 4.]]), t([[1., 2.], [0., 0.]]))"],
    "pairwise_distance": ["F.pairwise_distance(t([[0., 0.], [3., 4.]]), t([[0., 0.], [3., 4.]]))"],
}
ERRORS = {
    "mse_loss": ["F.mse_loss(i(3, 2), i(3, 2))"],
    "smooth_l1_loss": ["F.smooth_l1_loss(x(2), x(2), beta=-1.)", "F.huber_loss(x(2), x(2), delta=0.)"],
    "binary_cross_entropy": ["F.binary_cross_entropy(torch.sigmoid(x(2)), i(2, 2))"],
    "binary_cross_entropy_with_logits": ["F.binary_cross_entropy_with_logits(x(2), i(2, 2))",
                                         "F.binary_cross_entropy_with_logits(x(2, 5), pos(2, 5), pos_weight=x(4).detach())"],
    "nll_loss": ["F.nll_loss(x(2, 5), i(5, 3))", "F.nll_loss(x(2, 5), x(2))", "F.nll_loss(x(2, 5), i(5, 2), x(4).detach())",
                 "F.nll_loss(x(2, 5, 3, 3), i(5, 2, 3, 4))", "F.nll_loss(x(2, 5, 3, 3), i(5, 2, 3))", "F.nll_loss(x(2, 5, 3), i(5, 2, 4))",
                 "F.nll_loss(x(), i(5))", "F.nll_loss(x(5), i(5, 2))", "F.nll_loss(x(2, 5), i(5, 2).int())"],
    "cross_entropy": ["F.cross_entropy(x(2, 5), i(5, 2), label_smoothing=2.)", "F.cross_entropy(x(2, 5), x(2, 5), ignore_index=1)",
                      "F.cross_entropy(x(2, 5), x(2, 5), x(4))", "F.cross_entropy(x(2, 5), i(5, 2, 5))"],
    "no_formula_for_an_operand": [
        "F.soft_margin_loss(x(3), x(3))", "F.binary_cross_entropy(unit(3), unit(3).detach(), x(3))",
        "F.binary_cross_entropy_with_logits(x(3), unit(3), x(3))", "F.nll_loss(x(2, 5), i(5, 2), x(5))",
        "F.binary_cross_entropy_with_logits(x(3), unit(3), pos_weight=x(3))", "F.cross_entropy(x(2, 5).detach(), i(5, 2), x(5))",
        "F.nll_loss(x(2, 5, 3, 3), i(5, 2, 3, 3), x(5))", "F.multi_margin_loss(x(2, 5), i(5, 2), weight=x(5))",
        "F.batch_norm(x(4, 3), x(3), x(3).detach())", "F.batch_norm(x(4, 3), x(3).detach(), x(3))"],
    "cosine_similarity": ["F.cosine_similarity(x(2, 5), x(2, 4))", "F.cosine_similarity(i(3, 2, 5), i(3, 2, 5))"],
}
