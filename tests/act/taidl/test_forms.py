"""Tokens, units, macros, look-ups, predicates, order and named constants: read, printed and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from act.taidl import Lookup, TaidlErrors, beyond_selection, load, parse, print_text, to_python

FORMS = (Path(__file__).parent / "forms.taidl").read_text()


def test_all_forms_are_read_printed_and_hold() -> None:
    assert print_text(load(FORMS)) == FORMS


def test_a_look_up_is_part_of_a_coordinate() -> None:
    coordinate = parse(FORMS).instructions["gather_add"].reads[0].slice.coordinates[0]
    assert isinstance(coordinate.left, Lookup) and coordinate.left.buffer == "uops"


def test_named_constants_are_put_in_where_they_stand() -> None:
    named = FORMS.replace("accelerator forms\n", "accelerator forms\n\nconstant ROWS = 8\nconstant BYTES = ROWS * 8\n")
    named = named.replace("n = 8, addr = addr + 64 * t", "n = ROWS, addr = addr + BYTES * t").replace("[32][8]", "[4 * ROWS][ROWS]")
    assert parse(named.replace("s8[`n`, 8] bitcast", "s8[`n`, `ROWS`] bitcast").replace("`8`", "8")).buffers == parse(FORMS).buffers
    assert parse(named) == parse(FORMS)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("pop     free", "pop     fre", "'fre' is no token (known: loaded, free)"),
        ("on      load\n  encode  op = 1", "on      store\n  encode  op = 1", "'store' is no unit (known: load, compute)"),
        ("push    free if last", "push    free if lost", "'lost' is no attribute and no register named by 'use'"),
        ("before  keep_positive", "before  keep", "'keep' is no instruction"),
        ("rows[uops[i] & 31]", "rows[uop[i] & 31]", "'uop' is no buffer"),
        ("rows[uops[i] & 31]", "rows[uops[i, 0] & 31]", "is no integer of a buffer with 1 dimensions"),
        ("1 <= n and n <= 64", "1 <= n and n <= uops[0]", "looks into a buffer, which only the coordinates of slices can"),
        ("= %x if %positive", "= %x if %pads", "the predicate '%pads' must be a tensor of pred with the dimensions of '%x'"),
        ("= %x if %positive", "= %x if %nothing", "the predicate '%nothing' must be a tensor of pred"),
        ("load(n = rest, addr", "load(n = resto, addr", "'resto' in resto is no attribute, register or index variable"),
        ("load(n = rest, addr", "loads(n = rest, addr", "'loads' is no instruction"),
        ("row = 8 * tiles)", "rows = 8 * tiles)", "load has the attributes n, addr, row, found n, addr, rows"),
        ("set_pad(value = 1)", "load_all(tiles = 1, rest = 0, addr = 0)", "'load_all' contains itself"),
        ("for t < tiles", "for addr < tiles", "index variable 'addr' has a meaning already"),
        ("    }\n  }\n", "    }\n  }\n  body {\n    ROOT %c = s8[] constant(1)\n  }\n", "a macro has no semantics but those of its steps"),
    ],
)
def test_what_does_not_fit_is_refused(before: str, after: str, message: str) -> None:
    assert before in FORMS
    with pytest.raises(TaidlErrors) as caught:
        load(FORMS.replace(before, after, 1), "forms.taidl")
    assert message in str(caught.value)
    assert "forms.taidl:" in str(caught.value)


def test_errors_in_several_new_forms_are_reported_in_one_run() -> None:
    text = FORMS.replace("token loaded\n", "token = 3\n").replace("for t < tiles", "for t tiles").replace("pop     free", "pop     if")
    with pytest.raises(TaidlErrors) as caught:
        parse(text, "forms.taidl")
    assert [each.location for each in caught.value.errors] == ["forms.taidl:14:7", "forms.taidl:25:11", "forms.taidl:87:11"]


def test_what_a_compiler_must_know_beyond_selection_is_named() -> None:
    reasons = {name: beyond_selection(each) for name, each in parse(FORMS).instructions.items()}
    assert reasons == {
        "load": "it waits for tokens, or gives them",
        "load_uops": None,
        "gather_add": "it waits for tokens, or gives them",
        "keep_positive": "it must not overlap with others",
        "set_pad": "it must come before others",
        "load_all": "it is a macro of other instructions",
    }


def test_the_python_form_leaves_these_forms_out_by_name() -> None:
    omitted = dict(to_python(parse(FORMS)).omitted)
    assert {"loaded", "compute", "gather_add", "keep_positive", "load_all"} <= omitted.keys()
