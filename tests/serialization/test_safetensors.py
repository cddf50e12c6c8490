"""safetensors' own functions for PyTorch, with torchlike installed as torch: each library reads the other's files."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("safetensors")

WRITE = """
import sys, torch
from safetensors.torch import save, save_file, save_model
torch.manual_seed(0)
m = torch.nn.Linear(3, 2)
tensors = {"half": torch.arange(4).to(torch.bfloat16), "bool": torch.tensor([True, False]), "scalar": torch.tensor(2.5),
           "int": torch.arange(6).view(2, 3), "part": torch.arange(10.)[2:5].clone(), "empty": torch.zeros(0, 3),
           **m.state_dict()}
save_file(tensors, sys.argv[1], metadata={"a": "b"})
save_model(torch.nn.Sequential(m, torch.nn.BatchNorm1d(2)), sys.argv[1] + ".model")
assert save(tensors)
for bad in ({"x": m.weight.t()}, {"x": m.weight, "y": m.weight}):
    try:
        save_file({k: v.detach() for k, v in bad.items()}, sys.argv[1] + ".bad")
    except Exception as error:
        print(type(error).__name__, str(error)[:60])
"""
READ = """
import sys, torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model
for found in (load_file(sys.argv[1]), load(open(sys.argv[1], "rb").read())):
    print({name: (str(x.dtype), tuple(x.shape), x.tolist()) for name, x in sorted(found.items())})
with safe_open(sys.argv[1], framework="pt") as file:
    print(file.metadata(), sorted(file.keys()), file.get_slice("int")[:, 1:].tolist())
m = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
print(load_model(m, sys.argv[1] + ".model"), m[0].weight.tolist(), m[1].running_var.tolist())
"""


def _run(program, library, path):
    install = "import torchlike; torchlike.install()\n" if library == "torchlike" else ""
    done = subprocess.run([sys.executable, "-c", install + textwrap.dedent(program), str(path)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_files_go_both_ways(tmp_path):
    said = {lib: _run(WRITE, lib, tmp_path / lib) for lib in ("torch", "torchlike")}
    assert said["torchlike"] == said["torch"]
    assert (tmp_path / "torchlike").read_bytes() == (tmp_path / "torch").read_bytes()
    told = {(reader, writer): _run(READ, reader, tmp_path / writer)
            for reader in ("torch", "torchlike") for writer in ("torch", "torchlike")}
    assert len(set(told.values())) == 1, told
