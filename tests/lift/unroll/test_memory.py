"""Reads against the log of writes, and the banks of a memory seen as one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lift.netlist.model import Location, Memory
from lift.unroll import terms
from lift.unroll.memory import Assumption, Write, blend, conjunction, distinct, merge_banks, places, read, with_moved
from lift.unroll.terms import FALSE, TRUE, const, equal, load, sym

ADDRESS, DATA = sym("address", 4), sym("data", 8)
MASK = terms.apply("sext", 8, (sym("lane", 1),))


def memories(names: list[str], depth: int = 8) -> dict[str, Memory]:
    return {n: Memory(n, depth, 8, (), Location("", 0)) for n in names}


def test_a_read_of_the_address_written_gives_the_data() -> None:
    assert read((Write("m", ADDRESS, DATA, None, TRUE),), "m", 8, ADDRESS, list[Assumption]().append) is DATA


def test_a_conditional_write_may_leave_the_old_word() -> None:
    condition = sym("condition", 1)
    assert read((Write("m", ADDRESS, DATA, None, condition),), "m", 8, ADDRESS, list[Assumption]().append) is terms.mux(condition, DATA, load("m", 8, ADDRESS))


def test_a_masked_write_keeps_the_other_bits() -> None:
    found = read((Write("m", ADDRESS, DATA, MASK, TRUE),), "m", 8, ADDRESS, list[Assumption]().append)
    for lane in (0, 1):
        value = terms.evaluate(found, lambda t, v=lane: v if t.attr == "lane" else 0x5A, lambda *_: 0xC3)  # type: ignore[misc]
        assert value == (0x5A if lane else 0xC3)


def test_a_read_elsewhere_by_a_constant_offset_is_not_affected() -> None:
    assumed: list[Assumption] = []
    elsewhere = terms.apply("add", 4, (ADDRESS, const(1, 4)))
    assert read((Write("m", ADDRESS, DATA, None, TRUE),), "m", 8, elsewhere, assumed.append) is load("m", 8, elsewhere)
    assert assumed == []


def test_a_read_that_may_or_may_not_hit_is_assumed_to_miss_and_says_so() -> None:
    assumed: list[Assumption] = []
    other = sym("other", 4)
    word = read((Write("m", ADDRESS, DATA, None, TRUE),), "m", 8, other, assumed.append)
    assert word is load("m", 8, other)
    assert assumed == [Assumption(word, terms.negate(equal(ADDRESS, other)))]


def test_another_memory_is_not_looked_at() -> None:
    assumed: list[Assumption] = []
    read((Write("n", ADDRESS, DATA, None, TRUE),), "m", 8, sym("other", 4), assumed.append)
    assert assumed == []


@given(st.integers(0, 15), st.integers(0, 15))
def test_distinct_addresses_by_offset(a: int, b: int) -> None:
    first, second = (terms.apply("add", 4, (ADDRESS, const(n, 4))) for n in (a, b))
    assert distinct(first, second) is (a != b)


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_blending_takes_masked_bits_from_the_data(data: int, old: int, mask: int) -> None:
    assert blend(const(data, 8), const(old, 8), const(mask, 8)) is const(data & mask | old & ~mask & 0xFF, 8)


def test_banks_are_one_memory_with_the_bank_number_on_top() -> None:
    found = places(memories([f"bank[{i}].mem" for i in range(4)]))
    assert {(p.name, p.bank, p.banks) for p in found.values()} == {("bank.mem", i, 4) for i in range(4)}
    assert found["bank[2].mem"].address(const(5, 3)) is const(2 << 3 | 5, 5)


def test_three_memories_or_different_shapes_stay_apart() -> None:
    assert {p.banks for p in places(memories([f"bank[{i}].mem" for i in range(3)])).values()} == {1}
    mixed = {**memories(["bank[0].mem"]), **memories(["bank[1].mem"], depth=16)}
    assert {p.banks for p in places(mixed).values()} == {1}


def bank_writes(data: list[terms.Term], selector: terms.Term) -> tuple[Write, ...]:
    low, valid = sym("row", 3), sym("valid", 1)
    where = [terms.concat(const(i, 2), low) for i in range(4)]
    return tuple(Write("m", w, d, None, terms.both(valid, equal(selector, const(i, 2)))) for i, (w, d) in enumerate(zip(where, data, strict=True)))


def test_a_write_to_each_bank_under_its_number_is_one_write() -> None:
    selector = sym("selector", 2)
    (merged,) = merge_banks(bank_writes([DATA] * 4, selector), 4)
    assert merged == Write("m", terms.concat(selector, sym("row", 3)), DATA, None, sym("valid", 1))


def test_reading_and_writing_back_in_each_bank_is_one_write() -> None:
    selector, low = sym("selector", 2), sym("row", 3)
    old = [terms.apply("add", 8, (load("m", 8, terms.concat(const(i, 2), low)), DATA)) for i in range(4)]
    (merged,) = merge_banks(bank_writes(old, selector), 4)
    assert merged.data is terms.apply("add", 8, (load("m", 8, terms.concat(selector, low)), DATA))


def test_banks_that_do_different_things_stay_apart() -> None:
    data = [DATA, DATA, DATA, sym("another", 8)]
    assert len(merge_banks(bank_writes(data, sym("selector", 2)), 4)) == 4


@given(st.lists(st.sampled_from(["a", "b", "or", "c"]), max_size=5), st.integers(0, 7))
def test_a_conjunction_keeps_its_value(parts: list[str], bits: int) -> None:
    values = {"a": bits & 1, "b": bits >> 1 & 1, "c": bits >> 2 & 1}
    either = terms.apply("or", 1, (terms.negate(sym("a", 1)), sym("b", 1)))
    condition = TRUE
    for part in parts:
        condition = terms.both(condition, either if part == "or" else sym(part, 1))
    before, after = (terms.evaluate(t, lambda s: values[str(s.attr)], lambda *_: 0) for t in (condition, conjunction(condition)))
    assert before == after


def test_false_stays_false() -> None:
    assert conjunction(terms.both(sym("a", 1), terms.negate(sym("a", 1)))) is FALSE


# assumptions of loads whose addresses were simplified


def test_an_assumption_goes_along_with_a_load_that_is_simplified_under_a_condition() -> None:
    """The address of a row is known where the row is written; what was assumed of the load then holds of that address."""
    enabled, row, first = sym("enabled", 1), sym("row", 4), sym("first", 4)
    assumed: list[Assumption] = []
    word = read((Write("m", first, DATA, None, TRUE),), "m", 8, terms.mux(enabled, row, sym("elsewhere", 4)), assumed.append)
    (write,) = merge_banks((Write("m", row, terms.apply("add", 8, (word, DATA)), None, enabled),), 1)
    used = next(t for t in terms.walk(write.data) if t.op == "load")
    assert used is load("m", 8, row) and used is not word
    assert Assumption(used, terms.negate(equal(first, row))) in with_moved(assumed)


def test_an_assumption_goes_along_with_a_load_from_one_of_several_banks() -> None:
    row, first, bank = sym("row4", 4), sym("first4", 4), sym("bank", 1)
    assumed: list[Assumption] = []
    log = (Write("m", terms.concat(bank, first), DATA, None, TRUE),)
    writes = []
    for number in (0, 1):
        address = terms.concat(const(number, 1), row)
        chosen = terms.equal(bank, const(number, 1))
        writes.append(Write("m", address, terms.apply("add", 8, (read(log, "m", 8, address, assumed.append), DATA)), None, chosen))
    (write,) = merge_banks(tuple(writes), 2)
    used = load("m", 8, terms.concat(bank, row))
    assert used in terms.walk(write.data)
    assert terms.negate(equal(terms.concat(bank, first), terms.concat(bank, row))) in [a.condition for a in with_moved(assumed) if a.word is used]


def test_an_assumption_of_a_load_that_stands_is_kept_as_it_is() -> None:
    word = load("other", 8, ADDRESS)
    assumption = Assumption(word, terms.negate(equal(ADDRESS, sym("somewhere", 4))))
    assert with_moved((assumption,)) == (assumption,)
