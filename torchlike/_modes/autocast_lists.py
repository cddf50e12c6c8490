"""What PyTorch's autocast does to operators that are no rows: {device type: {policy: names}}.

Of a row it is the field `autocast`. The names are those that PyTorch's dispatcher has autocast kernels for, so some are of
operators that torchlike has under another name or not at all. A test compares both with the installed torch.

lower_precision: eligible tensors are cast to the dtype of the region. fp32: to float32. promote: to float32 if one of
them is, else to the dtype of the region. fp32_dtype: the argument ``dtype`` becomes float32 if the first tensor
is eligible and the caller gives none. banned: refused.
"""

_CPU_LOWER = """
_addmm_activation _convolution.deprecated _native_multi_head_attention conv1d conv1d.padding conv2d conv2d.padding
conv3d conv3d.padding conv_tbc conv_transpose1d conv_transpose2d.input conv_transpose3d.input linalg_vecdot linear
matmul mkldnn_rnn_layer prelu scaled_dot_product_attention
"""

_CPU_FP32 = """
_grid_sampler_2d_cpu_fallback _lu_with_info adaptive_avg_pool3d cdist cosine_embedding_loss cross_entropy_loss
ctc_loss.IntList ctc_loss.Tensor fake_quantize_per_tensor_affine fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2
fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn grid_sampler hinge_embedding_loss
inverse kl_div l1_loss linalg_cholesky linalg_cond linalg_cond.p_str linalg_eigh linalg_eigvals linalg_eigvalsh
linalg_inv linalg_lstsq linalg_matrix_rank linalg_matrix_rank.atol_rtol_float linalg_matrix_rank.atol_rtol_tensor
linalg_matrix_rank.tol_tensor linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve lu_solve
margin_ranking_loss max_pool3d multilabel_margin_loss_forward nanquantile nanquantile.scalar nll_loss nll_loss2d orgqr
pinverse poisson_nll_loss qr quantile quantile.scalar stft stft.center svd triangular_solve triplet_margin_loss
"""

_CUDA_LOWER = """
_convolution _convolution.deprecated _cudnn_rnn _scaled_dot_product_flash_attention _thnn_fused_gru_cell
_thnn_fused_lstm_cell chain_matmul conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
conv_transpose3d.input cudnn_convolution cudnn_convolution_transpose einsum gru_cell linalg_multi_dot linalg_vecdot
linear lstm_cell matmul prelu rnn_relu_cell rnn_tanh_cell scaled_dot_product_attention
"""

_CUDA_FP32 = """
cdist cosine_embedding_loss cosine_similarity frobenius_norm.dim group_norm hinge_embedding_loss kl_div l1_loss
layer_norm margin_ranking_loss nll_loss nll_loss2d nuclear_norm nuclear_norm.dim poisson_nll_loss rms_norm
triplet_margin_loss
"""

COMPOSITES: dict[str, dict[str, str]] = {
    "cpu": {
        "lower_precision": _CPU_LOWER,
        "fp32": _CPU_FP32,
    },
    "cuda": {
        "lower_precision": _CUDA_LOWER,
        "fp32": _CUDA_FP32,
        "fp32_dtype": "linalg_matrix_norm linalg_matrix_norm.str_ord log_softmax.int norm.Scalar norm.ScalarOpt_dim "
                      "softmax.int",
        "promote": "bilinear cross grid_sampler tensordot",
    },
}
