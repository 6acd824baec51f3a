"""The description of a living thing: what it is, editable, as an object and as a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from zoophyte.description.bodies import Body
from zoophyte.description.constraints import Constraint, Pair, constraint_findings
from zoophyte.description.files import read_text, write_text
from zoophyte.description.part import Part, Seal
from zoophyte.description.problems import (
    Finding,
    as_line_errors,
    field_of,
    given,
    listed,
    place,
    refuse,
)
from zoophyte.description.readers import ENDINGS, read_foreign
from zoophyte.description.reading import Document, read_yaml
from zoophyte.description.surface import Surface
from zoophyte.description.tree import (
    BODY_LIMIT,
    ORIGIN,
    UNTURNED,
    Guest,
    clashing_names,
    free_prefix,
    guest,
    moving_mass_findings,
    parents_first,
    side_by_side,
    tree_findings,
)
from zoophyte.description.values import Name, Notes, Truth
from zoophyte.description.writing import write_yaml
from zoophyte.errors import DescriptionError, Problem, UsageError, counted, nearest

FORMAT_KEY = "zoophyte"
FORMAT_VERSION = 1
NAMES_TOLD = 5


def _with_format_key(schema: dict[str, Any]) -> None:
    version = {"const": FORMAT_VERSION, "description": "Version of the format."}
    schema["properties"] = {FORMAT_KEY: version, **schema["properties"]}


class Description(Part):
    """A named forest of bodies: SI units, radians, z up, quaternions (w, x, y, z).

    The bodies may be given in any order; they are kept with every parent before its children.
    """

    model_config = ConfigDict(json_schema_extra=_with_format_key)
    kind_positions: ClassVar[Mapping[str, int]] = {"constraints": 2}
    # Of when it was last checked, and where bodies were; no fields: they take no part in comparisons, copies and files.
    __slots__ = ("_places", "_seal")

    name: Name
    """What the thing is called."""
    bodies: list[Body]
    """Its bodies."""
    notes: Notes = ""
    """Anything worth knowing about it."""
    surface: Surface | None = None
    """How its shapes touch, where they do not say themselves; without one they touch nothing."""
    self_contact: Truth = False
    """Whether bodies of the same tree touch each other; a body and its parent never do."""
    pairs: list[Pair] = Field(default_factory=list)
    """Pairs of bodies that touch differently from what their surfaces say, or not at all."""
    constraints: list[Constraint] = Field(default_factory=list)
    """What holds bodies together beside their joints."""

    @classmethod
    def whole_findings(cls, data: object) -> list[Finding]:
        """What is wrong with how the bodies hang together and are held.

        Args:
            data: what the description is to be made from, as given.
        """
        return [*tree_findings(field_of(data, "bodies")), *constraint_findings(data)]

    @field_validator("bodies", mode="before")
    @classmethod
    def _a_list_of_bearable_length(cls, bodies: Any) -> Any:
        if not isinstance(bodies, list | tuple):
            raise refuse(f"is {given(bodies)}, must be a list of bodies.")
        if len(bodies) > BODY_LIMIT:
            raise refuse(f"holds {len(bodies)} bodies; at most {BODY_LIMIT} are allowed.")
        return bodies

    @model_validator(mode="after")
    def _mass_and_order(self) -> Self:
        if not tree_findings(self.bodies):
            findings = moving_mass_findings(self.bodies)
            if findings:
                raise ValidationError.from_exception_data(type(self).__name__, as_line_errors(findings))
            self.bodies = parents_first(self.bodies)
            object.__setattr__(self, "_seal", Seal(self))
        return self

    def body(self, name: str) -> Body:
        """The body of that name, to read or to edit.

        Args:
            name: of the body.

        Raises:
            DescriptionError: when there is none.
        """
        if (place := self._place(name)) is not None:
            return self.bodies[place]
        how = nearest(name, [body.name for body in self.bodies])
        raise DescriptionError(Problem(self._title(), f"has no body {given(name)}.", how))

    def add(
        self, other: Body | Description, *, at: Any = ORIGIN, rotation: Any = UNTURNED, prefix: str = ""
    ) -> Self:
        """Add a body whose parent is there already, or a whole description beside this one; returns the description.

        ::

            pair = zp.zoo.ant().add(zp.zoo.humanoid(), at=(2, 0, 0), prefix="h_")

        Args:
            other: copied, so that later edits go through :meth:`body`. Of a description the bodies, pairs and constraints
                come in, and touch as they did; its name and notes do not.
            at: of a description, where its ground frame stands in ours: ``(x, y, z)`` [m].
            rotation: of a description, how that frame is turned: unit quaternion ``(w, x, y, z)``.
            prefix: of a description, put before the names of its bodies and constraints wherever they stand.

        Raises:
            DescriptionError: when a name is taken, a parent unknown, or something in it is wrong itself.
            UsageError: when `at`, `rotation` or `prefix` cannot be used, or go with a single body.
        """
        if isinstance(other, Description):
            self.sealed()  # says what edits have broken
            return self._join(guest(other.checked(), at=at, rotation=rotation, prefix=prefix))
        if (at, rotation, prefix) != (ORIGIN, UNTURNED, ""):
            raise UsageError(
                "at, rotation and prefix go with a whole description; a body has its place in its joint."
            )
        checked = Body.model_validate(other)
        if len(self.bodies) >= BODY_LIMIT:
            raise DescriptionError(
                Problem(self._title(), f"holds {BODY_LIMIT} bodies, the most that is allowed.")
            )
        places = (self._place(name, new=True) for name in (checked.name, checked.parent))
        relatives = [self.bodies[place] for place in places if place is not None]
        if _last_findings([*relatives, checked]):  # the whole is looked at only to say what is wrong
            where = f"{self._title()}: body {given(checked.name)}"
            findings = _last_findings([*self.bodies, checked])
            raise DescriptionError([Problem(where, f"{f.path[-1]} {f.what}", f.how) for f in findings])
        self.bodies.append(checked)
        object.__getattribute__(self, "_places")[1][checked.name] = len(self.bodies) - 1
        return self

    def _place(self, name: str, *, new: bool = False) -> int | None:
        """Where a body of that name is; looked up where it was, so that a search through all is rare.

        Where it is `new`, likely to be nobody's, no rename is looked for; the next check finds those.
        """
        held: tuple[Any, dict[str, int]] = getattr(self, "_places", (None, {}))
        bodies, places = held
        place = places.get(name)
        if place is not None and place < len(self.bodies) and self.bodies[place].name == name:
            return place
        if not (new and place is None and bodies is self.bodies and len(places) == len(bodies)):
            places = {body.name: n for n, body in reversed(list(enumerate(self.bodies)))}
            object.__setattr__(self, "_places", (self.bodies, places))
        return places.get(name)

    def _join(self, other: Guest) -> Self:
        """Take a whole description in; this one changes only if everything is right."""
        if clashes := clashing_names(self, other):
            how = f"Give the newcomers a prefix: add(…, prefix={free_prefix(self, other)!r})."
            what = f"cannot take in {given(other.description.name)}: {_both_have(clashes)}."
            raise DescriptionError(Problem(self._title(), what, how))
        parts = side_by_side([Guest(self), other], self.surface)
        values = {name: getattr(self, name) for name in type(self).model_fields}
        whole = type(self)(**{**values, **parts})
        for name in parts:
            setattr(self, name, getattr(whole, name))
        return self

    def copy(self) -> Self:  # type: ignore[override]  # pydantic's deprecated method of that name takes options
        """An independent copy."""
        return self.model_copy(deep=True)

    @classmethod
    def sound(cls, **values: Any) -> Self:
        """A description that is known to be right, every parent before its children; see :meth:`Part.sound`.

        Args:
            values: of fields.
        """
        made = super().sound(**values)
        object.__setattr__(made, "_seal", Seal(made))
        return made

    def altered(self, **values: Any) -> Self:
        """The same with other values that are known to be right; it need not be checked if this one need not be.

        Args:
            values: of fields.
        """
        changed = super().altered(**values)
        seal: Seal | None = getattr(self, "_seal", None)
        if seal is not None and seal.is_unbroken():
            object.__setattr__(changed, "_seal", Seal(changed, seal))
        return changed

    def checked(self) -> Self:
        """An independent copy, after all edits have been checked.

        Raises:
            DescriptionError: with everything that edits have broken.
        """
        found: Self = self.sealed().copy()
        return found

    def sealed(self) -> Seal:
        """What the description holds now, all edits checked; later ones do not change it.

        Raises:
            DescriptionError: with everything that edits have broken.
        """
        checked = self
        if not self._is_sealed():
            checked = type(self)(**{name: getattr(self, name) for name in type(self).model_fields})
        seal: Seal = object.__getattribute__(checked, "_seal")
        return seal

    def _is_sealed(self) -> bool:
        """Whether nothing has changed since all was checked."""
        seal: Seal | None = getattr(self, "_seal", None)
        return seal is not None and seal.is_unbroken()

    @classmethod
    def forest(cls, name: str, trees: Mapping[str, Description], notes: str = "") -> Self:
        """Several descriptions in one; body "shin" of tree "a" becomes "a/shin".

        Args:
            name: of the whole.
            trees: the descriptions by the prefix that their bodies get.
            notes: of the whole.
        """
        guests = [Guest(tree, f"{prefix}/") for prefix, tree in trees.items()]
        return cls(name=name, notes=notes, **side_by_side(guests, None))

    @classmethod
    def from_yaml(cls, text: str, source: str = "<text>") -> Self:
        """The description that a YAML text holds.

        Args:
            text: the text.
            source: what to call it in messages, usually the file's name.

        Raises:
            DescriptionError: with everything that is wrong, each with file, line and key.
            FileError: when the text is no YAML.
        """
        document = read_yaml(text, source)
        data = document.root.plain()
        found = list(document.findings)
        description = None
        if isinstance(data, dict) and data.get(FORMAT_KEY) == "population":
            found = _version_findings(data, document)
        elif isinstance(data, dict):
            found += _version_findings(data, document)
            data.pop(FORMAT_KEY, None)
            description, findings = cls.examine(data)
            found += [(document.line(finding.path), finding) for finding in findings]
        else:
            found.append(
                (
                    document.root.line,
                    Finding((), f"is {given(data)}, must be a mapping with the keys name and bodies."),
                )
            )
        if description is None or found:
            raise DescriptionError(
                listed([_problem(source, line, finding, data) for line, finding in _by_line(found)])
            )
        return description

    def to_yaml(self) -> str:
        """The description as YAML text; :meth:`from_yaml` gives the same description back, bit for bit."""
        return write_yaml(self.checked(), {FORMAT_KEY: FORMAT_VERSION})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the description to a YAML file, which is replaced whole or not at all.

        Args:
            path: of the file.

        Raises:
            FileError: when it cannot be written.
            UsageError: when its name promises another format than YAML.
        """
        if Path(path).suffix.lower() in ENDINGS:
            how = "zoophyte.export.mjcf.write_mjcf writes MJCF, zoophyte.export.urdf.write_urdf URDF."
            raise UsageError(
                f"{os.fspath(path)}: descriptions are saved as YAML; end the name in .yaml. {how}"
            )
        write_text(path, self.to_yaml())

    def __repr__(self) -> str:
        dofs = sum(body.joint.dof_count for body in self.bodies)
        bodies, freedom = counted(len(self.bodies), "body", "bodies"), counted(dofs, "degree", "degrees")
        return f"Description({self.name!r}: {bodies}, {freedom} of freedom; to_yaml() tells all)"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        """A picture and a table, for notebooks; drawn by a folder to the right, known by name only."""
        html: str = import_module("zoophyte.export.notebook").description_html(self)
        return html

    def _title(self) -> str:
        return f"Description {given(self.name)}"


def load(
    path: str | os.PathLike[str],
    *,
    partial: bool = False,
    root: Literal["fixed", "free"] = "fixed",
    proxies: bool = False,
) -> Description:
    """The description that a file holds: MJCF or URDF when its name ends in .xml, .mjcf or .urdf, else YAML.

    Args:
        path: of the file.
        partial: of MJCF and URDF, leave out what Zoophyte does not have instead of refusing the file; the notes of the
            description list what was left out.
        root: of URDF, whether the outermost link is fixed to the ground or free.
        proxies: let capsules, boxes and balls inside of cylinders, ellipsoids, frusta, polyhedra and meshes meet other
            shapes, which these cannot touch; the notes of the description tell which.

    Raises:
        DescriptionError: with everything that is wrong, each with file, line and key.
        FileError: when the file cannot be read or does not hold what its name says.
        MissingExtraError: when an optional package is needed for it.
    """
    if root not in ("fixed", "free"):
        raise UsageError(f"root is {given(root)}, must be 'fixed' or 'free'.")
    if Path(path).suffix.lower() in ENDINGS:
        return read_foreign(path, partial=partial, root=root, proxies=proxies)
    description = Description.from_yaml(read_text(path), source=os.fspath(path))
    if not proxies:
        return description
    from zoophyte.description.readers.proxies import with_proxies

    return with_proxies(description)


def _both_have(names: Sequence[str]) -> str:
    """What two descriptions have in common, in words."""
    listed = [given(name) for name in names[:NAMES_TOLD]]
    if len(names) > NAMES_TOLD:
        listed.append(f"{len(names) - NAMES_TOLD} more")
    told = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    return f"both have something called {told}"


def _last_findings(bodies: list[Body]) -> list[Finding]:
    """What is wrong with how the last body hangs on the others."""
    return [finding for finding in tree_findings(bodies) if finding.path[1] == len(bodies) - 1]


def _version_findings(data: dict[str, Any], document: Document) -> list[tuple[int, Finding]]:
    version = data.get(FORMAT_KEY, FORMAT_VERSION)
    if version == FORMAT_VERSION and type(version) is int:
        return []
    what = f"is {given(version)}; this version of Zoophyte reads format {FORMAT_VERSION}."
    how = "Newer files need a newer Zoophyte."
    if version == "population":
        what = "is 'population': the file holds genomes of a run, and no body."
        how = "`zoophyte export RUN.db body.yaml` writes the body of the best; `zoophyte evolve --from` goes on with these."
    return [(document.line((FORMAT_KEY,)), Finding((FORMAT_KEY,), what, how))]


def _by_line(found: list[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
    return sorted(found, key=lambda item: item[0])


def _problem(source: str, line: int, finding: Finding, data: object) -> Problem:
    where = place(finding.path, data)
    return Problem(f"{source}:{line}: {where}" if where else f"{source}:{line}", finding.what, finding.how)
