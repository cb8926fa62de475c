"""Entries on disk: what was put is what is got, or nothing."""

from __future__ import annotations

import os
import pickle
import zlib
from pathlib import Path

import pytest

from lift.cache.store import Store, default_directory

KEY = "ab" + "0" * 62


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def entry(store: Store) -> Path:
    (found,) = [path for path in store.directory.rglob("*") if path.is_file()]
    return found


def test_an_entry_is_what_was_put(store: Store) -> None:
    store.put("kind", KEY, b"content")
    assert store.get("kind", KEY) == b"content"


def test_kinds_and_keys_are_apart(store: Store) -> None:
    store.put("kind", KEY, b"content")
    assert store.get("other", KEY) is None and store.get("kind", "cd" + KEY[2:]) is None


@pytest.mark.parametrize("length", [0, 10, 30, 60])
def test_an_entry_that_is_cut_off_is_not_there(store: Store, length: int) -> None:
    store.put("kind", KEY, b"content")
    data = entry(store).read_bytes()
    entry(store).write_bytes(data[:length])
    assert length < len(data) and store.get("kind", KEY) is None


def test_an_entry_with_a_changed_byte_is_not_there(store: Store) -> None:
    store.put("kind", KEY, b"content" * 9)
    data = bytearray(entry(store).read_bytes())
    for position in range(len(data)):
        entry(store).write_bytes(bytes([*data[:position], data[position] ^ 1, *data[position + 1 :]]))
        assert store.get("kind", KEY) is None


def test_an_entry_can_be_put_again(store: Store) -> None:
    store.put("kind", KEY, b"old")
    entry(store).write_bytes(b"rubbish")
    store.put("kind", KEY, b"new")
    assert store.get("kind", KEY) == b"new"


def test_objects_of_others_are_refused(store: Store, tmp_path: Path) -> None:
    class Command:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    store.put("kind", KEY, pickle.dumps(Command()))
    assert store.load("kind", KEY) is None and not (tmp_path / "made").exists()


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "cache")
    store.put("kind", KEY, b"content")
    assert store.get("kind", KEY) is None


def test_nothing_is_left_half_written(store: Store) -> None:
    store.put("kind", KEY, zlib.compress(b"content"))
    assert [path.name for path in store.directory.rglob("*") if path.is_file()] == [KEY[2:]]


def test_what_was_not_asked_for_longest_makes_room(store: Store) -> None:
    for k in range(4):
        store.put("kind", f"{k:02}" + KEY[2:], os.urandom(1000))
        os.utime(store._path("kind", f"{k:02}" + KEY[2:]), (k, k))
    store.get("kind", "00" + KEY[2:])
    store.prune(2500)
    assert [store.get("kind", f"{k:02}" + KEY[2:]) is not None for k in range(4)] == [True, False, False, True]


def test_the_default_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "tensorlift"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_directory() == Path.home() / ".cache" / "tensorlift"
