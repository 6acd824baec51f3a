"""What lives on a GPU do otherwise than on a CPU, though the results are those of float32 lanes.

Pens have no islands, no sleep and no broad phase: without these, kernels never write to their table of integers.
Threads read computed places as fast as any others.  And the threads of a creature divide its longest loops.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import ISLAND_START, PAIR_COUNT, PAIR_ROWS
from zoophyte.model.layout import CONTACT, IMPLICIT
from zoophyte.numbers import Array, Mask, Number, Spec, largest_lane, primitives
from zoophyte.numbers.cuda import device_function, simulated
from zoophyte.numbers.cuda.team import line_up
from zoophyte.numbers.memory import shared
from zoophyte.physics.contact import axes, cone, islands, runs, slots, solver, sweeps, touch
from zoophyte.physics.contact.correction import correct
from zoophyte.physics.contact.detect.broad import near_pairs
from zoophyte.physics.cuda import sweeping, teams
from zoophyte.physics.dynamics.medium import medium_forces
from zoophyte.physics.lives import pressing
from zoophyte.physics.step import advance, method_of, start_evaluation


def no_common_place(offset: Number, mask: Mask) -> int:
    """In place of `shared`."""
    return -1


def no_common_slot(ints: Array, take: Mask, count: Number) -> int:
    """In place of `common_slot`."""
    return -1


def most_of_all(x: Number) -> int:
    """In place of `most_of`: all threads of a warp go as far."""
    return int(largest_lane(x))


def only_island(ints: Array, tree: int, spec: Spec) -> int:
    """In place of `island_record`."""
    return ints[ints[CONTACT] + ISLAND_START]


def only_slot_island(ints: Array, scratch: Array, slot: int, spec: Spec) -> int:
    """In place of `slot_island`."""
    return ints[ints[CONTACT] + ISLAND_START]


def all_pairs(ints: Array, data: Array, scratch: Array, spec: Spec) -> Any:
    """In place of `near_pairs`."""
    return ints[ints[CONTACT] + PAIR_COUNT], ints[ints[CONTACT] + PAIR_ROWS]


def join_nothing(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """In place of `join`."""
    return


def nobody_sleeps(ints: Array, data: Array, spec: Spec) -> bool:
    """In place of `everyone_sleeps`."""
    return False


def is_awake(ints: Array, data: Array, link: int, spec: Spec) -> bool:
    """In place of `is_asleep`."""
    return False


def wake_nobody(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> bool:
    """In place of `wake_touched`."""
    return False


def begin_together(ints: Array, data: Array, spec: Spec) -> None:
    """In place of `wake_pushed`, with which a step begins."""
    line_up(spec)


def solve_together(ints: Array, data: Array, spec: Spec) -> None:
    """In place of `still_sleepers`, behind which contacts are solved."""
    line_up(spec)


def leave_data(ints: Array, data: Array, spec: Spec) -> None:
    """In place of what sleep does to `data`."""
    return


def leave_memory(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """In place of what sleep does to the memory."""
    return


def medium_law(ints: Array, row: int, data: Array, scratch: Array, spec: Spec) -> None:
    """In place of `call_force_law`: on a GPU there is no law but that of the medium."""
    medium_forces(ints, data, scratch, ints[row + primitives.LAW_FIRST], spec)


def no_law(ints: Array, row: int, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """In place of `call_response_law`."""
    return


def implicit(ints: Array) -> int:
    """In place of `method_of`: herds have one integrator."""
    return IMPLICIT


def not_free(ints: Array, data: Array, scratch: Array, evaluation: int, spec: Spec) -> None:
    """In place of what is done where nothing touches."""
    return


OTHERS: dict[Any, Any] = {
    primitives.call_force_law: medium_law,
    primitives.call_response_law: no_law,
    method_of: implicit,
    advance: not_free,
    start_evaluation: not_free,
    shared: no_common_place,
    slots.common_slot: no_common_slot,
    pressing.most_of: most_of_all,
    near_pairs: all_pairs,
    touch.wake_touched: wake_nobody,
    islands.island_record: only_island,
    islands.slot_island: only_slot_island,
    islands.join: join_nothing,
    islands.everyone_sleeps: nobody_sleeps,
    islands.is_asleep: is_awake,
    islands.wake_pushed: begin_together,
    islands.still_sleepers: solve_together,
    islands.fall_asleep: leave_data,
    islands.merge_memory: leave_memory,
    islands.set_memory_aside: leave_memory,
    slots.begin_slots: teams.begin_slots,
    runs.slot_products: teams.slot_products,
    runs.axis_square: teams.axis_square,
    cone.slot_velocity: teams.slot_velocity,
    cone.add_slot: teams.add_slot,
    cone.normal_motion: teams.normal_motion,
    cone.add_normal: teams.add_normal,
    axes.axis_motion: teams.axis_motion,
    axes.add_axis: teams.add_axis,
    sweeps.clear_work: sweeping.clear_work,
    correct.measure_slots: teams.measure_slots,
    touch.remember_slots: teams.remember_slots,
    sweeps.guard_energy: sweeping.guard_energy,
    sweeps.sweep_until_still: sweeping.sweep_until_still,
    solver.make_rows: teams.make_rows,
}
"""Function → what stands in its place; each may call those that stand above it."""


def device_life(life: Any, lanes: int) -> Any:
    """A function that lives lives as the device function of a thread, with all of these in their places."""
    if simulated():
        found: dict[Any, Any] = {primitives.width: lambda spec: lanes}
    else:
        from zoophyte.numbers.cuda import warp

        found = warp.together(lanes)
    for old, new in OTHERS.items():
        found[old] = device_function(new, replaced=found)
    return device_function(life, replaced=found)
