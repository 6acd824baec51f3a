"""Where the numbers of a whole life lie in a block, behind those of contact.

`ints`     ints[LIFE] names the section: a header, and one row per node of the controllers' graphs
`data`     a head (clock of the life, stops, audits, sums), samples, which links and shapes are the creature's own (1,
           or 0 for those of other trees), signals that begin later, nodes, tables of commands
`scratch`  sums over the links

Everything in the head is one number per creature: what is asked of a life may differ from lane to lane.
"""

from __future__ import annotations

# Section header in `ints`, from ints[LIFE] on.
(
    LIFE_HEAD, LIFE_SAMPLES, LIFE_SAMPLE_ROOM, LIFE_TABLE, LIFE_NODES, LIFE_NODE_COUNT, LIFE_SENSOR_COUNT,
    LIFE_EFFECTOR, LIFE_PAIRS, LIFE_TOTALS, LIFE_FEATURES, LIFE_OWN_LINKS, LIFE_OWN_SHAPES, LIFE_SIGNALS, LIFE_HEADER,
) = range(15)  # fmt: skip
# What any creature of the block has.
FEATURE_TICKS, FEATURE_FLOWS, FEATURE_NODES, FEATURE_POSES, FEATURE_WORK, FEATURE_LATE = 1, 2, 4, 8, 16, 32

# Head in `data`.
(
    ALIVE, CAUSE, STEP, LAST_STEP, SEEN,  # the clock counts steps; SEEN is the step that was looked at last
    CHECK_EVERY, NEXT_SAMPLE, SETTLE, SAMPLE_EVERY, SAMPLES, ONE,  # ONE is 1, for inputs that nothing feeds
    TOTAL, ROOT, UP_0, UP_1, UP_2,  # mass of the creature; scratch offset of the root's record; its axis that is up at birth
    PATH, COM_0, COM_1, COM_2, HIGHEST, LOWEST,  # of the centre of mass
    WORK, EFFORT,  # of the actuators: sum, and sum of magnitudes [J]
    ENERGY_AT_BIRTH, ENERGY, GAIN, TOP_SPEED, DEEPEST,  # GAIN: the most by which energy has outgrown work
    FALL_HEIGHT, FALL_UPRIGHT, RANGE, LEAST_MOTION, WINDOW, WINDOW_END, WINDOW_0, WINDOW_1,
    GAIN_BOUND, GAIN_SHARE, SPEED_BOUND, DEPTH_BOUND,
    BIRTH_0, BIRTH_1,
    PERIOD, PERIOD_STEPS, TICK, NEXT_TICK,  # of a controller that is asked at a rate
    TABLE_RATE, TABLE_LENGTH, TABLE_REPEATS, TABLE_HOLDS, TABLE_FLOWS, TABLE_PLACE,  # PLACE: the segment in force
    BEGIN, BEGIN_STEP, LATE_SIGNALS,  # when the controller begins, and whether its signals wait till then
    LEAP, SETTLED_HEIGHT, LOOKS, LOOKS_AIRBORNE,  # of the creature, the first tree, once it has settled
    LIFE_HEAD_SIZE,
) = range(61)  # fmt: skip

# Causes of death.
(LIVING, ENDED, DIVERGED, OVERFLOWED, FELL, STRAYED, IDLE, GAINED, RACED, SANK) = range(10)

# A sample: centre of mass, place of the root, how upright it is, work of the actuators so far.
SAMPLE_COM, SAMPLE_ROOT, SAMPLE_UPRIGHT, SAMPLE_WORK, SAMPLE_SIZE = 0, 3, 6, 7, 8

# Node rows in `ints`: kind, data offset.
NODE_KIND, NODE_DATA, NODE_ROW_SIZE = 0, 1, 2
# Node record in `data`. PLACE: data offsets of the inputs (of a sensor: of what it reads, in `data` or `scratch`).
NODE_PLACE, NODE_WEIGHT, NODE_PARAMETER, NODE_STATE, NODE_OUTPUT, NODE_NEXT, NODE_SIZE = (
    0,
    3,
    6,
    8,
    11,
    12,
    13,
)
# Sensors have noise and delay too, and behind the record, like delaying neurons, a ring of what they last saw.
NODE_NOISE, NODE_CHANCE, NODE_DELAY, NODE_CURSOR, NODE_RING, RING_SIZE = 13, 14, 17, 18, 19, 32
RING_RECORD = NODE_RING + RING_SIZE

# Kinds of sensors, then of neurons.
(
    SENSE_FIELD, SENSE_TOUCH, SENSE_POSE, SENSE_ACCELERATION, SENSE_RANGE, SENSE_TOWARD,
    NEURON_ADD, NEURON_SUBTRACT, NEURON_MULTIPLY, NEURON_DIVIDE, NEURON_LESS, NEURON_GREATER, NEURON_MINIMUM,
    NEURON_MAXIMUM, NEURON_ABSOLUTE, NEURON_INVERT, NEURON_SINE, NEURON_COSINE, NEURON_SIGMOID, NEURON_LOGARITHM,
    NEURON_EXPONENTIAL, NEURON_WAVE, NEURON_SAW, NEURON_SQUARE, NEURON_DELAY, NEURON_INTEGRATE, NEURON_DIFFERENTIATE,
    NEURON_CONSTANT, EFFECTOR, NODE_KINDS,
) = range(30)  # fmt: skip
FIRST_NEURON = NEURON_ADD


def node_size(kind: int) -> int:
    """Numbers in the record of a node of this kind."""
    return RING_RECORD if kind < FIRST_NEURON or kind == NEURON_DELAY else NODE_SIZE
