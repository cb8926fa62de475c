"""act-gen says which instructions no program of the compiler has, and why."""

from act.cli import gen_main
from act.generator.analyse import analyse
from act.generator.unusable import message, unusable
from act.taidl import parse
from tests.act.backend.backends import ROOT, SYSTOLIC

BANKS = (ROOT / "tests/act/backend/machines/banks.taidl").read_text()


def reasons(text: str) -> dict[str, str]:
    accelerator = parse(text)
    return dict(unusable(accelerator, analyse(accelerator)))


def changed(*pairs: tuple[str, str]) -> str:
    text = BANKS
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_of_a_machine_of_which_everything_is_used_nothing_is_said():
    assert message(parse(BANKS), analyse(parse(BANKS))) == ""


def test_what_reads_a_memory_that_nothing_fills_is_said():
    filled = ("write   bias[at][j : j < 16] = %y", "write   sums[0, at][j : j < 16] = %y")
    assert reasons(changed(filled)) == {"products": "it reads bias, and nothing that can be used brings anything there"}


def test_what_fills_a_memory_that_nothing_reads_is_said():
    left = "what it leaves in bias, nothing that can be used brings to host memory"
    opaque = (
        "instruction products(h, n | bank, row, weights, first, bias, to, at)",
        "instruction products(h, n | bank, row, weights, first, bias, to, at) opaque",
    )
    assert reasons(changed(opaque)) == {"products": "its semantics are not known", "load_bias": left}


def test_tensors_of_several_banks_that_are_never_one_are_said():
    banks = ("1 <= n and n <= 16 and 1 <= h and h <= 2", "1 <= n and n <= 16 and h == 2")
    fixed = [
        (f"{name}[{bank} + g, {row} + {index}][{lane} : g < h", f"{name}[{bank} + g, {row} + {index}][{lane} : g < 2")
        for name, bank, row, index, lane in (("data", "bank", "row", "i", "k"), ("data", "weights", "first", "k", "j"), ("sums", "to", "at", "i", "j"))
    ]
    sizes = [("%x = s8[`h`, `n`, 16] parameter(0)\n    %y = s8[`h`, 16", "%x = s8[2, `n`, 16] parameter(0)\n    %y = s8[2, 16")]
    sizes += [(f"s32[`h`, `n`, 16] {opcode}", f"s32[2, `n`, 16] {opcode}") for opcode in ("dot", "broadcast", "add(%p")]
    found = reasons(changed(*fixed[:2], banks, *sizes))
    assert found["products"] == "a tensor in data has 3 dimensions, and no attributes make the first of them one element"


def test_the_message_comes_with_the_backend(tmp_path, capsys):
    file = tmp_path / "bad.taidl"
    file.write_text(changed(("write   bias[at][j : j < 16] = %y", "write   sums[0, at][j : j < 16] = %y")))
    assert gen_main([str(file), "-o", str(tmp_path / "backend")]) == 0
    assert "1 of 6 instructions are in no program of this compiler:\n  products: it reads bias, " in capsys.readouterr().out
    assert gen_main([str(SYSTOLIC), "-o", str(tmp_path / "other")]) == 0
    assert "in no program" not in capsys.readouterr().out
