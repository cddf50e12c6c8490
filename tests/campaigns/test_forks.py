"""The campaign of processes: a sample, and that it sees planted errors."""

import math

import pytest

from tests.campaigns import forked, forks

ROUND = {"preparations": ["views"], "meanwhile": "nothing", "place": "plain", "method": "processes by fork",
         "actions": ["read", "view"], "ending": "sys.exit"}
GIVEN = {"seed": 0, "settings": {}, "rounds": [ROUND]}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_sample():
    report = forks.run(0, math.inf, most=4)
    assert report.complaints() == []
    assert report.cases == 12 and len(report.points) > 12


@pytest.mark.slow
def test_planted_errors_are_seen(monkeypatch):
    forks._in_pytorch.cache_clear()
    with monkeypatch.context() as planted:
        planted.setitem(forked.ACTIONS, "view", lambda state: state.base.tolist())
        value, = forks.examined(GIVEN)
    forks._in_pytorch.cache_clear()
    with monkeypatch.context() as planted:
        planted.setitem(forked.ENDINGS, "sys.exit", 0)
        end, = forks.examined(GIVEN)
    monkeypatch.setattr(forks, "LIMIT", 0.1)
    hang, = forks.examined(GIVEN)
    assert value.what.startswith("'view' of a child: ") and end.what == "ended with [3, 3]"
    assert hang.where == "processes by fork: status hung"
