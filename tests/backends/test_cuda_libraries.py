"""`torch.backends.cuda`, `mkl` and `mps`: what they say of libraries, compared with PyTorch's build for the CPU."""

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.cuda.standin import printed

without_gpu = pytest.mark.skipif(torchlike.cuda.is_available(), reason="what PyTorch's CPU build says without a GPU")
PREFERENCES = ("preferred_blas_library", "preferred_linalg_library", "preferred_rocm_fa_library")
VALUES = (None, "default", "cublas", "cublaslt", "hipblas", "hipblaslt", "ck", "cusolver", "magma", "aotriton", "nosuch", 3)
SETTINGS = {
    "allow_fp16_reduced_precision_reduction": (False, True, (False,), [False, False], (True, True), (True, False), (), 3,
                                               (True, True, True), (True, 1)),
    "allow_bf16_reduced_precision_reduction": (False, (False, False)), "allow_fp16_accumulation": (True, 3),
    "allow_fp16_reduced_precision_reduction_split_k": (False,), "nosuch": (1,), "allow_tf32": (3,),
}


def described(member):
    return repr(member), member.name, member.value


def attempt(call):
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error)


@pytest.mark.parametrize("name", PREFERENCES)
def test_preferences(name):
    theirs = [attempt(lambda value=value: described(getattr(torch.backends.cuda, name)(value))) for value in VALUES]
    mine = [attempt(lambda value=value: described(getattr(torchlike.backends.cuda, name)(value))) for value in VALUES]
    assert mine == theirs
    kinds = [type(getattr(lib.backends.cuda, name)()).__members__ for lib in (torch, torchlike)]
    assert [*map(described, kinds[1].values())] == [*map(described, kinds[0].values())]
    for each in kinds[0]:
        both = zip((torch, torchlike), kinds, strict=True)
        found = [attempt(lambda lib=lib, kind=kind, each=each: described(getattr(lib.backends.cuda, name)(kind[each])))
                 for lib, kind in both]
        assert found[0] == found[1]
    for lib in (torch, torchlike):
        getattr(lib.backends.cuda, name)("default")


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_products(name):
    def outcomes(lib):
        matmul, names = lib.backends.cuda.matmul, [each for each in SETTINGS if each != "nosuch"]
        found = []
        for value in SETTINGS[name]:
            found.append(attempt(lambda value=value: setattr(matmul, name, value)))
            found.append([getattr(matmul, each) for each in names])
        matmul.allow_fp16_reduced_precision_reduction = matmul.allow_bf16_reduced_precision_reduction = True
        matmul.allow_fp16_accumulation = False
        return found, attempt(lambda: matmul.nosuch)

    check(outcomes, tolerance=EXACT)


SAME = {
    "unknown": lambda lib: lib.backends.cuda.blas_workspace_size(backend="nosuch"),
    "no name": lambda lib: lib.backends.cuda.blas_workspace_size(backend=3),
    "ck": lambda lib: lib.backends.cuda.blas_workspace_size(backend="ck"),
    "plans of a GPU": lambda lib: lib.backends.cuda.cufft_plan_cache[0],
    "plans of no GPU": lambda lib: lib.backends.cuda.cufft_plan_cache[-1],
    "plans of None": lambda lib: lib.backends.cuda.cufft_plan_cache[None],
    "plans of the CPU": lambda lib: lib.backends.cuda.cufft_plan_cache["cpu"],
    "plans": lambda lib: lib.backends.cuda.cufft_plan_cache.size,
    "cleared": lambda lib: lib.backends.cuda.cufft_plan_cache.clear(),
    "set": lambda lib: setattr(lib.backends.cuda.cufft_plan_cache, "max_size", 3),
    "caches": lambda lib: lib.backends.cuda.cufft_plan_cache.caches,
    "size": lambda lib: setattr(lib.backends.cuda.cuFFTPlanCache(0), "size", 3),
    "mkl": lambda lib: (lib.backends.mkl.VERBOSE_ON, lib.backends.mkl.VERBOSE_OFF,
                        lib.backends.mkl.verbose(0).__enter__(), lib.backends.mkl.verbose(1).__exit__(None, None, None)),
}


@without_gpu
@pytest.mark.parametrize("name", SAME)
def test_as_pytorch_without_a_gpu(name):
    check(SAME[name], tolerance=EXACT)


@without_gpu
def test_where_pytorch_stumbles():
    for call in (lambda b: b.cuda.cublas_workspace_size(), lambda b: b.cuda.cublaslt_workspace_size(3),
                 lambda b: b.cuda.blas_workspace_size(backend="cublas")):
        with pytest.raises(AttributeError):
            call(torch.backends)
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            call(torchlike.backends)
    for lib, error in ((torch, AttributeError), (torchlike, RuntimeError)):
        for name in ("get_name", "get_core_count"):
            with pytest.raises(error):
                getattr(lib.backends.mps, name)()


def test_plans_are_refused():
    for call in ("size", "max_size", "clear"):
        with pytest.raises(RuntimeError):
            getattr(torch.backends.cuda.cuFFTPlanCache(0), call)()
        with pytest.raises(torchlike.UnsupportedError):
            getattr(torchlike.backends.cuda.cuFFTPlanCache(0), call)()
    assert not hasattr(torchlike.backends.cuda.cufft_plan_cache, "nosuch")


@pytest.mark.slow
def test_with_a_gpu():
    assert printed("""
b = torch.backends.cuda
print(error(lambda: b.cublas_workspace_size()), error(lambda: b.cufft_plan_cache.size))
print(b.cufft_plan_cache[1].device_index, b.cufft_plan_cache.device_index, error(lambda: b.cufft_plan_cache[2]))
""") == ["UnsupportedError: torch.backends.cuda.cublas_workspace_size is not supported: XLA has NVIDIA's libraries to "
         "itself "
         "UnsupportedError: torch.backends.cuda.cuFFTPlanCache is not supported: XLA has cuFFT to itself",
         "1 0 RuntimeError: cufft_plan_cache: expected 0 <= device index < 2, but got device with index 2"]


# -- attention

def test_a_call_of_attention():
    def outcomes(lib):
        q, b = lib.ones(1, 2, 3, 4), lib.backends.cuda
        call = b.SDPAParams(q, q, q, None, 0.5, True, False)
        return (call.query is q, call.key is q, call.value is q, call.attn_mask, call.dropout, call.is_causal,
                call.enable_gqa, b.can_use_flash_attention(call), b.can_use_flash_attention(call, True),
                b.can_use_cudnn_attention(call), b.can_use_efficient_attention(call), b.is_ck_sdpa_available())

    check(outcomes, tolerance=EXACT)


def test_sdp_kernel():
    def state(b):
        return b.flash_sdp_enabled(), b.math_sdp_enabled(), b.mem_efficient_sdp_enabled(), b.cudnn_sdp_enabled()

    def outcomes(lib):
        b = lib.backends.cuda
        with b.sdp_kernel(enable_flash=False, enable_cudnn=False) as got:
            inside = state(b)
        return got, inside, state(b)

    check(outcomes, tolerance=EXACT)
