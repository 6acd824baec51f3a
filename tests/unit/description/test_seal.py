"""A description that nobody has touched since it was checked is copied; any other is checked again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Description
from zoophyte.description.part import Seal


def refuse_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(*args: object, **options: object) -> None:
        raise AssertionError("checked again")

    monkeypatch.setattr(Description, "__init__", checked)


def test_what_is_as_it_was_is_only_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    body = zp.Description.from_yaml(zp.zoo.ref4().to_yaml())
    refuse_checks(monkeypatch)
    copy = body.checked()
    assert copy == body and copy.model_fields_set == body.model_fields_set
    assert copy.bodies is not body.bodies
    for mine, other in zip(copy.bodies, body.bodies, strict=True):
        assert mine is not other and mine.joint is not other.joint and mine.shapes is not other.shapes
        assert all(a is not b for a, b in zip(mine.shapes, other.shapes, strict=True))


def rename(body: Description) -> None:
    body.bodies[1].name = "".join(["ren", "amed"])


def drop(body: Description) -> None:
    body.bodies.pop()


def lighten(body: Description) -> None:
    body.bodies[-1].shapes[0].density = 0.5 * body.bodies[-1].shapes[0].density


def assign_what_was_there(body: Description) -> None:
    """Equal, but another object: nobody can know without looking."""
    body.bodies[0].joint.position = tuple(float(x) for x in body.bodies[0].joint.position)  # type: ignore[assignment]


def share(body: Description) -> None:
    body.bodies[0].shapes.append(body.bodies[1].shapes[0])


@pytest.mark.parametrize("edit", [rename, drop, lighten, assign_what_was_there, share])
def test_every_edit_is_checked(edit: Callable[[Description], None], monkeypatch: pytest.MonkeyPatch) -> None:
    body = zp.Description.from_yaml(zp.zoo.ref4().to_yaml())
    edit(body)
    refuse_checks(monkeypatch)
    with pytest.raises(AssertionError, match="checked again"):
        body.checked()


def test_an_edit_that_breaks_it_is_told() -> None:
    body = zp.zoo.ref4()
    body.bodies[-1].joint.damping = -1.0
    with pytest.raises(zp.DescriptionError, match="damping"):
        zp.compile(body)


def test_what_could_change_unseen_is_always_checked() -> None:
    body = zp.Description.from_yaml(zp.zoo.ref4().to_yaml())
    assert Seal(body).is_unbroken()
    body.bodies[0].joint.position = {0.0}  # type: ignore[assignment]
    assert not Seal(body).is_unbroken()


def test_a_seal_gives_back_what_was_there() -> None:
    """Law: the copy is of when it was sealed. Oracle: the text of then; tolerance none."""
    body = zp.zoo.ref4()
    text, seal = body.to_yaml(), body.sealed()
    for edit in (rename, lighten, share, drop):
        edit(body)
    assert seal.copy().to_yaml() == text
    assert not seal.is_unbroken()


def test_a_description_that_nobody_wants_is_gone_at_once() -> None:
    """Law: no search for garbage is needed. Oracle: a weak reference; its bodies live as long as a model may want them."""
    body = zp.Description.from_yaml(zp.zoo.ref4().to_yaml())
    model, text, gone = zp.compile(body), body.to_yaml(), weakref.ref(body.bodies[0])
    gc.disable()
    try:
        del body
        assert gone() is not None and model.description.to_yaml() == text
        del model
        assert gone() is None
    finally:
        gc.enable()


def test_alterations_of_what_is_known_to_be_right_need_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    body = zp.zoo.ref4()
    other = zp.zoo.ref4()
    other.bodies[-1].joint.damping = -1.0
    refuse_checks(monkeypatch)
    assert body.altered(name="other").checked().name == "other"
    with pytest.raises(AssertionError, match="checked again"):  # what is altered was not sound
        other.altered(name="other").checked()


def test_sound_parts_hold_what_checked_ones_hold() -> None:
    """Law: leaving the checks out changes nothing. Oracle: the same part, checked; tolerance none."""
    sound = Body.sound(name="a", shapes=[Box.sound(size=(1.0, 2.0, 3.0))])
    checked = Body(name="a", shapes=[Box(size=(1.0, 2.0, 3.0))])
    assert (
        sound == checked
        and repr(sound) == repr(checked)
        and sound.model_fields_set == checked.model_fields_set
    )
    assert sound.joint is not Body.sound(name="a").joint
    with pytest.raises(AssertionError, match="no field"):
        Box.sound(sizes=(1.0, 2.0, 3.0))


def test_an_altered_part_is_a_copy_with_other_values() -> None:
    """Law: nothing but the values given changes. Oracle: pydantic's copy; tolerance none."""
    body = zp.zoo.ref4().bodies[1]
    altered, copied = body.altered(name="other"), body.model_copy(update={"name": "other"})
    assert altered == copied and altered.model_fields_set == copied.model_fields_set
    assert body.name != "other" and altered.joint is body.joint
    with pytest.raises(AssertionError, match="no field"):
        body.altered(names="other")


def lift(body: Description) -> Description:
    """The same with another first body; all others are shared."""
    first = body.bodies[0].model_copy()
    return body.altered(bodies=[first, *body.bodies[1:]])


def records(seal: Seal) -> list[object]:
    """What a seal knows, by identity."""
    return [[*map(id, map(vars, seal._parts))], [[*map(id, values)] for values in seal._values], [*map(id, seal._lists)],
            [[*map(id, items)] for items in seal._items]]  # fmt: skip


def test_the_seal_of_what_is_altered_is_that_of_the_whole() -> None:
    """Claim: records that are taken over are those that a look at every part gives. Oracle: that look."""
    body = zp.Description.from_yaml(zp.zoo.ref4().to_yaml())
    altered = lift(lift(body))
    assert records(altered.sealed()) == records(Seal(altered))
    assert altered.checked() == altered and altered.bodies[1] is body.bodies[1]


@pytest.mark.parametrize("edit", [rename, drop, lighten, assign_what_was_there, share])
def test_every_edit_of_what_is_altered_is_checked(
    edit: Callable[[Description], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    altered = lift(zp.Description.from_yaml(zp.zoo.ref4().to_yaml()))
    edit(altered)
    refuse_checks(monkeypatch)
    with pytest.raises(AssertionError, match="checked again"):
        altered.checked()
