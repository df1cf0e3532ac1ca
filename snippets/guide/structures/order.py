"""The order in which tf.nest.flatten returns the leaf tensors."""

import collections

import tensorflow as tf

Point = collections.namedtuple("Point", ["y", "x"])

for name, structure in [
        ("tuple", ("first", "second")),
        ("list", ["first", ["second", "third"]]),
        ("namedtuple", Point(y="y", x="x")),
        ("dict", {"y": "y", "x": "x"}),
        ("OrderedDict", collections.OrderedDict(y="y", x="x")),
        ("string keys", {"w10": "w10", "w9": "w9"}),
        ("number keys", {10: "10", 9: "9"}),
        ("nested", {"b": ("b0", "b1"), "a": [Point("a.y", "a.x")]}),
        ("empty", ("first", (), {}, "second")),
        ("None", ("first", None, "second"))]:
    flat = tf.nest.flatten(structure)
    print(f"{name:15} {len(flat)}: {flat}")

structure = {"b": (1, 2), "a": [3]}
print("packed again:", tf.nest.pack_sequence_as(structure, [30, 10, 20]))
