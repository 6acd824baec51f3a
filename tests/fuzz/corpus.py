"""Sound files of every kind, from which faulty ones are made."""

from __future__ import annotations

import functools
import io
import re
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import zoophyte as zp
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Connect,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    Motor,
    Pair,
    Servo,
    Sphere,
    Surface,
    TaperedCapsule,
    Weld,
)
from zoophyte.description.reading import read_yaml
from zoophyte.export.mjcf import write_mjcf

SCENE = """<mujoco model="scene">
  <compiler angle="radian" meshdir="." autolimits="true"/>
  <option timestep="0.002" iterations="50" gravity="0 0 -9.81" integrator="implicitfast"><flag contact="enable"/></option>
  <size memory="1M" nkey="2" nuser_body="2"/>
  <default><geom friction="0.8 0.005 0.0001" density="900"/>
    <default class="soft"><joint damping="1" stiffness="2"/></default></default>
  <asset>
    <mesh name="tetra" file="mesh.stl" scale="1 1 1"/>
    <mesh name="own" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <hfield name="hills" nrow="3" ncol="3" size="1 1 0.1 0.1" elevation="0 1 0 1 0 1 0 1 0"/>
    <texture name="check" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 0 1"/>
    <texture name="drawn" type="2d" file="t.png"/>
    <material name="paint" texture="check" rgba="1 0.5 0 1"/>
    <model name="other" file="other.xml"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/><camera name="eye" pos="0 -2 1" resolution="4 4"/>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <geom type="hfield" hfield="hills" pos="5 0 0"/>
    <body name="torso" pos="0 0 1"><freejoint name="root"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <geom name="hull" type="mesh" mesh="tetra" material="paint"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>
      <body name="leg" pos="0.2 0 0" euler="0 0.1 0">
        <joint name="hip" type="hinge" axis="0 1 0" range="-1 1" armature="0.01"
          frictionloss="0.1" ref="0.1" springref="0.2"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05"/><site name="foot" pos="0 0 -0.4"/>
        <body name="shank" pos="0 0 -0.4">
          <joint name="knee" class="soft" type="ball" pos="0 0 0.1"/><joint type="slide" axis="0 0 1"/>
          <geom type="cylinder" size="0.04 0.1" mass="0.3"/></body></body>
      <replicate count="3" offset="0.1 0 0"><geom size="0.02" pos="0 0.3 0"/></replicate>
    </body>
    <frame pos="0 2 0"><attach model="other" body="wheel" prefix="w"/></frame>
    <body name="box" pos="1 1 1"><joint name="a" type="hinge"/><joint name="b" type="hinge" axis="1 0 0"/>
      <geom type="box" size=".1 .2 .3"/>
      <site name="top" pos="0 0 0.3"/></body>
  </worldbody>
  <contact><pair geom1="floor" geom2="hull"/><exclude body1="leg" body2="box"/></contact>
  <equality><connect body1="box" body2="leg" anchor="0 0 0"/><weld body1="box" body2="torso"/></equality>
  <tendon><spatial name="rope" stiffness="10" springlength="0">
    <site site="foot"/><site site="top"/></spatial></tendon>
  <actuator><motor joint="hip" gear="5" ctrlrange="-1 1"/>
    <position joint="a" kp="20" kv="1" forcerange="-3 3"/></actuator>
  <sensor><jointpos joint="hip"/><rangefinder site="foot"/><user name="u" dim="2"/></sensor>
  <include file="keys.xml"/>
</mujoco>"""
OTHER = """<mujoco model="other"><worldbody>
<body name="wheel"><joint name="axle" type="hinge"/><geom type="cylinder" size="0.1 0.02"/></body>
</worldbody></mujoco>"""
KEYS = """<mujoco>
<keyframe><key name="initial" time="0"/></keyframe>
<custom><numeric name="n" size="3" data="1 2 3"/></custom></mujoco>"""
ROBOT = """<robot name="arm"><material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <visual><geometry><cylinder radius="0.2" length="0.1"/></geometry><material name="red"/></visual></link>
  <link name="upper"><inertial><origin xyz="0 0 0.2" rpy="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="c"><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision>
    <collision><geometry>
      <mesh filename="mesh.stl" scale="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="hand"><inertial><mass value="0.2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="tool"/><link name="slider"/><link name="puck"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1" rpy="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="30" velocity="3"/><dynamics damping="0.5" friction="0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.4"/><axis xyz="1 0 0"/></joint>
  <joint name="wrist" type="prismatic"><parent link="lower"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.1" effort="5" velocity="1"/></joint>
  <joint name="flange" type="fixed"><parent link="hand"/><child link="tool"/></joint>
  <joint name="s" type="fixed"><parent link="base"/><child link="slider"/></joint>
  <joint name="p" type="fixed"><parent link="slider"/><child link="puck"/></joint>
  <transmission name="t"><type>x</type></transmission><gazebo reference="base"/>
</robot>"""
WORDS = (
    *sorted(set(re.findall(r"[a-z_0-9]+(?==)|(?<=<)[a-z]+", SCENE + OTHER + KEYS))),
    "nuserdata", "njmax", "nconmax", "nstack", "nuser_geom", "count", "flexcomp", "composite", "cellcount", "fitscale",
    "strippath", "inertiafromgeom", "settotalmass", "balanceinertia", "boundmass", "fusestatic", "lengthrange", "inttotal",
    "gravcomp", "mocap", "delay", "nsample", "actdim", "dyntype", "general", "muscle", "adhesion", "plugin", "skin", "flex",
    "extension", "config", "builtin", "params", "maxhullvert", "inertia", "sep", "curve", "initial", "childclass",
    "springdamper", "polycoef", "sleep", "coordinate",
)  # fmt: skip
ROBOT_WORDS = (
    *sorted(set(re.findall(r"[a-z_0-9]+(?==)|(?<=<)[a-z]+", ROBOT))),
    "capsule", "mimic", "planar", "floating", "safety_controller", "calibration", "multiplier", "offset", "contact",
    "hardwareInterface", "xacro:macro",
)  # fmt: skip


def tetrahedron() -> bytes:
    """A binary STL file."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4") * np.float32(0.2)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    rows = b"".join(bytes(12) + corners[list(face)].tobytes() + bytes(2) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + rows


def picture_parts(width: int, height: int, depth: int, filters: int) -> list[tuple[bytes, bytes]]:
    """The chunks of a grey PNG picture."""
    rng = np.random.default_rng(width)
    row = width * depth // 8
    raw = b"".join(
        bytes([filters]) + rng.integers(0, 256, row, dtype=np.uint8).tobytes() for _ in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    return [(b"IHDR", header), (b"tEXt", b"a\0b"), (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]


def picture(parts: list[tuple[bytes, bytes]]) -> bytes:
    """A PNG file of chunks."""
    data = b"\x89PNG\r\n\x1a\n"
    for kind, content in parts:
        data += (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )
    return data


def creature() -> Description:
    """A small body with something of everything."""
    grip = Surface(friction=0.8, restitution=0.2, rolling=0.01)
    torso = Joint(kind="free", position=(0, 0, 1))
    arm = Joint(kind="ball", position=(0.2, 0, 0), stiffness=(1, 2, 3), damping=0.1)
    servo, motor = Servo(stiffness=20, damping=1, max_force=5), Motor(strength=3, max_speed=4)
    leg = Joint(kind="universal", limits=[[-1, 1], [-1, 1]], limit_stiffness=50, actuator=servo)
    foot = Joint(
        kind="slide", axis=(0, 0, 1), position=(0, 0, 0.3), friction=0.1, armature=0.01, actuator=motor
    )
    wheel = Joint(kind="hinge", position=(1, 0, 0), driven=True)
    egg = Joint(kind="free", initial=[1, 0, 0, 0, 0, 1, 2])
    limb = TaperedCapsule(radius_start=0.05, radius_end=0.02, length=0.3)
    sole = Surface(friction=1.5, group=2)
    return Description(
        name="creature", surface=grip, self_contact=True,
        bodies=[
            Body(name="torso", joint=torso, shapes=[Box(size=(0.4, 0.2, 0.1), colour=(1, 0, 0))]),
            Body(name="arm", parent="torso", joint=arm, shapes=[limb]),
            Body(name="leg", parent="torso", joint=leg, shapes=[Frustum(radius_start=0.1, radius_end=0.05, length=0.3)]),
            Body(name="foot", parent="leg", joint=foot, shapes=[Sphere(radius=0.05, surface=sole)]),
            Body(name="wheel", joint=wheel, shapes=[Cylinder(radius=0.2, length=0.05)]),
            Body(name="egg", joint=egg, shapes=[Ellipsoid(semi_axes=(0.1, 0.2, 0.3))]),
        ],
        pairs=[Pair(bodies=("arm", "leg"), contact=False)],
        constraints=[
            Connect(body="arm", other="foot", point=(0, 0, 0), other_point=(0, 0, 0)),
            Attach(body="egg", other="ground", stiffness=10, damping=1),
            Weld(body="wheel", other="egg"),
        ],
    )  # fmt: skip


@functools.cache
def yaml_texts() -> tuple[tuple[str, Any], ...]:
    """Descriptions as text and as data."""
    bodies = [creature(), zp.zoo.pendulum(), zp.zoo.ref4()]
    return tuple((text, read_yaml(text, "x").root.plain()) for text in (body.to_yaml() for body in bodies))


@functools.cache
def mjcf_texts() -> tuple[str, ...]:
    """Sound MJCF files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xml"
        write_mjcf(creature(), path)
        return (SCENE, SCENE, path.read_text(encoding="utf-8"))


def _entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


@functools.cache
def lives() -> tuple[dict[str, bytes], ...]:
    """The entries of recorded lives."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.npz"
        found = []
        worlds = (
            zp.World(zp.zoo.pendulum(), dt=0.01),
            zp.World(zp.zoo.pendulum(), habitat=zp.Habitat(ground=hills()), dt=0.01),
        )
        for world in worlds:
            world.simulate(0.05).save(path)
            found.append(_entries(path))
        return tuple(found)


def hills() -> zp.Terrain:
    """A small terrain."""
    return zp.Terrain(np.arange(12.0).reshape(3, 4), (0.5, 0.25))


@functools.cache
def terrains() -> tuple[dict[str, bytes], ...]:
    """The entries of terrain files."""
    with tempfile.TemporaryDirectory() as folder:
        hills().save(Path(folder) / "a.npz")
        buffer = io.BytesIO()
        np.savez_compressed(buffer, heights=np.arange(6, dtype=np.int16).reshape(2, 3))
        (Path(folder) / "b.npz").write_bytes(buffer.getvalue())
        return (_entries(Path(folder) / "a.npz"), _entries(Path(folder) / "b.npz"))


@functools.cache
def creature_on_ground() -> zp.Model:
    """A body that touches the ground."""
    ball = Body(name="ball", joint=Joint(kind="free", position=(0, 0, 1e3)), shapes=[Sphere(radius=0.1)])
    return zp.compile(Description(name="ball", bodies=[ball], surface=Surface()))
