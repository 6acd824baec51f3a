"""Where the numbers of contact lie in a block: behind the links, in all three arrays.

`ints`     ints[CONTACT] names the section: a header, one row per shape, per pair of shapes, per constraint and per axis
           (a degree of freedom with a limit, dry friction or a servo of limited force), tables of links for each lane, and
           for each link the range of its tree
`data`     the same things' constants, and the memory: impulses of the last step, which warm up the next solve
`scratch`  *slots*: what is solved.  A slot is three rows at a point (normal and two tangents; or three turns).  Slots are
           filled lane by lane: the third slot of one creature may be a foot, that of its neighbour a knee

A row holds the degrees of freedom on the paths from its two links to their roots, and no others: as many numbers as a path
is long, in ascending order along each.  In blocks of lanes, which differ in their paths, it holds the whole tree.
"""

from __future__ import annotations

# Section header in `ints`, from ints[CONTACT] on.
(
    SHAPE_COUNT, SHAPE_ROWS, SHAPE_LINKS, PAIR_COUNT, PAIR_ROWS, HOLD_COUNT, HOLD_ROWS, AXIS_COUNT, AXIS_ROWS,
    PATH_ROWS, SLOT_START, SLOT_STRIDE, SLOT_CAPACITY, ROW_STRIDE, AXIS_START, WORK_START, HEAD_START, MEMORY_START,
    MAX_SWEEPS, GROUND_KIND, FEATURES, ORDER_START, BROAD_START, ISLAND_COUNT, ISLAND_LABELS, ISLAND_START,
    SLEEP_START, MERGE_START, RUN_AREA, SLOT_SHORT, MEMORY_ROOM, PAIR_ROOM, AXIS_POOL, AXIS_STRIDE, AXIS_ROOM, LATE_ROOM,
    CONTACT_HEADER,
) = range(37)  # fmt: skip
# Room: for SLOT_CAPACITY slots and AXIS_ROOM rows of axes in `scratch`, PAIR_ROOM near pairs in `ints`, all of which a world
# enlarges where a step needs more; MEMORY_ROOM slots in the memory; LATE_ROOM of the rows of axes are kept for limits that
# are met late.  What OVERFLOW tells: that slots are too few (SLOT_SHORT: for good, or to be enlarged), pairs, rows of axes.
TOO_MANY, LACKS_SLOTS, LACKS_PAIRS, LACKS_AXES = 1, 2, 3, 4
NO_GROUND, PLANE_GROUND, TERRAIN_GROUND = 0, 1, 2
# What is present at all.
FEATURE_RESTITUTION, FEATURE_BROAD, FEATURE_TURN, FEATURE_HOLDS, FEATURE_GRAIN = 1, 2, 4, 8, 16
FEATURE_SLEEP, FEATURE_LAWS, FEATURE_ALIKE, FEATURE_BALLS = 32, 64, 128, 256
# laws: other than that of an ordinary contact; alike: all lanes have the same tree and the same shapes on the same links;
# balls: there are ball joints

# Shape rows: kind, data offset, corners of a polyhedron, link in lane 0 (which names the tree).
SHAPE_KIND, SHAPE_DATA, SHAPE_CORNERS, SHAPE_TREE, SHAPE_ROW_SIZE = 0, 1, 2, 3, 4
BALL_SHAPE, ROUND_SHAPE, BOX_SHAPE, DISC_SHAPE, ELLIPSOID_SHAPE, CORNER_SHAPE = 0, 1, 2, 3, 4, 5
POINT_COUNT = (1, 2, 8, 8, 1, 0)  # points that a shape may set on the ground; a polyhedron all its corners
BIN_COUNT = (0, 4, 8, 8, 8, 0)  # parts of a shape that may besides touch edges of a terrain
BIN_KEEPS = 2  # contacts of each part
KEYS_PER_SHAPE, KEYS_PER_PAIR = 256, 64

# Shape record in `data`; vectors in link axes.
SHAPE_POSITION, SHAPE_ROTATION, SHAPE_SIZE = 0, 3, 12
SHAPE_CENTRE, SHAPE_REACH = 15, 18  # a ball around the shape
SHAPE_GROUND_FRICTION, SHAPE_GROUND_RESTITUTION, SHAPE_MEETS_GROUND = 19, 20, 21
SHAPE_ROOT_FRICTION, SHAPE_RESTITUTION = 22, 23  # own: √μ, so that the geometric mean is a product
SHAPE_ROLLING, SHAPE_TORSION, SHAPE_ADHESION = 24, 25, 26
SHAPE_ACROSS, SHAPE_GRAIN = 27, 28  # friction across over friction along the grain
SHAPE_EXTENT = 31  # no point is farther from the link's origin
SHAPE_RECORD = 32

# Pair rows: first shape, second shape, data offset of the pair's own friction and restitution (−1: mixed).
PAIR_FIRST, PAIR_SECOND, PAIR_DATA, PAIR_ROW_SIZE = 0, 1, 2, 3
PAIR_FRICTION, PAIR_RESTITUTION, PAIR_MEETS, PAIR_RECORD = 0, 1, 2, 3

# Holds (connect, weld, attach): kind, data offset, index of two rows of links.
HOLD_KIND, HOLD_DATA, HOLD_LINKS, HOLD_TREE, HOLD_ROW_SIZE = (
    0,
    1,
    2,
    3,
    5,
)  # HOLD_TREE: a link of each tree, lane 0
CONNECT_HOLD, WELD_HOLD, ATTACH_HOLD = 0, 1, 2
HOLD_POINT, HOLD_OTHER, HOLD_TURN = (
    0,
    3,
    6,
)  # points in link axes; rotation of the first link in the second's axes (9)
HOLD_STIFFNESS, HOLD_DAMPING, HOLD_BREAK, HOLD_BROKEN, HOLD_RECORD = 15, 16, 17, 18, 19

# Axis rows: data offset of the dof block, of the coordinate, link, dof, data offset of the axis's own record.
AXIS_DOF, AXIS_Q, AXIS_LINK, AXIS_V, AXIS_DATA, AXIS_ROW_SIZE = 0, 1, 2, 3, 4, 5
DRY_FRICTION, WEAK_STIFFNESS, WEAK_DAMPING, WEAK_FORCE, AXIS_HARD, AXIS_RECORD = (
    0,
    1,
    2,
    3,
    4,
    5,
)  # weak: a servo of limited force; hard: 0 for a limit that is none or soft, else the unit of its overruns

# Path rows, one per link.  A stretch is a part of the path from a link to its root whose dofs follow one another: its first
# dof, the dofs on the path before it, the dof behind the link's own, the link above the stretch.  Then how many dofs lie on
# the path before the link's own, which is their place in rows; and the number of the tree for islands.
PATH_TOP, PATH_BEFORE, PATH_END, PATH_ABOVE, PATH_PLACE, PATH_ISLAND, PATH_ROW_SIZE = 0, 1, 2, 3, 4, 5, 6
# Sums of each island, in `scratch`; sleep of each tree, in `data`.
ISLAND_SQUARE, ISLAND_WORK, ISLAND_FACTOR, ISLAND_RUNNING, ISLAND_CHANGE = 0, 1, 2, 3, 4
ISLAND_MOMENTUM, ISLAND_LAST, ISLAND_WEIGHT, ISLAND_AIM, ISLAND_RECORD = 5, 6, 7, 8, 9
SLEEP_ASLEEP, SLEEP_TIMER, SLEEP_ISLAND, SLEEP_REACH, SLEEP_RESTLESS, SLEEP_RECORD = 0, 1, 2, 3, 4, 5

# Contact header in `data`.
(
    PLANE_NORMAL, PLANE_HEIGHT, MARGIN, TOLERANCE, IMPACT_SPEED, SLOP, TERRAIN_ORIGIN, TERRAIN_STEP, TERRAIN_SIZE,
    GROUND_ROLLING, GROUND_TORSION, GROUND_ADHESION, OVERFLOW, RESIDUAL, SWEEPS_DONE, SLEEP_SPEED, SLOT_COUNT,
    LARGEST_REACH, HEAD_SIZE,
) = (0, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)  # fmt: skip
SLOP_PART = 5e-4  # the slop, a depth that is left alone, over the size of a shape
# Memory in `data`: count, then for each slot its key and its force of the last step in world axes; then one force per
# axis and purpose. Forces, not impulses: the next step may be a shorter one.
MEMORY_KEY, MEMORY_FORCE, MEMORY_RECORD = 0, 1, 4
AXIS_MEMORY = 2  # limit, friction or servo

# Slot record in `scratch`; what every contact has comes first, so that it is written in one go.
SLOT_A, SLOT_B = 0, 1  # scratch offsets of the two links' records; 0 is the ground
SLOT_POINT_A, SLOT_POINT_B = 2, 5  # in link axes
SLOT_ARM = 8  # to the first point from the middle of what is round there, link axes (3); zeros where nothing is round
SLOT_GAP, SLOT_KEY = 11, 12  # distance [m], identity
SLOT_TREE_A, SLOT_TREE_B = 13, 14  # a link of each tree, lane 0; where lanes are alike, the link itself
SLOT_GRIP, SLOT_BIAS = 15, 16  # see SLOT_HOLD; a speed that the normal may have
SLOT_FRAME = 17  # normal (from B to A) and tangents, world axes (9)
SLOT_IMPULSE = 26  # along the frame (3)
SLOT_KIND = 29  # 0 a point, 1 turns
SLOT_LOW, SLOT_PULL, SLOT_HIGH = 30, 31, 32  # λ_n from −(LOW + PULL·ref) to HIGH + PULL·ref
SLOT_HOLD, SLOT_OWN = 33, 34  # |λ_t| ≤ HOLD + GRIP·(OWN·λ_n + (1 − OWN)·ref)
SLOT_SOFT, SLOT_ACROSS = 35, 36
SLOT_RESTITUTION, SLOT_BEFORE = 37, 38  # bounce; relative velocity before the step (3), as impulses are
SLOT_FREE = 41  # relative velocity without impulses (3)
SLOT_BLOCK = 44  # Λ of the three rows: nn, nt, nu, tt, tu, uu
SLOT_NORMAL_INVERSE, SLOT_TANGENT_INVERSE, SLOT_SLIDE = 50, 51, 54
# Runs as laid out; entries of each row; the last link on both paths; how much further B's own entries lie than PATH_PLACE.
SLOT_RUN_COUNT, SLOT_LENGTH, SLOT_COMMON, SLOT_SHIFT = 55, 56, 57, 58
SLOT_ROUND_IMPULSE, SLOT_ROUND_BIAS = 59, 62  # of this round of impacts (3, 1)
SLOT_BOUNCED = 63  # of all rounds (3)
SLOT_ERROR = 66  # what is left to correct in position (3)
SLOT_INVERSE = 69  # of the block (6)
SLOT_SOLID, SLOT_WHOLE = 75, 76  # whether anything moves; whether solved whole
# Where the rows are not zero, runs, closed by a zero: length, first place in the row, first dof.  They have RUN_AREA
# numbers, and the rows follow.  Where rows are whole trees, there is room for MOST_RUNS.
MOST_RUNS, RUN_PLACE, RUN_DOF, RUN_SIZE = 5, 1, 2, 3
SLOT_RUNS = 77

HUGE = 1e30  # a bound that is none
# Numbers per shape for the broad phase: what it moves with, its parent, tree, whether that meets itself, group, mask.
FILTER_SIZE = 6

# Axis record in `scratch`.
AXIS_ACTIVE, AXIS_IMPULSE, AXIS_FREE, AXIS_DIAGONAL, AXIS_SIDE, AXIS_BIAS = 0, 1, 2, 3, 4, 5
AXIS_FRICTION_IMPULSE, AXIS_FRICTION_BOUND, AXIS_TARGET, AXIS_SOFT = 6, 7, 8, 9
AXIS_ERROR, AXIS_BEFORE = 10, 11
AXIS_INVERSE, AXIS_GRIP_INVERSE = 13, 14  # of the diagonal, without and with what is soft
AXIS_ROW, AXIS_SIZE = 15, 16  # which of the rows of axes (runs, then entries) is its own, from 1 on; 0: none

# Work, behind the nv numbers of w = Yᵀλ, of the velocity change and of w one sweep before: slots filled so far, how far the
# memory has been read, whether the creature still bounces, rows that axes have, and those of them that were taken late.
WORK_COUNT, WORK_CURSOR, WORK_BOUNCES, WORK_AXES, WORK_LATE, WORK_SIZE = 0, 1, 2, 3, 4, 5
# With a terrain, behind them: for each bin of the shape that is looked at, and one for what does not count, of each of its
# contacts how deep it will be, its gap, point of the terrain and normal in the axes of the shape.
WORK_BINS = WORK_SIZE
MOST_BINS = max(BIN_COUNT)
BIN_SCORE, BIN_GAP, BIN_POINT, BIN_NORMAL, BIN_RECORD = 0, 1, 2, 5, 8
# Behind them: two more triangles that a ball or the end of a capsule may touch, for each of these.
WALLS = (MOST_BINS + 1) * BIN_KEEPS
WALL_COUNT = (2, 4, 0, 0, 0, 0)
BINS_SIZE = (WALLS + max(WALL_COUNT)) * BIN_RECORD


def ground_points(kind: int, corners: int, terrain: bool) -> int:
    """Contacts that a shape may have with the ground at one time; `corners`: of a polyhedron."""
    return (corners or POINT_COUNT[kind]) + (BIN_KEEPS * BIN_COUNT[kind] + WALL_COUNT[kind] if terrain else 0)


def most_pairs(count: int) -> int:
    """Pairs of shapes near each other for which the broad phase has room at first, of so many shapes."""
    return 16 * count + 64
