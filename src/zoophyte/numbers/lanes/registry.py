"""How a primitive gets its meaning for the compiler: one function that types it, one that writes its code.

`numba.extending.overload` would do the same through a nested compilation of a one-line Python function for
each signature.  Writing the instructions in place of the call keeps compile times of whole steps in seconds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.core import errors, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from zoophyte.numbers.lanes.kinds import LaneType, MaskType

Typer = Callable[..., types.Type | None]
"""Argument types to result type; None when the primitive does not exist for them."""

Lowering = Callable[..., Any]
"""(context, builder, signature, arguments) to the LLVM value of the result."""


def primitive(function: Any, typer: Typer) -> Callable[[Lowering], Lowering]:
    """Register `function` with `typer`; decorates the lowering."""
    parameters = inspect.signature(function)

    def generic(self: Any, arguments: Any, keywords: Any) -> Any:
        try:
            bound = parameters.bind(*arguments, **keywords)
        except TypeError as error:
            raise errors.TypingError(f"{function.__name__}{parameters}: {error}") from None
        bound.apply_defaults()
        kinds = tuple(bound.arguments.values())
        result = typer(self.context, *kinds)
        return None if result is None else signature(result, *kinds).replace(pysig=parameters)

    template = type(
        f"_{function.__name__}_template", (AbstractTemplate,), {"key": function, "generic": generic}
    )
    infer_global(function)(template)
    return lower_builtin(function, types.VarArg(types.Any))


def operation(function: Any, typer: Typer, *kinds: tuple[Any, ...]) -> Callable[[Lowering], Lowering]:
    """Register one of Python's operators for the argument classes in `kinds`; decorates the lowering."""

    def generic(self: Any, arguments: Any, keywords: Any) -> Any:
        result = typer(self.context, *arguments)
        return None if result is None else signature(result, *arguments)

    template = type(
        f"_{function.__name__}_template", (AbstractTemplate,), {"key": function, "generic": generic}
    )
    infer_global(function)(template)

    def decorate(lowering: Lowering) -> Lowering:
        for classes in kinds:
            lower_builtin(function, *classes)(lowering)
        return lowering

    return decorate


def is_scalar(kind: types.Type) -> bool:
    """Whether `kind` can be promoted to a lane."""
    return isinstance(kind, types.Float | types.Integer)


def is_float(kind: types.Type) -> bool:
    """Whether `kind` is a number that kernels compute with: a float or a lane."""
    return isinstance(kind, types.Float | LaneType)


def element(kind: types.Type) -> types.Type:
    """The scalar type of a float or a lane."""
    return kind.dtype if isinstance(kind, LaneType) else kind


def common_lane(function: str, *kinds: types.Type) -> LaneType | None:
    """The lane type that arithmetic on `kinds` yields; None without a lane, or with what is no number."""
    lanes = [kind for kind in kinds if isinstance(kind, LaneType)]
    if not lanes or not all(isinstance(kind, LaneType) or is_scalar(kind) for kind in kinds):
        return None
    if any(lane != lanes[0] for lane in lanes):
        raise errors.TypingError(f"{function}: lanes of different kinds, {' and '.join(map(str, lanes))}")
    return lanes[0]


def common_number(context: Any, function: str, *kinds: types.Type) -> types.Type | None:
    """The lane or scalar type that covers all `kinds`; None when there is none."""
    lane = common_lane(function, *kinds)
    if lane is not None or not all(is_scalar(kind) for kind in kinds):
        return lane
    return context.unify_types(*map(types.unliteral, kinds))


def common_mask(function: str, *kinds: types.Type) -> types.Type | None:
    """The mask type (or plain bool) that covers all `kinds`; None when there is none."""
    masks = [kind for kind in kinds if isinstance(kind, MaskType)]
    if not all(isinstance(kind, MaskType | types.Boolean) for kind in kinds):
        return None
    if any(mask != masks[0] for mask in masks):
        raise errors.TypingError(f"{function}: masks of different widths, {' and '.join(map(str, masks))}")
    return masks[0] if masks else types.boolean


def cast_all(context: Any, builder: Any, signature: Any, values: Any, target: types.Type) -> list[Any]:
    """Every argument in the type `target`."""
    return [
        context.cast(builder, value, kind, target) for value, kind in zip(values, signature.args, strict=True)
    ]
