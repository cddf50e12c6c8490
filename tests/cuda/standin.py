"""Programs with a second CPU device of JAX's in the place of a GPU: what is about devices can be tested without one."""

import subprocess
import sys

PRELUDE = """
import os, sys
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=3"
import jax
import torchlike as torch
sys.modules["torchlike._compile.backends.xla_cuda"].gpu_devices = lambda: tuple(jax.devices()[1:])
def error(action):
    try:
        action()
    except Exception as e:
        return f"{type(e).__name__}: {e}"
"""


def printed(program: str) -> list:
    """The lines that it prints."""
    command = [sys.executable, "-W", "error", "-c", PRELUDE + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
