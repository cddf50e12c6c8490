"""Settings of the process."""

import pytest

import torchlike as torch
from torchlike._base import config


def test_configure_lasts_until_its_block_ends():
    before = config.settings.hot
    with torch.configure(hot=before + 1) as settings:
        assert settings.hot == config.settings.hot == before + 1
    assert config.settings.hot == before


def test_configure_lasts_without_a_block():
    before = config.settings.patience
    torch.configure(patience=0.0)
    try:
        assert config.settings.patience == 0.0
    finally:
        torch.configure(patience=before)
    assert config.settings.patience == before


@pytest.mark.parametrize(("changes", "error"), [({"warm": 1}, TypeError), ({"hot": 7, "compile": "soon"}, ValueError)])
def test_what_is_wrong_changes_nothing(changes, error):
    before = repr(config.settings)
    with pytest.raises(error):
        torch.configure(**changes)
    assert repr(config.settings) == before
