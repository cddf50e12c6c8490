"""The campaign of files: a sample with a fixed seed, and that it sees planted errors."""

import math
import pickle
import random
import zipfile

import pytest

from tests.campaigns import checkpoints, files, mutations

QUIET = {"seconds": 0.0, "grown": 0, "acts": []}
LOADED = {**QUIET, "ended": "loaded", "digest": "a"}
RAISED = {**QUIET, "ended": "UnpicklingError", "kinds": ["UnpicklingError", "Exception"], "text": "could not"}
OTHER = {**RAISED, "ended": "KeyError", "kinds": ["KeyError", "LookupError", "Exception"]}


@pytest.mark.slow
def test_sample():
    report = files.run(7, math.inf, most=400)
    assert report.complaints() == []
    assert report.cases == 400 and len(report.points) > 150


@pytest.mark.slow
def test_the_files_themselves_are_read():
    with files.Session() as session:
        ours, theirs = session.processes
        for name, data in session.files.items():
            path = session.inside / "file"
            path.write_bytes(data)
            for how in files.HOW[name.split(" ")[0]]:
                answers = []
                for process in (ours, theirs):
                    process.ask(path, how)
                    answers.append(process.answer())
                assert files.complaint(how, *answers) is None, name
                assert answers[0]["ended"] == "loaded" or name == "tar" or how == "names" or "protocol 4" in name, name


@pytest.mark.parametrize(("ours", "theirs", "how", "told"), [
    (LOADED, LOADED, "weights", None), (RAISED, RAISED, "weights", None),
    (LOADED, RAISED, "weights", "loads what PyTorch refuses"), (RAISED, LOADED, "weights", "refuses what PyTorch loads"),
    ({**LOADED, "digest": "b"}, LOADED, "weights", "loads something else"), (OTHER, RAISED, "weights", "raises KeyError"),
    (OTHER, RAISED, "free", None), ({**RAISED, "acts": ["os.system"]}, RAISED, "weights", "it acts"),
    ({**RAISED, "seconds": 9.0}, RAISED, "weights", "takes 9 s"),
    ({**RAISED, "grown": 1 << 20}, RAISED, "weights", "takes 1024 MB"),
    ({"ended": "the process, with status -11"}, RAISED, "weights", "the process"),
    ({"ended": "no answer in 60 s"}, RAISED, "weights", "no answer"),
    (RAISED, {"ended": "the process, with status -11"}, "weights", None),
])
def test_complaints(ours, theirs, how, told):
    found = files.complaint(how, ours, theirs)
    assert found is None if told is None else found.startswith(told)


class Harm:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return open, (str(self.place), "w")


@pytest.mark.slow
def test_acts_and_ends_are_seen(tmp_path):
    """A file that is opened, a process that ends and one that does not answer."""
    with files.Session() as session:
        process, path = session.processes[0], tmp_path / "file"
        path.write_bytes(mutations.archived([("a/data.pkl", pickle.dumps(Harm(tmp_path / "harm"), 2)), ("a/version", b"3")],
                                            zipfile.ZIP_STORED))
        process.ask(path, "free")
        assert process.answer()["acts"][0].startswith("open ")
        process.ask(path, "weights")
        assert process.answer()["ended"] == "UnpicklingError"
        assert not (tmp_path / "harm").exists()
        process.ask(path, "no such way")
        assert process.answer()["ended"].startswith("the process, with status 1")
        process.begin()
        assert process.answer(1)["ended"] == "no answer in 1 s"


def test_mutations_are_those_of_the_seed():
    made = mutations.valid()
    names, drawn = set(), []
    for seed in range(150):
        first, again = (mutations.mutated(random.Random(seed), made) for _ in range(2))
        assert first == again
        names |= set(first[0].partition(": ")[2].split(", "))
        drawn.append(first[1] in made.values())
    assert len(names) > 20 and drawn.count(True) < 30
    changed = [checkpoints.mutated(random.Random(seed), checkpoints.valid())[1] for seed in range(10)]
    assert all(files != checkpoints.valid() for files in changed)


def test_what_is_marked_as_a_folder_is_not_compared(tmp_path):
    path = tmp_path / "archive"
    for attribute in (0, 0x10):
        with zipfile.ZipFile(path, "w") as archive:
            record = zipfile.ZipInfo("data")
            record.external_attr = attribute
            archive.writestr(record, b"12")
        assert files._has_folders(path) is bool(attribute)
    path.write_bytes(b"no archive")
    assert not files._has_folders(path)


def test_what_a_pickle_may_do_ends_both():
    ended = {"ended": "the process, with status 1", "kinds": (), "acts": [], "seconds": 0, "grown": 0}
    assert files.complaint("free", ended, ended) is None
    assert files.complaint("weights", ended, ended) == ended["ended"]
    assert files.complaint("free", ended, {**ended, "ended": "loaded"}) == ended["ended"]
