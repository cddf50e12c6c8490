"""A process that computes for a campaign, so that a crash or a hang is a finding and nothing more."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]


def finished(module: str, given: dict, limit: float) -> tuple:
    """Output, errors and status of a program; what does not end in time shows where it is, and is killed with its children.

    Args:
        module: what is run.
        given: its argument, as JSON.
        limit: seconds; where they are over the status is "hung".
    """
    command = [sys.executable, "-X", "faulthandler", "-m", module, json.dumps(given)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGABRT)  # each shows where it is
            time.sleep(2)
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            return out, errors, "hung"
    return out, errors, process.returncode
