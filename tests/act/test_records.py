"""Records are as the standard library's data classes."""

import copy
import dataclasses
import pickle

import pytest

from act.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    note: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "p"


@dataclass(slots=True)
class Growing:
    items: list[int] = field(default_factory=list)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = len(self.items)


@dataclass(eq=False, slots=True)
class Same:
    x: int


@dataclasses.dataclass(frozen=True)
class Placed(Point):
    """Of the standard library."""

    z: int = 3


def test_fields_are_given_in_order_or_by_name():
    assert Point(1, y=2) == Point(1, 2)
    with pytest.raises(TypeError):
        Point()
    with pytest.raises(TypeError):
        Point(1, 2, "", 4)


def test_fields_that_are_not_compared_make_no_difference():
    assert Point(1, 2, "a") == Point(1, 2, "b")
    assert hash(Point(1, 2, "a")) == hash(Point(1, 2, "b"))
    assert Point(1) != Point(2)


def test_a_record_of_another_class_is_not_equal():
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0, "")


def test_a_frozen_record_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 2
    with pytest.raises(AttributeError):
        Growing().other = 1


def test_default_factories_make_a_value_for_each_record():
    first, second = Growing(), Growing()
    first.items.append(1)
    assert second.items == [] and Growing([1, 2]).size == 2


def test_a_record_that_may_change_has_no_hash():
    with pytest.raises(TypeError):
        hash(Growing())


def test_records_without_equality_are_compared_by_identity():
    one = Same(1)
    assert one == one and one != Same(1) and len({one, Same(1)}) == 2


def test_the_text_of_a_record_makes_it_again():
    assert eval(repr(Named(1, 2, "a", "b"))) == Named(1, 2, "a", "b")


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_some_fields_are_replaced(change):
    assert change(Named(1, 2), name="q") == Named(1, 2, "", "q")
    with pytest.raises(TypeError):
        change(Point(1), z=1)


def test_fields_are_found_by_the_standard_library():
    assert [each.name for each in dataclasses.fields(Named)] == ["x", "y", "note", "name"]
    assert dataclasses.is_dataclass(Point(1)) and dataclasses.asdict(Point(1, 2)) == {"x": 1, "y": 2, "note": ""}


def test_a_class_of_the_standard_library_may_inherit():
    assert Placed(1, 2).z == 3 and Placed(1, 2) == Placed(1, 2)


@pytest.mark.parametrize("record", [Point(1, 2), Named(1, 2), Growing([1, 2]), Placed(1, 2, z=5)])
def test_records_are_copied_and_pickled(record):
    for made in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert made == record and repr(made) == repr(record)


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_fields_that_a_class_of_the_standard_library_adds_are_kept(change):
    assert change(Placed(1, 2, z=5), x=4) == Placed(4, 2, z=5)


def test_a_field_cannot_be_deleted_from_a_frozen_record():
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Point(1).x


@pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass])
def test_a_default_that_all_records_would_share_is_refused(make):
    with pytest.raises(ValueError, match=r"mutable default .* default_factory"):

        @make(slots=True)
        class Shared:
            items: list[int] = []  # noqa: RUF012


@pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass])
def test_a_field_without_a_default_behind_one_with_a_default_is_refused(make):
    with pytest.raises(TypeError, match="non-default"):

        @make(slots=True)
        class Wrong:
            x: int = 0
            y: int


@pytest.mark.parametrize("make", [dataclass, dataclasses.dataclass])
def test_methods_that_a_class_has_of_its_own_are_kept(make):
    @make(slots=True)
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    assert Own(1) == Own(2) and hash(Own(1)) == 7 and repr(Own(1)) == "own"


def test_records_are_matched_by_position():
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_fields_are_described_once() -> None:
    assert Named.__dataclass_fields__ is Named.__dataclass_fields__  # type: ignore[attr-defined]
    assert [f.name for f in dataclasses.fields(Named)] == ["x", "y", "note", "name"]  # type: ignore[arg-type]
    assert [f.name for f in dataclasses.fields(Point)] == ["x", "y", "note"]  # type: ignore[arg-type]
