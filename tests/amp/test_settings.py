"""The settings of autocast, its arguments, warnings and errors."""

import pytest

from tests.amp.making import check

_CALLS = """
torch.is_autocast_enabled()
torch.is_autocast_enabled('cpu')
torch.is_autocast_enabled(device_type='cpu')
torch.is_autocast_enabled(1)
torch.is_autocast_enabled('meta')
torch.is_autocast_enabled('foo')
torch.set_autocast_enabled(False)
torch.set_autocast_enabled('cpu', False)
torch.set_autocast_enabled(device_type='cpu', enabled=False)
torch.set_autocast_enabled(enabled=False)
torch.set_autocast_enabled('cpu', 1)
torch.set_autocast_enabled(1)
torch.set_autocast_enabled('cpu')
torch.set_autocast_enabled()
torch.set_autocast_enabled('meta', True)
torch.is_autocast_cpu_enabled()
torch.set_autocast_cpu_enabled(False)
torch.set_autocast_cpu_enabled(1)
torch.get_autocast_dtype('cpu')
torch.get_autocast_dtype('cuda')
torch.get_autocast_dtype('xpu')
torch.get_autocast_dtype('vulkan')
torch.get_autocast_dtype(1)
torch.set_autocast_dtype('cpu', torch.bfloat16)
torch.set_autocast_dtype('cpu', 1)
torch.get_autocast_gpu_dtype()
torch.get_autocast_cpu_dtype()
torch.set_autocast_gpu_dtype(torch.float16)
torch.set_autocast_gpu_dtype(1)
torch.set_autocast_cpu_dtype(torch.bfloat16)
torch.set_autocast_cpu_dtype(1)
torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
torch.clear_autocast_cache()
torch.is_autocast_cache_enabled()
torch.set_autocast_cache_enabled(True)
torch.set_autocast_cache_enabled(1)
torch.amp.is_autocast_available('cpu')
torch.amp.is_autocast_available('vulkan')
torch.amp.is_autocast_available('meta')
torch.amp.is_autocast_available('foo')
torch.amp.is_autocast_available(3)
torch.autocast('foo')
torch.autocast('vulkan', torch.float16)
torch.autocast(3)
torch.autocast()
torch.autocast('cuda')._enabled
torch.autocast('cpu', torch.float64)._enabled
torch.autocast('cpu', 3)._enabled
torch.autocast('cpu:0', torch.float64)._enabled
torch.autocast('mps', torch.float32)._enabled
torch.autocast('cpu', dtype=torch.float16).fast_dtype
torch.autocast('cpu')(3)
torch.cuda.amp.autocast()._enabled
torch.cpu.amp.autocast().fast_dtype
torch.cuda.amp.GradScaler().is_enabled()
torch.cpu.amp.GradScaler().is_enabled()
torch.cuda.amp.custom_fwd(len) and None
torch.cuda.amp.custom_bwd(len) and None
torch.amp.custom_fwd(device_type=3)
torch.amp.custom_bwd(device_type=3)
torch.cuda.amp.common.amp_definitely_not_available()
torch.amp.autocast is torch.autocast is torch.amp.autocast_mode.autocast
torch.amp.GradScaler is torch.GradScaler is torch.amp.grad_scaler.GradScaler
torch.amp.GradScaler().is_enabled()
torch.amp.GradScaler('cpu', growth_factor=1.0)
torch.amp.GradScaler('cpu', backoff_factor=1.0)
"""


@pytest.mark.parametrize("call", _CALLS.strip().splitlines())
def test_calls(call):
    check(lambda torch: eval(call, {"torch": torch}))


def test_inside():
    def program(torch):
        seen = []
        with torch.autocast("cpu", torch.float16, cache_enabled=False):
            seen.append((torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled(), torch.get_autocast_dtype("cpu"),
                         torch.is_autocast_cache_enabled()))
            with torch.autocast("cpu", enabled=False):
                seen.append((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
                with torch.autocast("cpu", torch.bfloat16):
                    seen.append((torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
            seen.append(torch.is_autocast_enabled("cpu"))
        return seen, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()

    check(program)


def test_set_by_hand():
    def program(torch):
        x = torch.ones(2, 2)
        torch.set_autocast_enabled("cpu", True)
        torch.set_autocast_dtype("cpu", torch.float16)
        inside = x @ x
        torch.set_autocast_dtype("cpu", torch.bfloat16)
        torch.set_autocast_enabled("cpu", False)
        return inside, x @ x

    check(program)


def test_an_error_ends_the_region():
    def program(torch):
        try:
            with torch.autocast("cpu"):
                raise KeyError
        except KeyError:
            return torch.is_autocast_enabled("cpu"), torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()

    check(program)
