"""Memory that arrays had is there for the next ones, without page faults."""

import platform
import subprocess
import sys

import pytest

_FAULTS = """
import resource
import numpy as np
if {keeps}:
    import torchlike

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        arrays = [np.ones(1 << 18, np.float32) for _ in range(20)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="about glibc's malloc")
@pytest.mark.slow
def test_freed_memory_is_kept():
    def faults(keeps):
        return int(subprocess.run([sys.executable, "-c", _FAULTS.format(keeps=keeps)], capture_output=True, text=True,
                                  check=True, timeout=120).stdout)

    assert faults(keeps=True) < faults(keeps=False) / 10
