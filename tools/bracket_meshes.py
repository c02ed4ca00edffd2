#!/usr/bin/env python3
"""Writes the bracket of models/mechanics3d/steel_brackets.yaml in three formats: the same solid, in three units and axes.

An angle iron 20 mm thick, hinged at the origin, with a boss around the hinge: no turn and no mirror image of it looks
the same, so that mistakes of orientation are seen.
"""
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "models/mechanics3d/meshes"
OUTLINE = [(-20, -20), (300, -20), (300, 140), (260, 140), (260, 20), (-20, 20)]  # mm
BOSS = [(-20, -20), (20, -20), (20, 20), (-20, 20)]


def prism(outline, low, high):
    """Faces of an outline that turns to the left, from one height to another, seen from outside."""
    faces = [[(x, y, low) for x, y in reversed(outline)], [(x, y, high) for x, y in outline]]
    for (ax, ay), (bx, by) in zip(outline, outline[1:] + outline[:1]):
        faces.append([(ax, ay, low), (bx, by, low), (bx, by, high), (ax, ay, high)])
    return faces


def triangles(faces):
    """The large faces are divided at their inner corner, all others from their first one."""
    result = []
    for face in faces:
        inner = next((k for k, (x, y, _) in enumerate(face) if len(face) == 6 and (x, y) == (260, 20)), 0)
        turned = face[inner:] + face[:inner]
        result += [(turned[0], turned[k], turned[k + 1]) for k in range(1, len(turned) - 1)]
    return result


def stl():
    """Binary, in mm."""
    facets = triangles(prism(OUTLINE, -10, 10) + prism(BOSS, 10, 30))
    data = b"bracket, mm".ljust(80) + struct.pack("<I", len(facets))
    for facet in facets:
        data += struct.pack("<12fH", 0, 0, 0, *(x for corner in facet for x in corner), 0)
    (FOLDER / "bracket.stl").write_bytes(data)


def obj():
    """In cm, with z upwards: what is y elsewhere is z here, and z is -y."""
    lines = ["# bracket, cm, z upwards", "mtllib bracket.mtl"]
    numbers = {}
    for material, faces in (("steel", prism(OUTLINE, -10, 10)), ("brass", prism(BOSS, 10, 30))):
        lines.append(f"usemtl {material}")
        for face in faces:
            for corner in face:
                if corner not in numbers:
                    x, y, z = corner
                    numbers[corner] = len(numbers) + 1
                    lines.append(f"v {x / 10:g} {-z / 10:g} {y / 10:g}")
            lines.append("f " + " ".join(str(numbers[corner]) for corner in face))
    (FOLDER / "bracket.obj").write_text("\n".join(lines) + "\n")
    (FOLDER / "bracket.mtl").write_text("newmtl steel\nKd 0.35 0.48 0.62\nnewmtl brass\nKd 0.80 0.62 0.22\n")


def glb():
    """In m, as the format has it; the boss is a node of its own, moved there."""
    data, views, accessors, meshes = b"", [], [], []
    for material, faces in enumerate((prism(OUTLINE, -10, 10), prism(BOSS, 0, 20))):
        corners = sorted({corner for face in faces for corner in face})
        places = b"".join(struct.pack("<3f", *(x / 1000 for x in corner)) for corner in corners)
        order = b"".join(struct.pack("<3H", *(corners.index(c) for c in t)) for t in triangles(faces))
        for part, kind, count, width in ((places, 5126, len(corners), "VEC3"), (order, 5123, len(order) // 2, "SCALAR")):
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(part)})
            accessors.append({"bufferView": len(views) - 1, "componentType": kind, "count": count, "type": width})
            data += part + bytes(-len(part) % 4)
        low, high = [[pick(c[k] for c in corners) / 1000 for k in range(3)] for pick in (min, max)]
        accessors[-2] |= {"min": low, "max": high}
        meshes.append({"primitives": [{"attributes": {"POSITION": len(accessors) - 2}, "indices": len(accessors) - 1,
                                       "material": material}]})
    colours = [[0.10, 0.20, 0.34, 1], [0.60, 0.34, 0.04, 1]]
    text = json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "iron", "mesh": 0, "children": [1]},
                  {"name": "boss", "mesh": 1, "translation": [0, 0, 0.01]}],
        "meshes": meshes,
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": colour}} for colour in colours],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    (FOLDER / "bracket.glb").write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    stl()
    obj()
    glb()
