"""What readers collect about a file."""

from __future__ import annotations

from zoophyte.description.readers.report import NameList, Report


class Words(str):
    """Text that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Words.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_note_is_not_compared_with_all_others() -> None:
    """A URDF file with 100 000 unknown elements ran for more than 40 s: each note was looked for in a list."""
    report = Report("robot.urdf")
    Words.compared = 0
    for _ in range(2):
        for number in range(1000):
            report.note(Words(f"Elements <e{number}> were passed over."))
    assert len(report.notes) == 1000
    assert Words.compared < 10_000


def test_names_that_are_wanted_often_are_found_at_once() -> None:
    """Each body of the same name tried all numbers from 2 on."""

    class Looked(set[str]):
        times = 0

        def __contains__(self, name: object) -> bool:
            Looked.times += 1
            return super().__contains__(name)

    names = NameList()
    names.taken = Looked(names.taken)
    assert [names.take("leg") for _ in range(1000)] == ["leg", *(f"leg_{n}" for n in range(2, 1001))]
    assert names.take("leg_2") == "leg_2_2"
    assert Looked.times < 5000
