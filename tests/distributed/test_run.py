"""``torchlike run --nproc-per-node``: what workers see beside torchrun's, what is shown, and the arguments."""

import json
import os
import subprocess
import sys

import pytest
from torch.distributed import run as theirs

from tests.distributed.launching import COMMAND, ROOT, Launcher, environment, run
from torchlike.distributed import run as ours

SHOW = "import json, os, sys; sys.stdout.write(json.dumps([dict(os.environ), sys.argv[1:]]) + '\\n')"
OTHER_EACH_TIME = {"MASTER_PORT", "TORCHELASTIC_ERROR_FILE", "TORCHELASTIC_RUN_ID"}


def shown(text: str) -> list:
    """The environments and arguments that workers have printed, by rank, without what is of this machine."""
    found = [json.loads(line[line.index("[{"):]) for line in text.splitlines() if "[{" in line]
    before = environment()
    told = [({name: "" if name in OTHER_EACH_TIME else value for name, value in variables.items()
              if before.get(name) != value}, arguments) for variables, arguments in found]
    return sorted(told, key=lambda each: each[0]["RANK"])


@pytest.mark.slow
def test_workers_see_what_torchruns_see(tmp_path):
    flags = ["--nproc-per-node", "2", "--role", "trainer", "--max_restarts=3"]
    status, out, _ = run(tmp_path, SHOW, *flags, arguments=["a", "--nnodes", "7"])
    assert status == 0
    real = subprocess.run([sys.executable, "-m", "torch.distributed.run", *flags, str(tmp_path / "program_of_ranks.py"),
                           "a", "--nnodes", "7"], env=environment(), text=True, capture_output=True, check=True)
    assert shown(out) == shown(real.stdout)
    assert len(shown(out)) == 2
    assert "OMP_NUM_THREADS" in shown(out)[0][0]


def test_one_worker_keeps_its_threads_and_has_no_prefix(tmp_path):
    status, out, err = run(tmp_path, "import os; print(os.environ.get('OMP_NUM_THREADS'), os.environ['WORLD_SIZE'])",
                           "--standalone")
    assert (status, out, err) == (0, "None 1\n", "")


OURS = """
import os, sys
import torch
rank = int(os.environ["RANK"])
print(torch.linalg.__spec__.name.partition(".")[0], torch.distributed.is_available.__module__ == "torch.distributed",
      torch.distributed.is_torchelastic_launched(), torch.distributed.get_node_local_rank(), sys.argv[1:],
      __name__)
if rank == 1:
    raise ValueError("no such batch")
import time
time.sleep(30)
"""


@pytest.mark.slow
def test_a_program_of_torchs_and_its_error(tmp_path):
    launcher = Launcher(tmp_path, OURS, "--nproc-per-node", "2", ours=True, arguments=["--x"])
    status, out, err = launcher.end()
    assert status == 1
    assert sorted(out.splitlines()) == [f"[rank{rank}]: torchlike True True {rank} ['--x'] __main__" for rank in (0, 1)]
    told = [line.removeprefix("[rank1]: ") for line in err.splitlines() if line.startswith("[rank1]: ")]
    assert told[0] == "Traceback (most recent call last):"
    assert "program_of_ranks.py\", line 9, in <module>" in told[1]  # nothing of torchlike's before it
    assert told[-1] == "ValueError: no such batch"
    assert err.count("Traceback") == 1
    assert "torchlike run: ended: rank 0" in err


@pytest.mark.slow
def test_modules_notebooks_and_errors_before_the_program(tmp_path):
    (tmp_path / "job.py").write_text("import torch, sys\nprint(torch.UnsupportedError.__module__, sys.argv[1:], __name__)\n"
                                     "raise KeyError('k')\n")
    done = subprocess.run([*COMMAND, "-m", "job", "1"], cwd=tmp_path, env=environment(), text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (1, "torchlike ['1'] __main__\n")
    assert done.stderr.count("Traceback") == 1
    assert "KeyError: 'k'" in done.stderr
    cells = [{"cell_type": "code", "source": ["import torch\n", "print(torch.ones(1))"]}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    done = subprocess.run([*COMMAND, "--nproc-per-node=1", "n.ipynb"], cwd=tmp_path, env=environment(), text=True,
                          capture_output=True, check=True)
    assert done.stdout == "tensor([1.])\n"
    done = subprocess.run([*COMMAND, "-m", "nosuchmodule"], cwd=tmp_path, env=environment(), text=True, capture_output=True)
    assert done.returncode == 1
    assert "No module named" in done.stderr


def test_lines_stay_whole(tmp_path):
    program = """
import os, sys, time
rank = os.environ["RANK"]
for index in range(200):
    for part in ("a" * 30, rank, "b" * 30, "\\n"):
        sys.stdout.write(part)
        sys.stdout.flush()
sys.stderr.write("10%\\r20%\\r")
sys.stdout.write("no end")
"""
    status, out, err = run(tmp_path, program, "--nproc-per-node", "3")
    assert status == 0
    wanted = {f"[rank{rank}]: {text}" for rank in range(3) for text in (f"{'a' * 30}{rank}{'b' * 30}", "no end")}
    assert set(out.splitlines()) == wanted
    assert len(out.splitlines()) == 603
    assert set(err.splitlines()) == {  # the carriage returns, as Python reads them
        f"[rank{rank}]: {part}" for rank in range(3) for part in ("10%", "20%")}


@pytest.mark.slow
def test_log_files(tmp_path):
    program = "import os, sys; print('out', os.environ['RANK']); print('err', file=sys.stderr)"
    logs = tmp_path / "logs"
    status, out, err = run(tmp_path, program, "--nproc-per-node=3", "-r", "0:3,1:1", "-t", "2:1", f"--log-dir={logs}",
                           "--local-ranks-filter", "1,2", "--rdzv-id", "job")
    assert status == 0
    assert sorted(out.splitlines()) == ["[rank2]: out 2"]
    assert sorted(err.splitlines()) == ["[rank1]: err", "[rank2]: err"]
    found = {str(path.relative_to(logs)).partition("/")[2]: path.read_text() for path in logs.rglob("*.log")}
    assert found == {"attempt_0/0/stdout.log": "out 0\n", "attempt_0/0/stderr.log": "err\n",
                     "attempt_0/1/stdout.log": "out 1\n", "attempt_0/2/stdout.log": "out 2\n"}
    assert [path.name.startswith("job_") for path in logs.iterdir()] == [True]


def test_the_launcher_does_not_import_jax(tmp_path):
    code = (f"import importlib.util, sys; s = importlib.util.spec_from_file_location('c', {COMMAND[2]!r}); "
            "m = importlib.util.module_from_spec(s); s.loader.exec_module(m); "
            "sys.argv = ['torchlike', 'run', '--nproc-per-node', '2', '--no-python', 'true']; status = m.main(); "
            "print(status, sorted({'jax', 'numpy', 'torchlike.cli'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", code], env=environment(), text=True, capture_output=True, check=True)
    assert done.stdout == "0 []\n"


def told(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - compared
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("given", [["x.py"], ["--nproc_per_node=4", "--nnodes", "2", "--node_rank=1", "x.py", "--lr", "1"],
                                   ["--rdzv_backend=c10d", "--rdzv-endpoint=h:1", "-m", "pkg.mod", "-m"],
                                   ["--standalone", "--no_python", "--run-path", "-r", "3", "--tee=1", "x"]])
def test_arguments_mean_what_torchruns_mean(given, monkeypatch):
    monkeypatch.setenv("PET_MAX_RESTARTS", "5")
    monkeypatch.setenv("PET_MONITOR_INTERVAL", "0.5")
    monkeypatch.setenv("PET_RDZV_ID", "run7")
    monkeypatch.setenv("PET_LOG_DIR", "logs")
    found, wanted = (vars(d.parse_args(given)) for d in (ours, theirs))
    named = {name: value for name, value in wanted.items() if name in found and value is not None}
    missing = {"event_log_handler", "numa_binding", "logs_specs", "duplicate_stdout_filters", "duplicate_stderr_filters"}
    others = {name for name in named if found[name] != named[name]} - missing
    assert others <= {"node_rank"}  # 0 where it is not given
    assert set(wanted) | {"devices"} == set(found)  # torchlike's own


def test_numbers_of_nodes_and_workers(monkeypatch):
    for text in ("3", "1:4", "1:2:3", "x"):
        assert told(ours.parse_min_max_nnodes, text) == told(theirs.parse_min_max_nnodes, text)
    for text in ("3", "cpu", "gpu", "auto", "many"):
        assert told(ours.determine_local_world_size, text) == told(theirs.determine_local_world_size, text)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,2,3")
    assert ours.determine_local_world_size("gpu") == 3
    assert ours.determine_local_world_size("auto") == 3


@pytest.mark.parametrize(("flags", "text"), [
    (["--nproc-per-node", "many", __file__], "Unsupported nproc_per_node value: many"),
    (["--nproc-per-node", "0", __file__], "there is one worker at least"),
    (["--nnodes", "3:2", __file__], "min_nodes must be > 0 and <= max_nodes"),
    (["--nnodes", "1:2", __file__], "needs --rdzv-backend c10d"),
    (["--max-restarts", "-1", __file__], "max_restarts must be >= 0"),
    (["--no-python", "-m", "x"], "Don't use both"),
    (["-r", "7", __file__], "7 is not 0, 1, 2, 3"),
    (["--logs-specs", "x", __file__], "not supported: --logs-specs"),
    (["nosuchfile.py"], "can't open file 'nosuchfile.py'"),
    (["--nosuchflag", __file__], "nosuchflag"),
])
def test_wrong_arguments(flags, text, capsys):
    with pytest.raises(SystemExit) as left:
        ours.main(flags)
    assert left.value.code == 2
    assert text in capsys.readouterr().err


@pytest.mark.slow
def test_the_older_form_gives_local_ranks(tmp_path):
    program = tmp_path / "p.py"
    program.write_text("import sys; print(sys.argv[1:])")
    code = ("import sys, types; m = types.ModuleType('torchlike'); m.__path__ = [sys.argv[1] + '/torchlike']; "
            "d = types.ModuleType('torchlike.distributed'); d.__path__ = [m.__path__[0] + '/distributed']; "
            "sys.modules.update({m.__name__: m, d.__name__: d}); import torchlike.distributed.run as run, "
            "torchlike.distributed.launch as launch; run.sys.executable; "
            "run._command = lambda args, old=run._command: [sys.executable, *old(args)[5:]]; "
            "sys.exit(launch.main(['--nproc-per-node=2', *sys.argv[2:]]))")
    done = subprocess.run([sys.executable, "-c", code, ROOT, str(program), "--x"], env=environment(), text=True,
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[rank0]: ['--local-rank=0', '--x']", "[rank1]: ['--local-rank=1', '--x']"]
    assert "torch.distributed.launch is deprecated" in done.stderr
    assert os.path.exists(program)
