"""The runner's contract: images in and out, state folders, batches, and what it says when something is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from commands import ACCUMULATOR, FULL_ROW, Command, config_ld, config_st, mvin, mvout
from image import RUNNER, write_program

DIM = 4
COPY = [config_ld(4), config_st(4), mvin(16, 8, 4, 4), mvout(64, 8, 4, 4)]  # 16 bytes from 16 to 64 by scratchpad row 8


def run(folder: Path, *options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in (RUNNER, "--dim", DIM, *options)], capture_output=True, text=True, cwd=folder)


def given(folder: Path, commands: list[Command], memory: bytes) -> list[object]:
    """Write the two images; returns the options that name them."""
    write_program(folder / "p.img", commands)
    (folder / "in.bin").write_bytes(memory)
    return ["--program", "p.img", "--memory", "in.bin", "--output", "out.bin"]


MEMORY = bytes(range(128))
COPIED = MEMORY[:64] + MEMORY[16:32] + MEMORY[80:]


def test_prints_the_cycles_and_writes_the_memory(tmp_path: Path) -> None:
    done = run(tmp_path, *given(tmp_path, COPY, MEMORY))
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)) == ["cycles"]
    assert (tmp_path / "out.bin").read_bytes() == COPIED


def test_skips_comments_and_empty_lines(tmp_path: Path) -> None:
    options = given(tmp_path, COPY, MEMORY)
    program = tmp_path / "p.img"
    program.write_text("# a comment\n\n" + program.read_text())
    assert run(tmp_path, *options).returncode == 0
    assert (tmp_path / "out.bin").read_bytes() == COPIED


def test_latency_changes_the_cycles_and_nothing_else(tmp_path: Path) -> None:
    options = given(tmp_path, COPY, MEMORY)
    cycles = set()
    for seed in (0, 1, 2):
        cycles.add(json.loads(run(tmp_path, *options, "--latency-seed", seed).stdout)["cycles"])
        assert (tmp_path / "out.bin").read_bytes() == COPIED
    assert len(cycles) == 3


def test_the_same_seed_gives_the_same_cycles(tmp_path: Path) -> None:
    options = [*given(tmp_path, COPY, MEMORY), "--latency-seed", 7]
    assert run(tmp_path, *options).stdout == run(tmp_path, *options).stdout


def test_reads_beyond_the_image_give_a5(tmp_path: Path) -> None:
    assert run(tmp_path, *given(tmp_path, [config_ld(4), config_st(4), mvin(4000, 0, 1, 4), mvout(0, 0, 1, 4)], MEMORY)).returncode == 0
    assert (tmp_path / "out.bin").read_bytes() == b"\xa5" * 4 + MEMORY[4:]


def test_a_write_beyond_the_image_is_an_error_with_its_address(tmp_path: Path) -> None:
    done = run(tmp_path, *given(tmp_path, [config_st(4), mvout(126, 0, 1, 4)], MEMORY))
    assert done.returncode == 1
    assert done.stderr == "gemmini runner: p.img: write to address 0x80, beyond the memory image of 0x80 bytes\n"
    assert not (tmp_path / "out.bin").exists()


def test_a_masked_byte_beyond_the_image_is_no_write(tmp_path: Path) -> None:
    assert run(tmp_path, *given(tmp_path, [config_st(4), mvout(126, 0, 1, 2)], MEMORY)).returncode == 0
    assert (tmp_path / "out.bin").read_bytes() == MEMORY[:126] + bytes(2)


def state(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    return np.fromfile(folder / "spad.bin", "i1").reshape(-1, DIM), np.fromfile(folder / "acc.bin", "<i4").reshape(-1, DIM)


def test_the_local_memories_start_at_zero_and_can_be_dumped(tmp_path: Path) -> None:
    program = [config_ld(16), mvin(16, 4095, 2, 4), mvin(32, ACCUMULATOR | 511, 2, 4)]
    assert run(tmp_path, *given(tmp_path, program, MEMORY), "--dump-state", "after").returncode == 0
    spad, acc = np.zeros((16384, DIM), "i1"), np.zeros((1024, DIM), "<i4")
    spad[4095:4097] = [list(MEMORY[16:20]), list(MEMORY[32:36])]
    acc[511:513] = np.frombuffer(MEMORY[32:64], "<i4").reshape(2, DIM)
    seen = state(tmp_path / "after")
    assert np.array_equal(seen[0], spad) and np.array_equal(seen[1], acc)


def test_a_loaded_state_is_what_the_program_finds(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    rng = np.random.default_rng(1)
    spad, acc = rng.integers(-128, 128, (16384, DIM), "i1"), rng.integers(-(2**31), 2**31, (1024, DIM), "<i4")
    spad.tofile(before / "spad.bin")
    acc.tofile(before / "acc.bin")
    program = [config_st(16), mvout(0, 9000, 1, 4), mvout(64, ACCUMULATOR | FULL_ROW | 700, 1, 4)]
    done = run(tmp_path, *given(tmp_path, program, MEMORY), "--load-state", before, "--dump-state", "after")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.bin").read_bytes() == spad[9000].tobytes() + MEMORY[4:64] + acc[700].tobytes() + MEMORY[80:]
    seen = state(tmp_path / "after")
    assert np.array_equal(seen[0], spad) and np.array_equal(seen[1], acc)


def test_a_state_of_the_wrong_size_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "spad.bin").write_bytes(b"123")
    done = run(tmp_path, *given(tmp_path, COPY, MEMORY), "--load-state", ".")
    assert (done.returncode, done.stderr) == (1, "gemmini runner: ./spad.bin: expected 65536 bytes, found 3\n")


def test_a_batch_runs_every_program_from_a_fresh_machine(tmp_path: Path) -> None:
    given(tmp_path, COPY, MEMORY)
    write_program(tmp_path / "leftover.img", [config_st(4), mvout(0, 8, 4, 4)])
    (tmp_path / "list").write_text("p.img in.bin a.bin\nleftover.img in.bin b.bin - after\np.img in.bin c.bin\n")
    done = run(tmp_path, "--batch", "list")
    assert done.returncode == 0, done.stderr
    first, _, third = [json.loads(line)["cycles"] for line in done.stdout.splitlines()]
    assert first == third
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "c.bin").read_bytes() == COPIED
    assert (tmp_path / "b.bin").read_bytes() == bytes(16) + MEMORY[16:]
    assert not state(tmp_path / "after")[0].any()


def test_an_error_in_a_batch_is_the_line_of_its_program(tmp_path: Path) -> None:
    given(tmp_path, COPY, MEMORY)
    (tmp_path / "list").write_text("p.img in.bin a.bin\nmissing.img in.bin b.bin\np.img in.bin c.bin\n")
    done = run(tmp_path, "--batch", "list")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert lines[1] == {"error": "missing.img: cannot be read"}
    assert lines[0] == lines[2] and list(lines[0]) == ["cycles"]


def test_a_command_that_never_ends_is_stopped_and_named(tmp_path: Path) -> None:
    done = run(tmp_path, *given(tmp_path, [config_st(0), mvout(0, 0, 0, 4)], MEMORY), "--cycle-limit", 500)
    assert done.returncode == 1
    assert done.stderr == ("gemmini runner: p.img: the command on line 2 is not done after 500 cycles; "
                           "a count of 0 rows never ends, and --cycle-limit lets one run longer\n")


@pytest.mark.parametrize(("text", "message"), [
    ("2 10\n", "p.img:1: expected three words 'funct rs1 rs2', found 2"),
    ("2 1g 0\n", "p.img:1: expected a hexadecimal word of 64 bits, found '1g'"),
    ("# c\n80 0 0\n", "p.img:2: funct has 7 bits, found '80'"),
])
def test_a_malformed_program_is_rejected_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    options = given(tmp_path, [], MEMORY)
    (tmp_path / "p.img").write_text(text)
    done = run(tmp_path, *options)
    assert (done.returncode, done.stderr) == (1, f"gemmini runner: {message}\n")


@pytest.mark.parametrize("options", [["--program", "p.img"], ["--frequency", "3"], ["--dim", "5"], ["--latency-seed", "x"], ["--batch"]])
def test_wrong_usage_is_exit_status_2(options: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, *given(tmp_path, COPY, MEMORY)[: 0 if "--program" in options or "--batch" in options else None], *options)
    assert done.returncode == 2
    assert done.stderr.startswith("gemmini runner: ")


def test_flush_config_norm_and_unknown_functs_do_nothing(tmp_path: Path) -> None:
    nothing = [(7, 0, 0), (7, 1, 0), (0, 3, 2**64 - 1), (8, 1, 1), (15, 5, 5), (126, 0, 0), (127, 2**64 - 1, 2**64 - 1)]
    assert run(tmp_path, *given(tmp_path, [*COPY[:3], *nothing, COPY[3]], MEMORY)).returncode == 0
    assert (tmp_path / "out.bin").read_bytes() == COPIED


def test_a_missing_verilator_is_named_with_advice(tmp_path: Path) -> None:
    fresh = tmp_path / "rtl"  # a copy has no runner built yet
    shutil.copytree(RUNNER.parents[1], fresh)
    done = subprocess.run([fresh / "sim" / "gemmini", "--build"], capture_output=True, text=True, env={"PATH": "/nowhere"})
    assert done.returncode == 2
    assert done.stderr.startswith("gemmini runner: verilator is not installed; ")
    assert "apt-get install verilator" in done.stderr
