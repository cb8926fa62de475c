"""MacUnit against a * b + c modulo 2**20."""

from random import Random

from simulate import Simulation, signed

EXTREMES_8 = (-128, -1, 0, 1, 127)
EXTREMES_20 = (-(1 << 19), -1, 0, 1, (1 << 19) - 1)


def mac_results(cases: list[tuple[int, int, int]]) -> list[int]:
    with Simulation("rtl/gemmini", top="MacUnit") as sim:
        stimuli = [{"in_a": a, "in_b": b, "in_c": c} for a, b, c in cases]
        return [signed(d, 20) for (d,) in sim.trace(stimuli, ["out_d"])]


def test_adds_the_signed_product_and_wraps_at_20_bits() -> None:
    random = Random(1)
    cases = [(a, b, c) for a in EXTREMES_8 for b in EXTREMES_8 for c in EXTREMES_20]
    cases += [(random.randint(-128, 127), random.randint(-128, 127), random.getrandbits(20)) for _ in range(2000)]
    assert mac_results(cases) == [signed(a * b + c, 20) for a, b, c in cases]
