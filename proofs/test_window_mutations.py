"""The proofs about moves that pool can fail: a change of the window, its stride, the image, its padding, a base, a bound or a register in the text is refuted.

Each changes what the text of one instruction with 4 x 4 elements says in one way; some must be written in several places for the text to be well-formed.
The quick tier takes every fifth.
"""

from __future__ import annotations

import pytest

from proofs.designs import lift_of_gemmini
from proofs.replay import about, must_be_confirmed
from proofs.replay_command import by_text
from proofs.solve import NotProved, Refuted, Undecided
from proofs.test_specification_mutations import DIM, changed, prove_everything

SCRATCHPAD, ACCUMULATOR, RELU = "mvout_scratchpad_pool_size_2", "mvout_accumulator_pool_size_3", "mvout_accumulator_pool_size_1_relu"
COLUMNS = "`pool_pocols * pool_stride + 2 - pool_stride`"
RIGHT = "`pool_pocols * pool_stride + 2 - pool_lpad - pool_ocols - pool_stride`"
TOP, BOTTOM = "`pool_upad`_", "`pool_porows * pool_stride + 2 - pool_orows - pool_stride - pool_upad`"


def plus(text: str, more: int) -> str:
    """An extent of which the window takes 2, with more of it."""
    return text.replace("+ 2 -", f"+ {2 + more} -")


# instruction, what is wrong -> (old text, new text) of each place
MUTATIONS: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    (SCRATCHPAD, "stride-is-the-size"): (("use     pool_stride as", "use     pool_size as"),),
    (SCRATCHPAD, "narrower-window"): (("size=2x2x1", "size=2x1x1"), (COLUMNS, plus(COLUMNS, -1)), (RIGHT, plus(RIGHT, -1))),
    (SCRATCHPAD, "wider-window"): (("size=2x2x1", "size=2x3x1"), (COLUMNS, plus(COLUMNS, 1)), (RIGHT, plus(RIGHT, 1))),
    (SCRATCHPAD, "least-in-place-of-greatest"): (("to_apply=maximum", "to_apply=minimum"),),
    (SCRATCHPAD, "padding-is-not-0"): (("constant(0)", "constant(1)"),),
    (SCRATCHPAD, "padding-is-the-least-number"): (("constant(0)", "constant(-128)"),),
    (SCRATCHPAD, "greatest-of-0-and-others"): (("constant(-128)", "constant(0)"),),
    (SCRATCHPAD, "greatest-starts-one-higher"): (("constant(-128)", "constant(-127)"),),
    (SCRATCHPAD, "one-row-of-padding-more"): ((TOP, "`pool_upad + 1`_"), (BOTTOM, plus(BOTTOM, -1))),
    (SCRATCHPAD, "one-column-of-padding-less"): (("x`pool_lpad`_", "x`pool_lpad - 1`_"), (RIGHT, plus(RIGHT, 1))),
    (SCRATCHPAD, "padding-above-is-padding-on-the-left"): (("use     pool_upad as", "use     pool_lpad as"),),
    (SCRATCHPAD, "image-has-other-rows"): (("use     pool_orows as", "use     pool_porows as"),),
    (SCRATCHPAD, "image-has-other-columns"): (("use     pool_ocols as", "use     pool_pocols as"),),
    (SCRATCHPAD, "rows-of-the-image-elsewhere"): (("[i * pool_ocols + j", "[i * pool_orows + j"),),
    (SCRATCHPAD, "image-one-row-down"): (("+ local_row]", "+ local_row + 1]"),),
    (SCRATCHPAD, "lanes-turned-round"): (("[l : i < pool_orows", "[3 - l : i < pool_orows"),),
    (SCRATCHPAD, "pixels-side-by-side"): (("+ j * stride + l", "+ j + l"),),
    (SCRATCHPAD, "lines-of-pixels-without-their-width"): (("i * pool_out_dim * stride", "i * stride"),),
    (SCRATCHPAD, "lines-and-columns-swapped"): (("i * pool_out_dim * stride + j * stride", "j * pool_out_dim * stride + i * stride"),),
    (SCRATCHPAD, "other-lines-are-written"): (("use     pool_porows as", "use     pool_orows as"),),
    (SCRATCHPAD, "memory-one-byte-up"): (("+ l + vaddr", "+ l + vaddr + 1"),),
    (SCRATCHPAD, "one-channel-too-few"): (("cols <= 4", "cols <= 3"),),
    (SCRATCHPAD, "another-size"): (("use     pool_size == 2", "use     pool_size == 3"),),
    (SCRATCHPAD, "from-the-accumulator"): (("rs2[31:31] = 0", "rs2[31:31] = 1"),),
    (ACCUMULATOR, "limit-one-lower"): (("constant(127)", "constant(126)"),),
    (ACCUMULATOR, "greatest-of-0-and-others"): (("%v6 = s8[] constant(-128)", "%v6 = s8[] constant(0)"),),
    (ACCUMULATOR, "padding-is-not-0"): (("%v4 = s8[] constant(0)", "%v4 = s8[] constant(1)"),),
    (RELU, "no-relu"): (("%v0 = s32[] constant(0)", "%v0 = s32[] constant(-128)"),),
    (RELU, "relu-of-another-activation"): (("activation == 1", "activation == 2"),),
}  # fmt: skip
CASES = [pytest.param(*case, id=f"gemmini-{'-'.join(case)}", marks=[] if n % 5 == 0 else pytest.mark.slow) for n, case in enumerate(MUTATIONS)]


@pytest.mark.parametrize(("name", "what"), CASES)
def test_a_change_of_the_text_is_refuted(name: str, what: str) -> None:
    with pytest.raises(NotProved) as caught:
        prove_everything(changed(name, *MUTATIONS[name, what]))
    assert not isinstance(caught.value, Undecided)
    print(caught.value)


@pytest.mark.parametrize("name", [SCRATCHPAD, RELU])
def test_the_text_as_it_is_is_not_refuted(name: str) -> None:
    prove_everything(changed(name))


@pytest.mark.parametrize("what", ["image-one-row-down", "pixels-side-by-side", "padding-is-not-0"])
def test_the_rtl_does_what_the_counterexample_says(what: str) -> None:
    """And not what the changed text says."""
    wrong = changed(SCRATCHPAD, *MUTATIONS[SCRATCHPAD, what])
    with pytest.raises(Refuted) as caught, about(by_text(lift_of_gemmini(DIM), wrong)):
        prove_everything(wrong)
    must_be_confirmed(caught.value)


def test_what_a_counterexample_leaves_open_is_drawn_until_the_rtl_shows_the_difference() -> None:
    """As it is, all pixels are stored at one address, the last of them padding, so that the wrong row does not show."""
    wrong = changed(SCRATCHPAD, *MUTATIONS[SCRATCHPAD, "image-one-row-down"])
    window = {"lpad": 1, "ocols": 129, "orows": 1, "pocols": 3, "porows": 3, "size": 2, "stride": 2, "upad": 1}
    refuted = Refuted("reads", {f"store_controller.pool_{n}": v for n, v in window.items()} | {"cols": 2, "local_row": 0}, {})
    refuted.subject = by_text(lift_of_gemmini(DIM), wrong)
    must_be_confirmed(refuted)
