"""Each composite of the instruction set does what its parts do one after the other: for all attributes, states and memories; and a wrong one is refuted."""

from __future__ import annotations

import pytest

from act.taidl import Accelerator
from act.taidl.verify import load
from proofs.composites import Pair
from proofs.designs import GENERATED_DIM, specification, specification_text
from proofs.recording import Recorder
from proofs.solve import NotProved, Undecided

NAMES = list(specification(GENERATED_DIM).composites)


@pytest.mark.parametrize("name", NAMES, ids=[f"gemmini-{name}-DIM16" for name in NAMES])
def test_a_composite_is_its_parts_one_after_the_other(name: str, recorder: Recorder) -> None:
    """By evaluating the text of the composite and of its parts; the parts are proved equal to what was lifted in `test_specification`."""
    accelerator = specification(GENERATED_DIM)
    with recorder(dim=GENERATED_DIM, instruction=name, effect="all"):
        Pair(accelerator, accelerator.composites[name]).prove()


ADD, PLAIN = "preload_compute_preloaded_accumulator_accumulate_add", "preload_compute_preloaded_scratchpad"
MUTATIONS = {
    (PLAIN, "limit"): ("constant(127)", "constant(126)"),
    (PLAIN, "factors-swapped"): ("scratchpad[k + preload_bd_addr][j", "scratchpad[j + preload_bd_addr][k"),
    (PLAIN, "row-of-the-weights"): ("scratchpad[k + preload_bd_addr]", "scratchpad[k + 1 + preload_bd_addr]"),
    (PLAIN, "rows-of-the-weights"): ("bd_rows = a_cols", "bd_rows = c_rows"),
    (PLAIN, "fewer-columns"): ("a_cols = a_cols", "a_cols = 0"),
    (PLAIN, "rows-of-c"): ("c_rows = c_rows);", "c_rows = c_cols);"),
    (PLAIN, "register"): ("set     in_prop = 1 - in_prop", "set     in_prop = in_prop"),
    (PLAIN, "address"): ("set     c_addr = c_addr", "set     c_addr = c_addr + 1"),
    (PLAIN, "written-elsewhere"): ("write   scratchpad[c_addr + c_addr_stride * i]", "write   scratchpad[c_addr + i]"),
    (PLAIN, "activation"): ("when    activation != 1", "when    activation != 2"),
    (PLAIN, "nothing-clobbered"): ("  clobber c[p][q, r : p < 2, q < 16, r < 16]\n", ""),
    (PLAIN, "half-clobbered"): ("p < 2, q < 16", "p < 1, q < 16"),
    (ADD, "addend-dropped"): ("add(%x0, %v4)", "add(%x0, %v2)"),
    (ADD, "old-value-dropped"): ("add(%x0, %v4)", "add(%v3, %v4)"),
    (ADD, "not-accumulated"): ("c_addr = c_addr + 0xc0000000, c_cols", "c_addr = c_addr + 0x80000000, c_cols"),
    (ADD, "addend-of-another-row"): ("scratchpad[bd_addr + i]", "scratchpad[bd_addr + j]"),
}


def changed(name: str, old: str, new: str, kind: str = "composite") -> Accelerator:
    text = specification_text(GENERATED_DIM)
    start = text.index(f"\n{kind} {name}(")
    end = (text + "\n\n").index("\n\n", start + 1)
    block = text[start:end]
    assert old in block.replace(" ;", ";"), f"{old!r} does not occur in {name}"
    return load(text[:start] + block.replace(" ;", ";").replace(old, new, 1) + text[end:], "changed")


CASES = [pytest.param(*case, id=f"gemmini-{'-'.join(case)}", marks=[] if n % 4 == 0 else pytest.mark.slow) for n, case in enumerate(MUTATIONS)]


@pytest.mark.parametrize(("name", "what"), CASES)
def test_a_wrong_composite_is_refuted(name: str, what: str) -> None:
    wrong = changed(name, *MUTATIONS[name, what])
    with pytest.raises(NotProved) as caught:
        Pair(wrong, wrong.composites[name]).prove()
    assert not isinstance(caught.value, Undecided)
    print(caught.value)


def test_a_part_that_names_no_buffer_is_refuted() -> None:
    """There are two: numbers are not taken modulo 2."""
    wrong = changed("preload", "write   c[1 - in_prop]", "write   c[1 + in_prop]", "instruction")
    with pytest.raises(NotProved, match="the array of c exists"):
        Pair(wrong, wrong.composites[PLAIN]).prove()
