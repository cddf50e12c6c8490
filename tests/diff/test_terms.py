"""What a program says of its ranks, in comments."""

import pytest

from torchlike import cli
from torchlike._diff import driver, terms

TEXT = """
import torch
# torchlike diff: ranks 3
# torchlike diff: same loss, parts[*]
    # torchlike diff: by rank local.*.grad, x: each has its own: samples
# torchlike diff: not one process half.*: rounded
# another comment, of torchlike diff: nothing
"""


def test_what_is_read():
    said = terms.read(TEXT)
    assert (said.ranks, said.same) == (3, ("loss", "parts[*]"))
    assert said.by_rank == (("local.*.grad", "each has its own: samples"), ("x", "each has its own: samples"))
    assert said.others == (("half.*", "rounded"),)
    assert terms.read("import torch\n") == terms.Terms()


@pytest.mark.parametrize(("name", "kind", "judged", "by_rank", "other"), [
    ("loss", "output", True, "", ""), ("parts[0]", "number", True, "", ""), ("lossy", "output", False, "", ""),
    ("model.weight", "parameter", True, "", ""), ("model.mean", "buffer", True, "", ""), ("w.grad", "grad", True, "", ""),
    ("local.0.weight.grad", "grad", True, "each has its own: samples", ""),
    ("half.weight", "parameter", True, "", "rounded"),
    ("x", "output", True, "each has its own: samples", ""), ("xy", "output", False, "", ""),
])
def test_what_is_judged(name, kind, judged, by_rank, other):
    said = terms.read(TEXT)
    assert (said.is_judged(name, kind), said.why_by_rank(name), said.why_other(name)) == (judged, by_rank, other)


def test_names_that_nothing_has():
    assert terms.read(TEXT).unused(["loss", "parts[1]", "half.x"]) == ["local.*.grad", "x"]


@pytest.mark.parametrize(("said", "text"), [
    ("ranks 1", "no number of ranks"), ("ranks many", "no number of ranks"), ("ranks 65", "no number of ranks"),
    ("rank 2", "begins with none of ranks, same, by rank, not one process"),
    ("by rank x", "takes names, a colon and the reason"),
    ("not one process x:", "takes names, a colon and the reason"), ("same x: why", "takes names"), ("", "begins with none"),
])
def test_what_is_not_understood(said, text):
    with pytest.raises(terms.TermsError, match=text):
        terms.read(f"# torchlike diff: {said}\n")


def test_a_program_without_ranks_is_one_process():
    found = [terms.of_program(str(path)).ranks for path in driver.shipped_programs()]
    assert found.count(None) > 7 and found.count(2) > 4


@pytest.mark.parametrize(("options", "text"), [
    (["--ranks", "2"], "--ranks takes programs"), (["--ranks", "one", "p.py"], "'one' is no number of ranks"),
    (["--deep", "p.py"], "--deep runs one process, and p.py asks for several"), (["wrong.py"], "begins with none"),
    (["--against", "port.py:f", "--ranks", "2", "p.py"], "--against has no --ranks"),
])
def test_wrong_options(options, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(TEXT)
    (tmp_path / "wrong.py").write_text("# torchlike diff: unequal x\n")
    with pytest.raises(SystemExit) as left:
        cli.main(["diff", *options])
    assert left.value.code == 2
    assert text in capsys.readouterr().err
