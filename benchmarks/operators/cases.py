"""One expression for each row of the operator table; its free names are those of inputs.py.

Rows that take tensors alone (and one ``dim``) need no line: `expression` makes theirs from the schema.
"""

INTEGERS = {"gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}

EXPRESSIONS = {
    "threshold": "F.threshold(a, 0.1, 2.0)",
    "log_sigmoid": "F.logsigmoid(a)",
    "_prelu_kernel": "F.prelu(image, channel)",
    "rrelu_with_noise": "F.rrelu(a, training=True)",
    "glu": "F.glu(a)",
    "_softmax": "torch.softmax(a, 1)",
    "_log_softmax": "torch.log_softmax(a, 1)",
    "bitwise_left_shift": "torch.bitwise_left_shift(i, j)",
    "bitwise_right_shift": "torch.bitwise_right_shift(i, j)",
    "div.Tensor_mode": "torch.div(a, q, rounding_mode='floor')",
    "_pow_static": "a ** 3",
    "lerp.Scalar": "torch.lerp(a, b, 0.3)",
    "clamp": "a.clamp(-0.5, 0.5)",
    "clamp.Tensor": "torch.clamp(a, p, q)",
    "where.self": "torch.where(m, a, b)",
    "masked_fill.Scalar": "a.masked_fill(m, 2.0)",
    "masked_fill.Tensor": "a.masked_fill(m, b[0, 0])",
    "masked_scatter": "a.masked_scatter(m, b)",
    "masked_select": "a.masked_select(m)",
    "_scaled_dot_product_flash_attention_for_cpu": "F.scaled_dot_product_attention(query, query, query)",
    "_safe_softmax": "F.scaled_dot_product_attention(query, query, query, m[:128, :128])",
    "nll_loss_forward": "F.nll_loss(a, classes)",
    "nll_loss2d_forward": "F.nll_loss(line.view(16, 32, 16, 32), i[:16, :512].view(16, 16, 32) % 32)",
    "multi_margin_loss": "F.multi_margin_loss(a, classes)",
    "multilabel_margin_loss": "F.multilabel_margin_loss(a[:32], i[:32])",
    "_linear_cross_entropy_chunked": "F.linear_cross_entropy(a, b, classes)",
    "mkldnn_rnn_layer": "torch.lstm(line, (line[None, :, 0, :128], line[None, :, 1, :128]), [a, b[:, :128], row, row], "
                        "True, 1, 0.0, True, False, True)[0]",
    "_ctc_loss": "F.ctc_loss(log_probs, letters, [128] * 16, [40] * 16)",
    "convolution": "F.conv2d(image, filters, padding=1)",
    "view": "a.view(-1)",
    "permute": "t.permute(2, 0, 1)",
    "transpose.int": "a.transpose(0, 1)",
    "expand": "row.expand(512, 512)",
    "slice.Tensor": "a[1:-1, ::2]",
    "select.int": "a[:, 3]",
    "unfold": "a.unfold(1, 8, 4)",
    "split.Tensor": "a.split(64)",
    "unsafe_split.Tensor": "torch.unsafe_split(a, 64)",
    "unsafe_split_with_sizes": "torch.unsafe_split_with_sizes(a, [100, 412])",
    "split_with_sizes": "a.split([100, 412])",
    "as_strided": "a.as_strided((256, 256), (512, 2))",
    "view_as_real": "torch.view_as_real(z)",
    "view_as_complex": "torch.view_as_complex(a.view(512, 256, 2))",
    "real": "z.real",
    "imag": "z.imag",
    "_conj": "z.conj() * 2",
    "view.dtype": "a.view(torch.int32)",
    "diagonal": "a.diagonal()",
    "cat": "torch.cat([a, b], 1)",
    "stack": "torch.stack([a, b], 1)",
    "block_diag": "torch.block_diag(a, b)",
    "repeat": "a.repeat(2, 1)",
    "flip": "a.flip(1)",
    "roll": "a.roll(3, 1)",
    "narrow_copy": "torch.narrow_copy(a, 1, 2, 500)",
    "select_scatter": "a.select_scatter(row, 0, 3)",
    "slice_scatter": "a.slice_scatter(b[:, :256], 1, 0, 512, 2)",
    "diagonal_scatter": "a.diagonal_scatter(row)",
    "_to_copy": "a.double()",
    "copy": "torch.empty_like(a).copy_(a)",
    "_contiguous": "a.t().contiguous()",
    "_fill": "a.clone().fill_(2.0)",
    "_zero": "a.clone().zero_()",
    "_ones": "torch.ones(512, 512)",
    "_zeros": "torch.zeros(512, 512)",
    "_full": "torch.full((512, 512), 2.0)",
    "_full_like": "torch.full_like(a, 2.0)",
    "_arange": "torch.arange(262144)",
    "_linspace": "torch.linspace(0, 1, 262144)",
    "_logspace": "torch.logspace(0, 1, 262144)",
    "_eye": "torch.eye(512)",
    "_drawn": "torch.rand(512, 512)",
    "_drawn_gamma": "torch._standard_gamma(p)",
    "_drawn_poisson": "torch.poisson(p)",
    "native_dropout_backward": "F.dropout(a, 0.3) * 2",
    "linalg_solve_triangular": "torch.linalg.solve_triangular(triangle, tall, upper=False)",
    "cholesky": "torch.linalg.cholesky(spd)",
    "linalg_cholesky_ex": "torch.linalg.cholesky(spd)",
    "cholesky_inverse": "torch.cholesky_inverse(triangle)",
    "cholesky_solve": "torch.cholesky_solve(tall, triangle)",
    "_linalg_det": "torch.linalg.det(spd)",
    "_linalg_slogdet": "torch.linalg.slogdet(spd)",
    "_linalg_solve_ex": "torch.linalg.solve(spd, tall)",
    "_linalg_svd": "torch.linalg.svd(tall, full_matrices=False)",
    "_linalg_eigh": "torch.linalg.eigh(spd)",
    "linalg_inv_ex": "torch.linalg.inv(spd)",
    "linalg_eig": "torch.linalg.eig(tall)",
    "linalg_qr": "torch.linalg.qr(tall)",
    "linalg_lu_factor_ex": "torch.linalg.lu_factor(spd)",
    "linalg_lu": "torch.linalg.lu(spd)",
    "linalg_lu_solve": "torch.linalg.lu_solve(*torch.linalg.lu_factor(spd), tall)",
    "lu_unpack": "torch.lu_unpack(*torch.linalg.lu_factor(spd))",
    "linalg_ldl_factor_ex": "torch.linalg.ldl_factor(spd)",
    "linalg_ldl_solve": "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(spd), tall)",
    "linalg_matrix_exp": "torch.linalg.matrix_exp(spd / 4)",
    "linalg_householder_product": "torch.linalg.householder_product(tall, line[:, 0, :128])",
    "ormqr": "torch.ormqr(tall, line[:, 0, :128], tall)",
    "linalg_cross": "torch.linalg.cross(v[:262143].view(-1, 3), w[:262143].view(-1, 3))",
    "constant_pad_nd": "F.pad(a, (1, 2, 3, 4))",
    "reflection_pad1d": "F.pad(line, (3, 4), 'reflect')",
    "replication_pad1d": "F.pad(line, (3, 4), 'replicate')",
    "reflection_pad2d": "F.pad(image, (3, 4, 1, 2), 'reflect')",
    "replication_pad2d": "F.pad(image, (3, 4, 1, 2), 'replicate')",
    "reflection_pad3d": "F.pad(volume, (3, 4, 1, 2, 1, 1), 'reflect')",
    "replication_pad3d": "F.pad(volume, (3, 4, 1, 2, 1, 1), 'replicate')",
    "pixel_shuffle": "F.pixel_shuffle(image, 2)",
    "pixel_unshuffle": "F.pixel_unshuffle(image, 2)",
    "channel_shuffle": "F.channel_shuffle(image, 4)",
    "im2col": "F.unfold(image, 3)",
    "col2im": "F.fold(image.reshape(8, 128, 256), (32, 32), 2, stride=2)",
    "max_pool2d_with_indices": "F.max_pool2d(image, 2)",
    "max_pool3d_with_indices": "F.max_pool3d(volume, 2)",
    "avg_pool2d": "F.avg_pool2d(image, 3, 2, 1)",
    "avg_pool3d": "F.avg_pool3d(volume, 3, 2, 1)",
    "adaptive_max_pool2d": "F.adaptive_max_pool2d(image, 7)",
    "adaptive_max_pool3d": "F.adaptive_max_pool3d(volume, 5)",
    "_adaptive_avg_pool2d": "F.adaptive_avg_pool2d(image, 7)",
    "_adaptive_avg_pool3d": "F.adaptive_avg_pool3d(volume, 5)",
    "max_unpool2d": "F.max_unpool2d(*F.max_pool2d(image, 2, return_indices=True), 2)",
    "max_unpool3d": "F.max_unpool3d(*F.max_pool3d(volume, 2, return_indices=True), 2)",
    "fractional_max_pool2d": "F.fractional_max_pool2d(image, 2, (16, 16), _random_samples=samples)",
    "upsample_nearest1d": "F.interpolate(line, scale_factor=2.0)",
    "_upsample_nearest_exact1d": "F.interpolate(line, scale_factor=2.0, mode='nearest-exact')",
    "upsample_nearest2d": "F.interpolate(image, scale_factor=2.0)",
    "_upsample_nearest_exact2d": "F.interpolate(image, scale_factor=2.0, mode='nearest-exact')",
    "upsample_nearest3d": "F.interpolate(volume, scale_factor=2.0)",
    "_upsample_nearest_exact3d": "F.interpolate(volume, scale_factor=2.0, mode='nearest-exact')",
    "upsample_linear1d": "F.interpolate(line, scale_factor=2.0, mode='linear')",
    "upsample_bilinear2d": "F.interpolate(image, scale_factor=2.0, mode='bilinear')",
    "upsample_trilinear3d": "F.interpolate(volume, scale_factor=2.0, mode='trilinear')",
    "upsample_bicubic2d": "F.interpolate(image, scale_factor=2.0, mode='bicubic')",
    "_upsample_bilinear2d_aa": "F.interpolate(image, scale_factor=0.5, mode='bilinear', antialias=True)",
    "_upsample_bicubic2d_aa": "F.interpolate(image, scale_factor=0.5, mode='bicubic', antialias=True)",
    "grid_sampler_2d": "F.grid_sample(image, grid, align_corners=False)",
    "grid_sampler_3d": "F.grid_sample(volume, grid3, align_corners=False)",
    "embedding": "F.embedding(far, table)",
    "_embedding_bag": "F.embedding_bag(far.view(-1, 8), table)",
    "gather": "a.gather(1, i)",
    "scatter.src": "a.scatter(1, i, b)",
    "scatter.value": "a.scatter(1, i, 2.0)",
    "scatter.reduce": "a.scatter(1, i, b, reduce='add')",
    "scatter.value_reduce": "a.scatter(1, i, 2.0, reduce='multiply')",
    "scatter_add": "a.scatter_add(1, i, b)",
    "scatter_reduce.two": "a.scatter_reduce(1, i, b, 'amax')",
    "index.Tensor": "a[k]",
    "index_put": "a.index_put((k,), b)",
    "index_select": "a.index_select(1, k)",
    "index_add": "a.index_add(0, k, b)",
    "index_copy": "a.index_copy(0, k, b)",
    "index_fill.int_Scalar": "a.index_fill(0, k[:100], 2.0)",
    "index_fill.int_Tensor": "a.index_fill(0, k[:100], b[0, 0])",
    "index_reduce": "a.index_reduce(0, k, b, 'prod')",
    "take": "a.take(many)",
    "put": "a.put(many, v)",
    "mm": "a @ b",
    "bmm": "tall.bmm(spd)",
    "addmm": "torch.addmm(a, b, c)",
    "baddbmm": "torch.baddbmm(tall, tall, spd)",
    "addbmm": "torch.addbmm(spd[0], tall, spd)",
    "mv": "a.mv(row)",
    "addmv": "torch.addmv(row, a, row)",
    "dot": "v.dot(w)",
    "vdot": "v.vdot(w)",
    "addr": "torch.addr(a, row, row)",
    "_trilinear": "F.bilinear(a[:, :64], b[:, :64], t[:32])",
    "_cdist_forward": "torch.cdist(a, b, p=1.0)",
    "renorm": "a.renorm(2, 0, 1.0)",
    "native_layer_norm": "F.layer_norm(a, (512,), row, row)",
    "native_group_norm": "F.group_norm(image, 8, channel, channel)",
    "_native_batch_norm": "F.batch_norm(image, None, None, channel, channel, training=True)",
    "bucketize.Tensor": "torch.bucketize(a, row.sort().values)",
    "searchsorted.Tensor": "torch.searchsorted(row.sort().values, a)",
    "_bincount": "torch.bincount(many)",
    "histc": "torch.histc(a, 100)",
    "sort.stable": "a.sort(dim=1, stable=True)",
    "sort": "a.sort(1)",
    "topk": "a.topk(10)",
    "kthvalue": "a.kthvalue(10)",
    "_unique2": "torch.unique(many)",
    "_unique_consecutive": "torch.unique_consecutive(many)",
    "_unique_dim": "torch.unique(j, dim=0)",
    "polygamma": "torch.polygamma(2, p)",
    "mvlgamma": "torch.mvlgamma(p + 3, 2)",
    "round.decimals": "a.round(decimals=2)",
    "_fft_c2c": "torch.fft.fft(z)",
    "_fft_r2c": "torch.fft.rfft(a)",
    "_fft_c2r": "torch.fft.irfft(z)",
    "special_zeta": "torch.special.zeta(p + 2, q)",
    "igamma": "torch.igamma(p, q)",
}

# Rows that no public call of PyTorch reaches with arguments of its own, or that another row's line times; the ``_copy``
# forms of views are without a line, too: `_contiguous` copies.
WITHOUT = {
    "_outside", "_compared", "_reshape_alias", "_unsafe_view", "alias", "_detach", "_as_strided_copy", "_as_strided_scatter",
    "_constant", "_fill_tensor", "_drawn_apart", "max_pool2d_with_indices_backward", "unfold_backward",
    "_drawn_dirichlet", "_drawn_binomial", "_diagonal_copy", "_standard_gamma_grad", "_dirichlet_grad",
    "fractional_max_pool3d",
}


def expression(row) -> str | None:
    """The expression of a row; None where it has none."""
    if row.name in EXPRESSIONS:
        return EXPRESSIONS[row.name]
    return None if row.name in WITHOUT or row.face.endswith("_copy") else _of_schema(row)


def _of_schema(row) -> str | None:
    """``space.name(p, q, ...)`` for a row that requires tensors and perhaps a ``dim``."""
    operands = iter("ijk" if row.face in INTEGERS else "pqa")
    given = []
    for arg in row.schema.args:
        if arg.default is not ...:
            continue
        if arg.type == "Tensor":
            given.append(next(operands))
        elif arg.name == "dim":
            given.append("1")
        else:
            return None
    space, name = _public(row.face)
    return f"{space}{name}({', '.join(given)})" if name else None


_SPACES = {"linalg_": "torch.linalg.", "special_": "torch.special.", "fft_": "torch.fft."}
_IN_NN = {"gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish", "elu", "silu", "softplus", "softshrink",
          "hardshrink", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
          "kl_div", "poisson_nll_loss"}


def _public(face) -> tuple:
    for prefix, space in _SPACES.items():
        if face.startswith(prefix):
            return space, face.removeprefix(prefix)
    return ("F." if face in _IN_NN else "torch."), face if not face.startswith("_") else ""
