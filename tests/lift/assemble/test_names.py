"""Names of the specification: no word of the language, none twice."""

from __future__ import annotations

from lift.assemble.leaves import Leaves, Registers
from lift.unroll import terms


def leaves(names: dict[tuple[str, int, int], str]) -> Leaves:
    return Leaves({"bits": 32}, Registers({}), names)


def test_a_field_that_is_called_like_a_clause_gets_its_bit_in_its_name() -> None:
    found = leaves({("bits", 4, 8): "after"})
    found.part(("bits", 4, 8))
    assert list(found.fields.values()) == ["after_4"]


def test_in_an_address_a_whole_field_stands_for_its_low_bits() -> None:
    low = terms.extract(terms.sym("bits", 32), 4, 6)
    for bits, expected in ((6, "size"), (8, "size_4")):
        found = leaves({("bits", 4, 8): "size", ("bits", 4, 6): "size_4"})
        found.within(bits, lambda found=found: found.expr(low))
        assert list(found.fields.values()) == [expected]


def test_where_fields_overlap_the_bits_that_are_used_are_one() -> None:
    low = terms.extract(terms.sym("bits", 32), 4, 6)
    found = leaves({("bits", 4, 8): "size"})
    found.narrow = True
    found.within(6, lambda: found.expr(low))
    assert list(found.fields) == [("bits", 4, 6)]
