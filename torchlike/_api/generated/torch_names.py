"""The functions of the torch namespace, and where they are from.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from torchlike._api.activation import log_softmax as log_softmax
from torchlike._api.activation import prelu as prelu
from torchlike._api.activation import rrelu as rrelu
from torchlike._api.activation import rrelu_ as rrelu_
from torchlike._api.activation import selu as selu
from torchlike._api.activation import selu_ as selu_
from torchlike._api.activation import softmax as softmax
from torchlike._api.attributes import _get_device as get_device
from torchlike._api.attributes import detach as detach
from torchlike._api.attributes import detach_ as detach_
from torchlike._api.attributes import is_complex as is_complex
from torchlike._api.attributes import is_conj as is_conj
from torchlike._api.attributes import is_floating_point as is_floating_point
from torchlike._api.attributes import is_inference as is_inference
from torchlike._api.attributes import is_neg as is_neg
from torchlike._api.attributes import is_nonzero as is_nonzero
from torchlike._api.attributes import is_same_size as is_same_size
from torchlike._api.attributes import is_signed as is_signed
from torchlike._api.attributes import is_tensor as is_tensor
from torchlike._api.attributes import numel as numel
from torchlike._api.attributes import resolve_conj as resolve_conj
from torchlike._api.attributes import resolve_neg as resolve_neg
from torchlike._api.complex_numbers import complex as complex
from torchlike._api.complex_numbers import conj_physical as conj_physical
from torchlike._api.complex_numbers import isreal as isreal
from torchlike._api.complex_numbers import polar as polar
from torchlike._api.complex_numbers import view_as_complex as view_as_complex
from torchlike._api.convolution import conv1d as conv1d
from torchlike._api.convolution import conv2d as conv2d
from torchlike._api.convolution import conv3d as conv3d
from torchlike._api.convolution import conv_transpose1d as conv_transpose1d
from torchlike._api.convolution import conv_transpose2d as conv_transpose2d
from torchlike._api.convolution import conv_transpose3d as conv_transpose3d
from torchlike._api.creation import empty as empty
from torchlike._api.creation import empty_like as empty_like
from torchlike._api.creation import empty_permuted as empty_permuted
from torchlike._api.creation import empty_strided as empty_strided
from torchlike._api.creation import eye as eye
from torchlike._api.creation import full as full
from torchlike._api.creation import full_like as full_like
from torchlike._api.creation import ones as ones
from torchlike._api.creation import ones_like as ones_like
from torchlike._api.creation import tril_indices as tril_indices
from torchlike._api.creation import triu_indices as triu_indices
from torchlike._api.creation import vander as vander
from torchlike._api.creation import zeros as zeros
from torchlike._api.creation import zeros_like as zeros_like
from torchlike._api.ctc import ctc_loss as ctc_loss
from torchlike._api.decompositions import cholesky_function as cholesky
from torchlike._api.decompositions import cholesky_inverse_function as cholesky_inverse
from torchlike._api.decompositions import corrcoef as corrcoef
from torchlike._api.decompositions import cov as cov
from torchlike._api.decompositions import lu_function as lu
from torchlike._api.decompositions import lu_solve_function as lu_solve
from torchlike._api.decompositions import triangular_solve_function as triangular_solve
from torchlike._api.diagonals import diag as diag
from torchlike._api.diagonals import diagflat as diagflat
from torchlike._api.differences import cumulative_trapezoid as cumulative_trapezoid
from torchlike._api.differences import diff as diff
from torchlike._api.differences import gradient as gradient
from torchlike._api.differences import trapezoid as trapezoid
from torchlike._api.differences import trapezoid as trapz
from torchlike._api.dropout import alpha_dropout as alpha_dropout
from torchlike._api.dropout import alpha_dropout_ as alpha_dropout_
from torchlike._api.dropout import dropout as dropout
from torchlike._api.dropout import dropout_ as dropout_
from torchlike._api.dropout import feature_alpha_dropout as feature_alpha_dropout
from torchlike._api.dropout import feature_alpha_dropout_ as feature_alpha_dropout_
from torchlike._api.dropout import feature_dropout as feature_dropout
from torchlike._api.dropout import feature_dropout_ as feature_dropout_
from torchlike._api.einsum import einsum as einsum
from torchlike._api.einsum import tensordot_function as tensordot
from torchlike._api.embedding import embedding as embedding
from torchlike._api.embedding import embedding_bag as embedding_bag
from torchlike._api.flipping import flip_function as flip
from torchlike._api.flipping import fliplr as fliplr
from torchlike._api.flipping import flipud as flipud
from torchlike._api.foreach import _foreach_clone as _foreach_clone
from torchlike._api.foreach import _foreach_copy_ as _foreach_copy_
from torchlike._api.foreach import _foreach_lerp as _foreach_lerp
from torchlike._api.foreach import _foreach_lerp_ as _foreach_lerp_
from torchlike._api.foreach import _foreach_max as _foreach_max
from torchlike._api.foreach import _foreach_mm as _foreach_mm
from torchlike._api.foreach import _foreach_norm as _foreach_norm
from torchlike._api.foreach import _foreach_powsum as _foreach_powsum
from torchlike._api.foreach import _foreach_zero_ as _foreach_zero_
from torchlike._api.from_data import as_tensor as as_tensor
from torchlike._api.from_data import asarray as asarray
from torchlike._api.from_data import from_numpy as from_numpy
from torchlike._api.from_data import frombuffer as frombuffer
from torchlike._api.from_data import scalar_tensor as scalar_tensor
from torchlike._api.from_data import tensor as tensor
from torchlike._api.gathering import gather as gather
from torchlike._api.gathering import index_select as index_select
from torchlike._api.gathering import masked_select as masked_select
from torchlike._api.gathering import take as take
from torchlike._api.gathering import take_along_dim as take_along_dim
from torchlike._api.generated.blas_lapack import addbmm as addbmm
from torchlike._api.generated.blas_lapack import addmm as addmm
from torchlike._api.generated.blas_lapack import addmv as addmv
from torchlike._api.generated.blas_lapack import addr as addr
from torchlike._api.generated.blas_lapack import baddbmm as baddbmm
from torchlike._api.generated.blas_lapack import bmm as bmm
from torchlike._api.generated.blas_lapack import cholesky_solve as cholesky_solve
from torchlike._api.generated.blas_lapack import dot as dot
from torchlike._api.generated.blas_lapack import geqrf as geqrf
from torchlike._api.generated.blas_lapack import lu_unpack as lu_unpack
from torchlike._api.generated.blas_lapack import mm as mm
from torchlike._api.generated.blas_lapack import mv as mv
from torchlike._api.generated.blas_lapack import ormqr as ormqr
from torchlike._api.generated.blas_lapack import pdist as pdist
from torchlike._api.generated.blas_lapack import trace as trace
from torchlike._api.generated.blas_lapack import vdot as vdot
from torchlike._api.generated.comparison import argsort as argsort
from torchlike._api.generated.comparison import bitwise_and as bitwise_and
from torchlike._api.generated.comparison import bitwise_left_shift as bitwise_left_shift
from torchlike._api.generated.comparison import bitwise_or as bitwise_or
from torchlike._api.generated.comparison import bitwise_right_shift as bitwise_right_shift
from torchlike._api.generated.comparison import bitwise_xor as bitwise_xor
from torchlike._api.generated.comparison import eq as eq
from torchlike._api.generated.comparison import ge as ge
from torchlike._api.generated.comparison import greater as greater
from torchlike._api.generated.comparison import greater_equal as greater_equal
from torchlike._api.generated.comparison import gt as gt
from torchlike._api.generated.comparison import isclose as isclose
from torchlike._api.generated.comparison import le as le
from torchlike._api.generated.comparison import less as less
from torchlike._api.generated.comparison import less_equal as less_equal
from torchlike._api.generated.comparison import logical_and as logical_and
from torchlike._api.generated.comparison import logical_or as logical_or
from torchlike._api.generated.comparison import logical_xor as logical_xor
from torchlike._api.generated.comparison import lt as lt
from torchlike._api.generated.comparison import masked_fill as masked_fill
from torchlike._api.generated.comparison import ne as ne
from torchlike._api.generated.comparison import not_equal as not_equal
from torchlike._api.generated.comparison import topk as topk
from torchlike._api.generated.foreach import _foreach_abs as _foreach_abs
from torchlike._api.generated.foreach import _foreach_abs_ as _foreach_abs_
from torchlike._api.generated.foreach import _foreach_acos as _foreach_acos
from torchlike._api.generated.foreach import _foreach_acos_ as _foreach_acos_
from torchlike._api.generated.foreach import _foreach_add as _foreach_add
from torchlike._api.generated.foreach import _foreach_add_ as _foreach_add_
from torchlike._api.generated.foreach import _foreach_addcdiv as _foreach_addcdiv
from torchlike._api.generated.foreach import _foreach_addcdiv_ as _foreach_addcdiv_
from torchlike._api.generated.foreach import _foreach_addcmul as _foreach_addcmul
from torchlike._api.generated.foreach import _foreach_addcmul_ as _foreach_addcmul_
from torchlike._api.generated.foreach import _foreach_asin as _foreach_asin
from torchlike._api.generated.foreach import _foreach_asin_ as _foreach_asin_
from torchlike._api.generated.foreach import _foreach_atan as _foreach_atan
from torchlike._api.generated.foreach import _foreach_atan_ as _foreach_atan_
from torchlike._api.generated.foreach import _foreach_ceil as _foreach_ceil
from torchlike._api.generated.foreach import _foreach_ceil_ as _foreach_ceil_
from torchlike._api.generated.foreach import _foreach_clamp_max as _foreach_clamp_max
from torchlike._api.generated.foreach import _foreach_clamp_max_ as _foreach_clamp_max_
from torchlike._api.generated.foreach import _foreach_clamp_min as _foreach_clamp_min
from torchlike._api.generated.foreach import _foreach_clamp_min_ as _foreach_clamp_min_
from torchlike._api.generated.foreach import _foreach_cos as _foreach_cos
from torchlike._api.generated.foreach import _foreach_cos_ as _foreach_cos_
from torchlike._api.generated.foreach import _foreach_cosh as _foreach_cosh
from torchlike._api.generated.foreach import _foreach_cosh_ as _foreach_cosh_
from torchlike._api.generated.foreach import _foreach_div as _foreach_div
from torchlike._api.generated.foreach import _foreach_div_ as _foreach_div_
from torchlike._api.generated.foreach import _foreach_erf as _foreach_erf
from torchlike._api.generated.foreach import _foreach_erf_ as _foreach_erf_
from torchlike._api.generated.foreach import _foreach_erfc as _foreach_erfc
from torchlike._api.generated.foreach import _foreach_erfc_ as _foreach_erfc_
from torchlike._api.generated.foreach import _foreach_exp as _foreach_exp
from torchlike._api.generated.foreach import _foreach_exp_ as _foreach_exp_
from torchlike._api.generated.foreach import _foreach_expm1 as _foreach_expm1
from torchlike._api.generated.foreach import _foreach_expm1_ as _foreach_expm1_
from torchlike._api.generated.foreach import _foreach_floor as _foreach_floor
from torchlike._api.generated.foreach import _foreach_floor_ as _foreach_floor_
from torchlike._api.generated.foreach import _foreach_frac as _foreach_frac
from torchlike._api.generated.foreach import _foreach_frac_ as _foreach_frac_
from torchlike._api.generated.foreach import _foreach_lgamma as _foreach_lgamma
from torchlike._api.generated.foreach import _foreach_lgamma_ as _foreach_lgamma_
from torchlike._api.generated.foreach import _foreach_log as _foreach_log
from torchlike._api.generated.foreach import _foreach_log10 as _foreach_log10
from torchlike._api.generated.foreach import _foreach_log10_ as _foreach_log10_
from torchlike._api.generated.foreach import _foreach_log1p as _foreach_log1p
from torchlike._api.generated.foreach import _foreach_log1p_ as _foreach_log1p_
from torchlike._api.generated.foreach import _foreach_log2 as _foreach_log2
from torchlike._api.generated.foreach import _foreach_log2_ as _foreach_log2_
from torchlike._api.generated.foreach import _foreach_log_ as _foreach_log_
from torchlike._api.generated.foreach import _foreach_maximum as _foreach_maximum
from torchlike._api.generated.foreach import _foreach_maximum_ as _foreach_maximum_
from torchlike._api.generated.foreach import _foreach_minimum as _foreach_minimum
from torchlike._api.generated.foreach import _foreach_minimum_ as _foreach_minimum_
from torchlike._api.generated.foreach import _foreach_mul as _foreach_mul
from torchlike._api.generated.foreach import _foreach_mul_ as _foreach_mul_
from torchlike._api.generated.foreach import _foreach_neg as _foreach_neg
from torchlike._api.generated.foreach import _foreach_neg_ as _foreach_neg_
from torchlike._api.generated.foreach import _foreach_pow as _foreach_pow
from torchlike._api.generated.foreach import _foreach_pow_ as _foreach_pow_
from torchlike._api.generated.foreach import _foreach_reciprocal as _foreach_reciprocal
from torchlike._api.generated.foreach import _foreach_reciprocal_ as _foreach_reciprocal_
from torchlike._api.generated.foreach import _foreach_round as _foreach_round
from torchlike._api.generated.foreach import _foreach_round_ as _foreach_round_
from torchlike._api.generated.foreach import _foreach_rsqrt as _foreach_rsqrt
from torchlike._api.generated.foreach import _foreach_rsqrt_ as _foreach_rsqrt_
from torchlike._api.generated.foreach import _foreach_sigmoid as _foreach_sigmoid
from torchlike._api.generated.foreach import _foreach_sigmoid_ as _foreach_sigmoid_
from torchlike._api.generated.foreach import _foreach_sign as _foreach_sign
from torchlike._api.generated.foreach import _foreach_sign_ as _foreach_sign_
from torchlike._api.generated.foreach import _foreach_sin as _foreach_sin
from torchlike._api.generated.foreach import _foreach_sin_ as _foreach_sin_
from torchlike._api.generated.foreach import _foreach_sinh as _foreach_sinh
from torchlike._api.generated.foreach import _foreach_sinh_ as _foreach_sinh_
from torchlike._api.generated.foreach import _foreach_sqrt as _foreach_sqrt
from torchlike._api.generated.foreach import _foreach_sqrt_ as _foreach_sqrt_
from torchlike._api.generated.foreach import _foreach_sub as _foreach_sub
from torchlike._api.generated.foreach import _foreach_sub_ as _foreach_sub_
from torchlike._api.generated.foreach import _foreach_tan as _foreach_tan
from torchlike._api.generated.foreach import _foreach_tan_ as _foreach_tan_
from torchlike._api.generated.foreach import _foreach_tanh as _foreach_tanh
from torchlike._api.generated.foreach import _foreach_tanh_ as _foreach_tanh_
from torchlike._api.generated.foreach import _foreach_trunc as _foreach_trunc
from torchlike._api.generated.foreach import _foreach_trunc_ as _foreach_trunc_
from torchlike._api.generated.indexing_joining import alias_copy as alias_copy
from torchlike._api.generated.indexing_joining import detach_copy as detach_copy
from torchlike._api.generated.indexing_joining import diagonal as diagonal
from torchlike._api.generated.indexing_joining import diagonal_copy as diagonal_copy
from torchlike._api.generated.indexing_joining import diagonal_scatter as diagonal_scatter
from torchlike._api.generated.indexing_joining import expand_copy as expand_copy
from torchlike._api.generated.indexing_joining import narrow_copy as narrow_copy
from torchlike._api.generated.indexing_joining import permute_copy as permute_copy
from torchlike._api.generated.indexing_joining import roll as roll
from torchlike._api.generated.indexing_joining import rot90 as rot90
from torchlike._api.generated.indexing_joining import select as select
from torchlike._api.generated.indexing_joining import select_copy as select_copy
from torchlike._api.generated.indexing_joining import slice_copy as slice_copy
from torchlike._api.generated.indexing_joining import split_with_sizes as split_with_sizes
from torchlike._api.generated.indexing_joining import squeeze as squeeze
from torchlike._api.generated.indexing_joining import squeeze_copy as squeeze_copy
from torchlike._api.generated.indexing_joining import t as t
from torchlike._api.generated.indexing_joining import t_copy as t_copy
from torchlike._api.generated.indexing_joining import transpose_copy as transpose_copy
from torchlike._api.generated.indexing_joining import unfold_copy as unfold_copy
from torchlike._api.generated.indexing_joining import unsafe_split as unsafe_split
from torchlike._api.generated.indexing_joining import unsafe_split_with_sizes as unsafe_split_with_sizes
from torchlike._api.generated.indexing_joining import unsqueeze as unsqueeze
from torchlike._api.generated.indexing_joining import unsqueeze_copy as unsqueeze_copy
from torchlike._api.generated.indexing_joining import view_as_real as view_as_real
from torchlike._api.generated.indexing_joining import view_as_real_copy as view_as_real_copy
from torchlike._api.generated.linalg import orgqr as orgqr
from torchlike._api.generated.nn_functional import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from torchlike._api.generated.nn_functional import celu as celu
from torchlike._api.generated.nn_functional import channel_shuffle as channel_shuffle
from torchlike._api.generated.nn_functional import constant_pad_nd as constant_pad_nd
from torchlike._api.generated.nn_functional import convolution as convolution
from torchlike._api.generated.nn_functional import grid_sampler_2d as grid_sampler_2d
from torchlike._api.generated.nn_functional import grid_sampler_3d as grid_sampler_3d
from torchlike._api.generated.nn_functional import hardshrink as hardshrink
from torchlike._api.generated.nn_functional import mkldnn_rnn_layer as mkldnn_rnn_layer
from torchlike._api.generated.nn_functional import pixel_shuffle as pixel_shuffle
from torchlike._api.generated.nn_functional import pixel_unshuffle as pixel_unshuffle
from torchlike._api.generated.nn_functional import relu as relu
from torchlike._api.generated.nn_functional import threshold as threshold
from torchlike._api.generated.ops.blas_lapack import addmv_ as addmv_
from torchlike._api.generated.ops.nn_functional import celu_ as celu_
from torchlike._api.generated.ops.nn_functional import relu_ as relu_
from torchlike._api.generated.ops.nn_functional import threshold_ as threshold_
from torchlike._api.generated.ops.pointwise import abs_ as abs_
from torchlike._api.generated.ops.pointwise import acos_ as acos_
from torchlike._api.generated.ops.pointwise import acosh_ as acosh_
from torchlike._api.generated.ops.pointwise import arccos_ as arccos_
from torchlike._api.generated.ops.pointwise import arccosh_ as arccosh_
from torchlike._api.generated.ops.pointwise import arcsin_ as arcsin_
from torchlike._api.generated.ops.pointwise import arcsinh_ as arcsinh_
from torchlike._api.generated.ops.pointwise import arctan_ as arctan_
from torchlike._api.generated.ops.pointwise import arctanh_ as arctanh_
from torchlike._api.generated.ops.pointwise import asin_ as asin_
from torchlike._api.generated.ops.pointwise import asinh_ as asinh_
from torchlike._api.generated.ops.pointwise import atan_ as atan_
from torchlike._api.generated.ops.pointwise import atanh_ as atanh_
from torchlike._api.generated.ops.pointwise import ceil_ as ceil_
from torchlike._api.generated.ops.pointwise import conj_physical_ as conj_physical_
from torchlike._api.generated.ops.pointwise import cos_ as cos_
from torchlike._api.generated.ops.pointwise import cosh_ as cosh_
from torchlike._api.generated.ops.pointwise import deg2rad_ as deg2rad_
from torchlike._api.generated.ops.pointwise import erf_ as erf_
from torchlike._api.generated.ops.pointwise import erfc_ as erfc_
from torchlike._api.generated.ops.pointwise import exp2_ as exp2_
from torchlike._api.generated.ops.pointwise import exp_ as exp_
from torchlike._api.generated.ops.pointwise import expm1_ as expm1_
from torchlike._api.generated.ops.pointwise import fix_ as fix_
from torchlike._api.generated.ops.pointwise import floor_ as floor_
from torchlike._api.generated.ops.pointwise import frac_ as frac_
from torchlike._api.generated.ops.pointwise import gcd_ as gcd_
from torchlike._api.generated.ops.pointwise import i0_ as i0_
from torchlike._api.generated.ops.pointwise import lcm_ as lcm_
from torchlike._api.generated.ops.pointwise import ldexp_ as ldexp_
from torchlike._api.generated.ops.pointwise import log10_ as log10_
from torchlike._api.generated.ops.pointwise import log1p_ as log1p_
from torchlike._api.generated.ops.pointwise import log2_ as log2_
from torchlike._api.generated.ops.pointwise import log_ as log_
from torchlike._api.generated.ops.pointwise import logit_ as logit_
from torchlike._api.generated.ops.pointwise import nan_to_num_ as nan_to_num_
from torchlike._api.generated.ops.pointwise import neg_ as neg_
from torchlike._api.generated.ops.pointwise import negative_ as negative_
from torchlike._api.generated.ops.pointwise import rad2deg_ as rad2deg_
from torchlike._api.generated.ops.pointwise import reciprocal_ as reciprocal_
from torchlike._api.generated.ops.pointwise import rsqrt_ as rsqrt_
from torchlike._api.generated.ops.pointwise import sigmoid_ as sigmoid_
from torchlike._api.generated.ops.pointwise import sin_ as sin_
from torchlike._api.generated.ops.pointwise import sinc_ as sinc_
from torchlike._api.generated.ops.pointwise import sinh_ as sinh_
from torchlike._api.generated.ops.pointwise import sqrt_ as sqrt_
from torchlike._api.generated.ops.pointwise import tan_ as tan_
from torchlike._api.generated.ops.pointwise import tanh_ as tanh_
from torchlike._api.generated.ops.pointwise import trunc_ as trunc_
from torchlike._api.generated.ops.random_sampling import _dirichlet_grad as _dirichlet_grad
from torchlike._api.generated.ops.random_sampling import _standard_gamma_grad as _standard_gamma_grad
from torchlike._api.generated.other import cummax as cummax
from torchlike._api.generated.other import cummin as cummin
from torchlike._api.generated.other import cumprod as cumprod
from torchlike._api.generated.other import cumsum as cumsum
from torchlike._api.generated.other import diag_embed as diag_embed
from torchlike._api.generated.other import logcumsumexp as logcumsumexp
from torchlike._api.generated.other import tril as tril
from torchlike._api.generated.other import triu as triu
from torchlike._api.generated.pointwise import abs as abs
from torchlike._api.generated.pointwise import absolute as absolute
from torchlike._api.generated.pointwise import acos as acos
from torchlike._api.generated.pointwise import acosh as acosh
from torchlike._api.generated.pointwise import add as add
from torchlike._api.generated.pointwise import addcdiv as addcdiv
from torchlike._api.generated.pointwise import addcmul as addcmul
from torchlike._api.generated.pointwise import angle as angle
from torchlike._api.generated.pointwise import arccos as arccos
from torchlike._api.generated.pointwise import arccosh as arccosh
from torchlike._api.generated.pointwise import arcsin as arcsin
from torchlike._api.generated.pointwise import arcsinh as arcsinh
from torchlike._api.generated.pointwise import arctan as arctan
from torchlike._api.generated.pointwise import arctan2 as arctan2
from torchlike._api.generated.pointwise import arctanh as arctanh
from torchlike._api.generated.pointwise import asin as asin
from torchlike._api.generated.pointwise import asinh as asinh
from torchlike._api.generated.pointwise import atan as atan
from torchlike._api.generated.pointwise import atan2 as atan2
from torchlike._api.generated.pointwise import atanh as atanh
from torchlike._api.generated.pointwise import bitwise_not as bitwise_not
from torchlike._api.generated.pointwise import ceil as ceil
from torchlike._api.generated.pointwise import clamp as clamp
from torchlike._api.generated.pointwise import clamp_ as clamp_
from torchlike._api.generated.pointwise import clamp_max as clamp_max
from torchlike._api.generated.pointwise import clamp_max_ as clamp_max_
from torchlike._api.generated.pointwise import clamp_min as clamp_min
from torchlike._api.generated.pointwise import clamp_min_ as clamp_min_
from torchlike._api.generated.pointwise import clip as clip
from torchlike._api.generated.pointwise import clip_ as clip_
from torchlike._api.generated.pointwise import copysign as copysign
from torchlike._api.generated.pointwise import cos as cos
from torchlike._api.generated.pointwise import cosh as cosh
from torchlike._api.generated.pointwise import deg2rad as deg2rad
from torchlike._api.generated.pointwise import digamma as digamma
from torchlike._api.generated.pointwise import erf as erf
from torchlike._api.generated.pointwise import erfc as erfc
from torchlike._api.generated.pointwise import erfinv as erfinv
from torchlike._api.generated.pointwise import exp as exp
from torchlike._api.generated.pointwise import exp2 as exp2
from torchlike._api.generated.pointwise import expm1 as expm1
from torchlike._api.generated.pointwise import fix as fix
from torchlike._api.generated.pointwise import floor as floor
from torchlike._api.generated.pointwise import floor_divide as floor_divide
from torchlike._api.generated.pointwise import fmax as fmax
from torchlike._api.generated.pointwise import fmin as fmin
from torchlike._api.generated.pointwise import fmod as fmod
from torchlike._api.generated.pointwise import frac as frac
from torchlike._api.generated.pointwise import frexp as frexp
from torchlike._api.generated.pointwise import gcd as gcd
from torchlike._api.generated.pointwise import hash_tensor as hash_tensor
from torchlike._api.generated.pointwise import heaviside as heaviside
from torchlike._api.generated.pointwise import hypot as hypot
from torchlike._api.generated.pointwise import i0 as i0
from torchlike._api.generated.pointwise import igamma as igamma
from torchlike._api.generated.pointwise import igammac as igammac
from torchlike._api.generated.pointwise import isfinite as isfinite
from torchlike._api.generated.pointwise import isinf as isinf
from torchlike._api.generated.pointwise import isnan as isnan
from torchlike._api.generated.pointwise import isneginf as isneginf
from torchlike._api.generated.pointwise import isposinf as isposinf
from torchlike._api.generated.pointwise import lcm as lcm
from torchlike._api.generated.pointwise import ldexp as ldexp
from torchlike._api.generated.pointwise import lerp as lerp
from torchlike._api.generated.pointwise import lgamma as lgamma
from torchlike._api.generated.pointwise import log as log
from torchlike._api.generated.pointwise import log10 as log10
from torchlike._api.generated.pointwise import log1p as log1p
from torchlike._api.generated.pointwise import log2 as log2
from torchlike._api.generated.pointwise import logaddexp as logaddexp
from torchlike._api.generated.pointwise import logaddexp2 as logaddexp2
from torchlike._api.generated.pointwise import logical_not as logical_not
from torchlike._api.generated.pointwise import logit as logit
from torchlike._api.generated.pointwise import maximum as maximum
from torchlike._api.generated.pointwise import minimum as minimum
from torchlike._api.generated.pointwise import mul as mul
from torchlike._api.generated.pointwise import multiply as multiply
from torchlike._api.generated.pointwise import mvlgamma as mvlgamma
from torchlike._api.generated.pointwise import nan_to_num as nan_to_num
from torchlike._api.generated.pointwise import neg as neg
from torchlike._api.generated.pointwise import negative as negative
from torchlike._api.generated.pointwise import nextafter as nextafter
from torchlike._api.generated.pointwise import polygamma as polygamma
from torchlike._api.generated.pointwise import rad2deg as rad2deg
from torchlike._api.generated.pointwise import reciprocal as reciprocal
from torchlike._api.generated.pointwise import remainder as remainder
from torchlike._api.generated.pointwise import round as round
from torchlike._api.generated.pointwise import round_ as round_
from torchlike._api.generated.pointwise import rsqrt as rsqrt
from torchlike._api.generated.pointwise import sgn as sgn
from torchlike._api.generated.pointwise import sigmoid as sigmoid
from torchlike._api.generated.pointwise import sign as sign
from torchlike._api.generated.pointwise import signbit as signbit
from torchlike._api.generated.pointwise import sin as sin
from torchlike._api.generated.pointwise import sinc as sinc
from torchlike._api.generated.pointwise import sinh as sinh
from torchlike._api.generated.pointwise import sqrt as sqrt
from torchlike._api.generated.pointwise import sub as sub
from torchlike._api.generated.pointwise import subtract as subtract
from torchlike._api.generated.pointwise import tan as tan
from torchlike._api.generated.pointwise import tanh as tanh
from torchlike._api.generated.pointwise import trunc as trunc
from torchlike._api.generated.pointwise import xlogy as xlogy
from torchlike._api.generated.pointwise import xlogy_ as xlogy_
from torchlike._api.generated.reduction import all as all
from torchlike._api.generated.reduction import amax as amax
from torchlike._api.generated.reduction import amin as amin
from torchlike._api.generated.reduction import aminmax as aminmax
from torchlike._api.generated.reduction import any as any
from torchlike._api.generated.reduction import argmax as argmax
from torchlike._api.generated.reduction import argmin as argmin
from torchlike._api.generated.reduction import count_nonzero as count_nonzero
from torchlike._api.generated.reduction import dist as dist
from torchlike._api.generated.reduction import logsumexp as logsumexp
from torchlike._api.generated.reduction import mean as mean
from torchlike._api.generated.reduction import median as median
from torchlike._api.generated.reduction import mode as mode
from torchlike._api.generated.reduction import nanmedian as nanmedian
from torchlike._api.generated.reduction import nansum as nansum
from torchlike._api.generated.reduction import prod as prod
from torchlike._api.generated.reduction import renorm as renorm
from torchlike._api.generated.reduction import sum as sum
from torchlike._api.grids import cartesian_prod as cartesian_prod
from torchlike._api.grids import combinations as combinations
from torchlike._api.grids import meshgrid as meshgrid
from torchlike._api.grouped import _grouped_mm as _grouped_mm
from torchlike._api.histograms import bincount as bincount
from torchlike._api.histograms import histc as histc
from torchlike._api.histograms import histogram as histogram
from torchlike._api.histograms import histogramdd as histogramdd
from torchlike._api.joining import atleast_1d as atleast_1d
from torchlike._api.joining import atleast_2d as atleast_2d
from torchlike._api.joining import atleast_3d as atleast_3d
from torchlike._api.joining import block_diag as block_diag
from torchlike._api.joining import cat as cat
from torchlike._api.joining import cat as concat
from torchlike._api.joining import cat as concatenate
from torchlike._api.joining import column_stack as column_stack
from torchlike._api.joining import dstack as dstack
from torchlike._api.joining import hstack as hstack
from torchlike._api.joining import repeat_interleave as repeat_interleave
from torchlike._api.joining import stack as stack
from torchlike._api.joining import tile_function as tile
from torchlike._api.joining import vstack as row_stack
from torchlike._api.joining import vstack as vstack
from torchlike._api.legacy import BFloat16Tensor as BFloat16Tensor
from torchlike._api.legacy import BoolTensor as BoolTensor
from torchlike._api.legacy import ByteTensor as ByteTensor
from torchlike._api.legacy import CharTensor as CharTensor
from torchlike._api.legacy import DoubleTensor as DoubleTensor
from torchlike._api.legacy import FloatTensor as FloatTensor
from torchlike._api.legacy import HalfTensor as HalfTensor
from torchlike._api.legacy import IntTensor as IntTensor
from torchlike._api.legacy import LongTensor as LongTensor
from torchlike._api.legacy import ShortTensor as ShortTensor
from torchlike._api.legacy import set_default_tensor_type as set_default_tensor_type
from torchlike._api.legacy_storages import BFloat16Storage as BFloat16Storage
from torchlike._api.legacy_storages import BoolStorage as BoolStorage
from torchlike._api.legacy_storages import ByteStorage as ByteStorage
from torchlike._api.legacy_storages import CharStorage as CharStorage
from torchlike._api.legacy_storages import ComplexDoubleStorage as ComplexDoubleStorage
from torchlike._api.legacy_storages import ComplexFloatStorage as ComplexFloatStorage
from torchlike._api.legacy_storages import DoubleStorage as DoubleStorage
from torchlike._api.legacy_storages import FloatStorage as FloatStorage
from torchlike._api.legacy_storages import HalfStorage as HalfStorage
from torchlike._api.legacy_storages import IntStorage as IntStorage
from torchlike._api.legacy_storages import LongStorage as LongStorage
from torchlike._api.legacy_storages import ShortStorage as ShortStorage
from torchlike._api.legacy_storages import Storage as Storage
from torchlike._api.legacy_storages import from_file as from_file
from torchlike._api.linalg import cdist as cdist
from torchlike._api.linalg import chain_matmul as chain_matmul
from torchlike._api.linalg import cross_function as cross
from torchlike._api.linalg import det as det
from torchlike._api.linalg import ger_function as ger
from torchlike._api.linalg import inner_function as inner
from torchlike._api.linalg import inverse_function as inverse
from torchlike._api.linalg import kron_function as kron
from torchlike._api.linalg import logdet as logdet
from torchlike._api.linalg import matrix_exp as matrix_exp
from torchlike._api.linalg import matrix_power_function as matrix_power
from torchlike._api.linalg import outer_function as outer
from torchlike._api.linalg import pinverse as pinverse
from torchlike._api.linalg import qr_function as qr
from torchlike._api.linalg import slogdet_function as slogdet
from torchlike._api.linalg import svd_function as svd
from torchlike._api.linear import bilinear as bilinear
from torchlike._api.linear import matmul_function as matmul
from torchlike._api.losses import cosine_similarity as cosine_similarity
from torchlike._api.losses import pairwise_distance as pairwise_distance
from torchlike._api.lowrank import pca_lowrank as pca_lowrank
from torchlike._api.lowrank import svd_lowrank as svd_lowrank
from torchlike._api.normalization import batch_norm as batch_norm
from torchlike._api.normalization import group_norm as group_norm
from torchlike._api.normalization import instance_norm as instance_norm
from torchlike._api.normalization import layer_norm as layer_norm
from torchlike._api.normalization import native_batch_norm_function as native_batch_norm
from torchlike._api.normalization import native_group_norm as native_group_norm
from torchlike._api.normalization import native_layer_norm as native_layer_norm
from torchlike._api.normalization import rms_norm as rms_norm
from torchlike._api.pointwise import allclose as allclose
from torchlike._api.pointwise import div as div
from torchlike._api.pointwise import div as divide
from torchlike._api.pointwise import equal as equal
from torchlike._api.pointwise import float_power as float_power
from torchlike._api.pointwise import positive as positive
from torchlike._api.pointwise import pow as pow
from torchlike._api.pointwise import rsub as rsub
from torchlike._api.pointwise import square as square
from torchlike._api.pointwise import square_ as square_
from torchlike._api.pointwise import true_divide as true_divide
from torchlike._api.pointwise import where as where
from torchlike._api.pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from torchlike._api.pooling import adaptive_max_pool1d as adaptive_max_pool1d
from torchlike._api.pooling import avg_pool1d as avg_pool1d
from torchlike._api.pooling import max_pool1d as max_pool1d
from torchlike._api.pooling import max_pool1d_with_indices as max_pool1d_with_indices
from torchlike._api.pooling import max_pool2d as max_pool2d
from torchlike._api.pooling import max_pool3d as max_pool3d
from torchlike._api.random import bernoulli_function as bernoulli
from torchlike._api.random import multinomial as multinomial
from torchlike._api.random import normal as normal
from torchlike._api.random import rand as rand
from torchlike._api.random import rand_like as rand_like
from torchlike._api.random import randint as randint
from torchlike._api.random import randint_like as randint_like
from torchlike._api.random import randn as randn
from torchlike._api.random import randn_like as randn_like
from torchlike._api.random import randperm as randperm
from torchlike._api.ranges import arange as arange
from torchlike._api.ranges import linspace as linspace
from torchlike._api.ranges import logspace as logspace
from torchlike._api.ranges import range_ as range
from torchlike._api.reduce import max as max
from torchlike._api.reduce import min as min
from torchlike._api.reduce import nanmean as nanmean
from torchlike._api.reduce import nanquantile as nanquantile
from torchlike._api.reduce import norm as norm
from torchlike._api.reduce import quantile as quantile
from torchlike._api.reduce import std as std
from torchlike._api.reduce import std_mean as std_mean
from torchlike._api.reduce import var as var
from torchlike._api.reduce import var_mean as var_mean
from torchlike._api.sampling import _sample_dirichlet as _sample_dirichlet
from torchlike._api.sampling import _standard_gamma as _standard_gamma
from torchlike._api.sampling import binomial as binomial
from torchlike._api.sampling import poisson as poisson
from torchlike._api.scaled import _scaled_mm as _scaled_mm
from torchlike._api.scaled import _scaled_mm_v2 as _scaled_mm_v2
from torchlike._api.scattering import index_add as index_add
from torchlike._api.scattering import index_copy as index_copy
from torchlike._api.scattering import index_fill as index_fill
from torchlike._api.scattering import index_put as index_put
from torchlike._api.scattering import index_put_ as index_put_
from torchlike._api.scattering import index_reduce as index_reduce
from torchlike._api.scattering import masked_scatter as masked_scatter
from torchlike._api.scattering import put as put
from torchlike._api.scattering import scatter as scatter
from torchlike._api.scattering import scatter_add as scatter_add
from torchlike._api.scattering import scatter_reduce as scatter_reduce
from torchlike._api.scattering import select_scatter as select_scatter
from torchlike._api.scattering import slice_scatter as slice_scatter
from torchlike._api.searching import argwhere as argwhere
from torchlike._api.searching import bucketize as bucketize
from torchlike._api.searching import isin as isin
from torchlike._api.searching import nonzero as nonzero
from torchlike._api.searching import nonzero_static as nonzero_static
from torchlike._api.searching import searchsorted as searchsorted
from torchlike._api.searching import unravel_index as unravel_index
from torchlike._api.segments import _segment_reduce as _segment_reduce
from torchlike._api.segments import segment_reduce as segment_reduce
from torchlike._api.shapes import adjoint as adjoint
from torchlike._api.shapes import as_strided as as_strided
from torchlike._api.shapes import broadcast_shapes as broadcast_shapes
from torchlike._api.shapes import broadcast_tensors as broadcast_tensors
from torchlike._api.shapes import broadcast_to as broadcast_to
from torchlike._api.shapes import chunk as chunk
from torchlike._api.shapes import conj as conj
from torchlike._api.shapes import dsplit as dsplit
from torchlike._api.shapes import flatten as flatten
from torchlike._api.shapes import hsplit as hsplit
from torchlike._api.shapes import imag as imag
from torchlike._api.shapes import movedim as moveaxis
from torchlike._api.shapes import movedim as movedim
from torchlike._api.shapes import narrow as narrow
from torchlike._api.shapes import permute_function as permute
from torchlike._api.shapes import ravel as ravel
from torchlike._api.shapes import real as real
from torchlike._api.shapes import reshape_function as reshape
from torchlike._api.shapes import split as split
from torchlike._api.shapes import swapaxes as swapaxes
from torchlike._api.shapes import tensor_split as tensor_split
from torchlike._api.shapes import transpose as swapdims
from torchlike._api.shapes import transpose as transpose
from torchlike._api.shapes import unbind as unbind
from torchlike._api.shapes import unflatten as unflatten
from torchlike._api.shapes import vsplit as vsplit
from torchlike._api.sorting import kthvalue as kthvalue
from torchlike._api.sorting import msort as msort
from torchlike._api.sorting import sort as sort
from torchlike._api.sparse.construct import sparse_bsc_tensor as sparse_bsc_tensor
from torchlike._api.sparse.construct import sparse_bsr_tensor as sparse_bsr_tensor
from torchlike._api.sparse.construct import sparse_compressed_tensor as sparse_compressed_tensor
from torchlike._api.sparse.construct import sparse_coo_tensor as sparse_coo_tensor
from torchlike._api.sparse.construct import sparse_csc_tensor as sparse_csc_tensor
from torchlike._api.sparse.construct import sparse_csr_tensor as sparse_csr_tensor
from torchlike._api.sparse.products import dsmm as dsmm
from torchlike._api.sparse.products import hspmm as hspmm
from torchlike._api.sparse.products import saddmm as saddmm
from torchlike._api.sparse.products import smm as smm
from torchlike._api.sparse.products import spmm as spmm
from torchlike._api.sparse.products import sspaddmm as sspaddmm
from torchlike._api.sparse.reductions import native_norm as native_norm
from torchlike._api.sparse.reshaping import resize_as_sparse_ as resize_as_sparse_
from torchlike._api.stft import istft as istft
from torchlike._api.stft import stft as stft
from torchlike._api.tensor_copies import clone as clone
from torchlike._api.typed_storages import is_storage as is_storage
from torchlike._api.unique import unique as unique
from torchlike._api.unique import unique_consecutive as unique_consecutive
from torchlike._api.view_copies import as_strided_copy_function as as_strided_copy
from torchlike._api.view_copies import as_strided_scatter as as_strided_scatter
from torchlike._api.view_copies import slice_inverse as slice_inverse
from torchlike._api.view_copies import split_copy as split_copy
from torchlike._api.view_copies import split_with_sizes_copy as split_with_sizes_copy
from torchlike._api.view_copies import unbind_copy as unbind_copy
from torchlike._api.view_copies import unsafe_chunk as unsafe_chunk
from torchlike._api.view_copies import view_as_complex_copy as view_as_complex_copy
from torchlike._api.view_copies import view_copy as view_copy
from torchlike._api.vision import grid_sampler as grid_sampler
from torchlike._api.windows import bartlett_window as bartlett_window
from torchlike._api.windows import blackman_window as blackman_window
from torchlike._api.windows import hamming_window as hamming_window
from torchlike._api.windows import hann_window as hann_window
from torchlike._api.windows import kaiser_window as kaiser_window
from torchlike._api.writing import as_strided_ as as_strided_
from torchlike._api.writing import can_cast as can_cast
from torchlike._api.writing import fill as fill
from torchlike._api.writing import fill_ as fill_
from torchlike._api.writing import promote_types as promote_types
from torchlike._api.writing import resize_as_ as resize_as_
from torchlike._api.writing import result_type as result_type
from torchlike._api.writing import zero_ as zero_
from torchlike.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from torchlike.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from torchlike.autograd.anomaly_mode import set_anomaly_enabled as set_anomaly_enabled

__all__ = [
    "BFloat16Storage",
    "BFloat16Tensor",
    "BoolStorage",
    "BoolTensor",
    "ByteStorage",
    "ByteTensor",
    "CharStorage",
    "CharTensor",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "DoubleStorage",
    "DoubleTensor",
    "FloatStorage",
    "FloatTensor",
    "HalfStorage",
    "HalfTensor",
    "IntStorage",
    "IntTensor",
    "LongStorage",
    "LongTensor",
    "ShortStorage",
    "ShortTensor",
    "Storage",
    "_dirichlet_grad",
    "_foreach_abs",
    "_foreach_abs_",
    "_foreach_acos",
    "_foreach_acos_",
    "_foreach_add",
    "_foreach_add_",
    "_foreach_addcdiv",
    "_foreach_addcdiv_",
    "_foreach_addcmul",
    "_foreach_addcmul_",
    "_foreach_asin",
    "_foreach_asin_",
    "_foreach_atan",
    "_foreach_atan_",
    "_foreach_ceil",
    "_foreach_ceil_",
    "_foreach_clamp_max",
    "_foreach_clamp_max_",
    "_foreach_clamp_min",
    "_foreach_clamp_min_",
    "_foreach_clone",
    "_foreach_copy_",
    "_foreach_cos",
    "_foreach_cos_",
    "_foreach_cosh",
    "_foreach_cosh_",
    "_foreach_div",
    "_foreach_div_",
    "_foreach_erf",
    "_foreach_erf_",
    "_foreach_erfc",
    "_foreach_erfc_",
    "_foreach_exp",
    "_foreach_exp_",
    "_foreach_expm1",
    "_foreach_expm1_",
    "_foreach_floor",
    "_foreach_floor_",
    "_foreach_frac",
    "_foreach_frac_",
    "_foreach_lerp",
    "_foreach_lerp_",
    "_foreach_lgamma",
    "_foreach_lgamma_",
    "_foreach_log",
    "_foreach_log10",
    "_foreach_log10_",
    "_foreach_log1p",
    "_foreach_log1p_",
    "_foreach_log2",
    "_foreach_log2_",
    "_foreach_log_",
    "_foreach_max",
    "_foreach_maximum",
    "_foreach_maximum_",
    "_foreach_minimum",
    "_foreach_minimum_",
    "_foreach_mm",
    "_foreach_mul",
    "_foreach_mul_",
    "_foreach_neg",
    "_foreach_neg_",
    "_foreach_norm",
    "_foreach_pow",
    "_foreach_pow_",
    "_foreach_powsum",
    "_foreach_reciprocal",
    "_foreach_reciprocal_",
    "_foreach_round",
    "_foreach_round_",
    "_foreach_rsqrt",
    "_foreach_rsqrt_",
    "_foreach_sigmoid",
    "_foreach_sigmoid_",
    "_foreach_sign",
    "_foreach_sign_",
    "_foreach_sin",
    "_foreach_sin_",
    "_foreach_sinh",
    "_foreach_sinh_",
    "_foreach_sqrt",
    "_foreach_sqrt_",
    "_foreach_sub",
    "_foreach_sub_",
    "_foreach_tan",
    "_foreach_tan_",
    "_foreach_tanh",
    "_foreach_tanh_",
    "_foreach_trunc",
    "_foreach_trunc_",
    "_foreach_zero_",
    "_grouped_mm",
    "_sample_dirichlet",
    "_scaled_mm",
    "_scaled_mm_v2",
    "_segment_reduce",
    "_standard_gamma",
    "_standard_gamma_grad",
    "abs",
    "abs_",
    "absolute",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addmv_",
    "addr",
    "adjoint",
    "alias_copy",
    "all",
    "allclose",
    "alpha_dropout",
    "alpha_dropout_",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_",
    "as_strided_copy",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "baddbmm",
    "bartlett_window",
    "batch_norm",
    "bernoulli",
    "bilinear",
    "binary_cross_entropy_with_logits",
    "bincount",
    "binomial",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "ceil",
    "ceil_",
    "celu",
    "celu_",
    "chain_matmul",
    "channel_shuffle",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clip",
    "clip_",
    "clone",
    "column_stack",
    "combinations",
    "complex",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "conj_physical_",
    "constant_pad_nd",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "copysign",
    "corrcoef",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "ctc_loss",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "deg2rad",
    "deg2rad_",
    "det",
    "detach",
    "detach_",
    "detach_copy",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dropout",
    "dropout_",
    "dsmm",
    "dsplit",
    "dstack",
    "einsum",
    "embedding",
    "embedding_bag",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eq",
    "equal",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expand_copy",
    "expm1",
    "expm1_",
    "eye",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "fill",
    "fill_",
    "fix",
    "fix_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frac_",
    "frexp",
    "from_file",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gcd",
    "gcd_",
    "ge",
    "geqrf",
    "ger",
    "get_device",
    "gradient",
    "greater",
    "greater_equal",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "group_norm",
    "gt",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "hash_tensor",
    "heaviside",
    "histc",
    "histogram",
    "histogramdd",
    "hsplit",
    "hspmm",
    "hstack",
    "hypot",
    "i0",
    "i0_",
    "igamma",
    "igammac",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "inner",
    "instance_norm",
    "inverse",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_inference",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "kaiser_window",
    "kron",
    "kthvalue",
    "layer_norm",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mkldnn_rnn_layer",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "native_batch_norm",
    "native_group_norm",
    "native_layer_norm",
    "native_norm",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "nextafter",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "orgqr",
    "ormqr",
    "outer",
    "pairwise_distance",
    "pca_lowrank",
    "pdist",
    "permute",
    "permute_copy",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "prod",
    "promote_types",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rad2deg_",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "ravel",
    "real",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "remainder",
    "renorm",
    "repeat_interleave",
    "reshape",
    "resize_as_",
    "resize_as_sparse_",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "rms_norm",
    "roll",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "rsqrt_",
    "rsub",
    "saddmm",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "segment_reduce",
    "select",
    "select_copy",
    "select_scatter",
    "selu",
    "selu_",
    "set_anomaly_enabled",
    "set_default_tensor_type",
    "sgn",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "slice_copy",
    "slice_inverse",
    "slice_scatter",
    "slogdet",
    "smm",
    "softmax",
    "sort",
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "spmm",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "squeeze_copy",
    "sspaddmm",
    "stack",
    "std",
    "std_mean",
    "stft",
    "sub",
    "subtract",
    "sum",
    "svd",
    "svd_lowrank",
    "swapaxes",
    "swapdims",
    "t",
    "t_copy",
    "take",
    "take_along_dim",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "threshold_",
    "tile",
    "topk",
    "trace",
    "transpose",
    "transpose_copy",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "trunc_",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold_copy",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "view_as_complex",
    "view_as_complex_copy",
    "view_as_real",
    "view_as_real_copy",
    "view_copy",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "xlogy_",
    "zero_",
    "zeros",
    "zeros_like",
]
