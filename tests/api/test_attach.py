"""A public name has one owner, which is known when torchlike is imported."""

import types

import pytest

from torchlike._api.attach import check_owners
from torchlike._ops.table import ROWS, Row, add


def family(**kinds):
    made = types.ModuleType("family")
    vars(made).update(kinds)
    return made


def test_owner_is_known():
    check_owners([family(FUNCTIONS={"sort": sorted}, METHODS={"len": len})], {"sort": sorted}, {"len": len})


@pytest.mark.parametrize("kind", ["FUNCTIONS", "NN", "METHODS", "PROPERTIES"])
@pytest.mark.parametrize("listed", [{"sort": len}, {}], ids=["of another", "not listed"])
def test_second_owner_is_refused(kind, listed):
    with pytest.raises(ValueError, match=f"sort, which is in {kind} of family"):
        check_owners([family(**{kind: {"sort": sorted}})], listed, listed)


def test_two_families_with_a_name():
    both = [family(FUNCTIONS={"sort": sorted}), family(FUNCTIONS={"sort": len})]
    with pytest.raises(ValueError, match="sort, which is in FUNCTIONS"):
        check_owners(both, {"sort": sorted}, {})


@pytest.mark.parametrize("name", ["tanh", "view_copy"])
def test_second_row_of_a_name_is_refused(name):
    row = ROWS[name]
    with pytest.raises(ValueError, match=f"a second row named {name}"):
        add(Row(name, row.fn, row.schema))
    assert ROWS[name] is row
