"""The simulator: registers, memories, undefined values."""

from __future__ import annotations

from collections.abc import Sequence

from lift.netlist.builder import Builder
from lift.netlist.model import Location, Memory, MemoryWrite, Netlist, Node, Register
from lift.netlist.simulate import Simulator

HERE = Location("test.v", 1)
b = Builder()


def netlist(outputs: dict[str, Node], registers: Sequence[Register] = (), memories: Sequence[Memory] = (), **inputs: int) -> Netlist:
    return Netlist(
        "top", inputs, outputs, {r.name: r for r in registers}, {m.name: m for m in memories}, {}, {}, {"": "top"}, "clock", None
    )


def test_outputs_are_those_before_the_clock_edge() -> None:
    q = b.intern("reg", 4, (), "q")
    simulator = Simulator(netlist({"y": q}, [Register("q", 4, b.op("add", q, b.const(1, 4)), HERE, 14)]))
    assert [simulator.step({})["y"] for _ in range(4)] == [14, 15, 0, 1]


def test_masked_write_keeps_other_bits_and_later_ports_win() -> None:
    one, a = b.const(1, 1), b.const(2, 2)
    writes = (
        MemoryWrite(one, a, b.const(0xFF, 8), None),
        MemoryWrite(one, a, b.const(0x00, 8), b.const(0x0F, 8)),
        MemoryWrite(b.const(0, 1), a, b.const(0x33, 8), None),
    )
    simulator = Simulator(netlist({"y": b.intern("memread", 8, (a,), "m")}, memories=[Memory("m", 4, 8, writes, HERE)]))
    assert [simulator.step({})["y"] for _ in range(2)] == [0, 0xF0]


def test_undefined_values_come_from_the_given_function() -> None:
    read = b.intern("memread", 8, (b.const(3, 2),), "m")
    outputs = {"u": b.intern("undef", 4, (), "u"), "x": b.const(0b1000, 4, 0b0011), "d": b.op("udiv", b.intern("input", 4, (), "i"), b.const(0, 4)), "r": read}
    simulator = Simulator(netlist(outputs, memories=[Memory("m", 3, 8, (), HERE)], i=4), undefined=lambda width: (1 << width) - 1)
    assert simulator.outputs({"i": 3}) == {"u": 15, "x": 0b1011, "d": 15, "r": 255}


def test_outputs_do_not_advance_the_state() -> None:
    q = b.intern("reg", 1, (), "q")
    simulator = Simulator(netlist({"y": q}, [Register("q", 1, b.op("not", q), HERE, 0)]))
    assert (simulator.outputs({}), simulator.outputs({})) == ({"y": 0}, {"y": 0})
