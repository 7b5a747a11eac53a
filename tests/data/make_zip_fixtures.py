#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/zip/*.zip: good archives and what zip bombs and damaged files look like."""
import io
import pathlib
import struct
import zipfile

OUT = pathlib.Path(__file__).parent / "zip"
EPOCH = (1980, 1, 1, 0, 0, 0)


def archive(members, method=zipfile.ZIP_STORED, force_zip64=False, comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.comment = comment
        for name, content in members:
            with z.open(zipfile.ZipInfo(name, EPOCH), "w", force_zip64=force_zip64) as f:
                f.write(content)
    return bytearray(out.getvalue())


def deflated(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, content in members:
            z.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED, 9)
    return bytearray(out.getvalue())


def save(name, data):
    (OUT / f"{name}.zip").write_bytes(data)


def patched(data, signature, offset, fmt, value, nth=0):
    at = -1
    for _ in range(nth + 1):
        at = data.index(signature, at + 1)
    data = bytearray(data)
    struct.pack_into(fmt, data, at + offset, value)
    return data


def zip64_end(data, entries=None, offset=None):
    """Adds zip64 end records in front of the end record, as large archives have them."""
    at = data.rindex(b"PK\5\6")
    count, size, start = struct.unpack_from("<10xHII", data, at)
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, entries or count, size, offset or start)
    locator = struct.pack("<IIQI", 0x07064B50, 0, at, 1)
    end = bytearray(data[at:])
    struct.pack_into("<HHII", end, 8, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return data[:at] + record + locator + end


def overlapping():
    """Two directory entries for one member's bytes, as in David Fifield's zip bomb."""
    data = archive([("a/one", b"x" * 100), ("a/two", b"y" * 100)])
    first = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", first + 1)
    struct.pack_into("<I", data, second + 42, 10)
    return data


OUT.mkdir(exist_ok=True)
plain = [("root/data.pkl", b"hello"), ("root/version", b"3\n"), ("root/data/0", bytes(range(256)))]
text = b"".join(b"line %d of a text that packs\n" % i for i in range(3000))
save("stored", archive(plain))
save("comment", archive(plain, comment=b"a comment PK at the end"))
save("deflated", deflated([("root/data.pkl", text), ("root/version", b"3\n")]))
save("zip64_members", archive(plain, force_zip64=True))
save("zip64_end", zip64_end(archive(plain)))
save("no_root", archive([("a", b"1"), ("b/c", b"2")]))
save("empty", archive([]))
inner = bytes(archive(plain))
save("nested", archive([("outer/inner.zip", inner)]))
save("bad_bomb", deflated([("root/zeros", b"\0" * (65 << 20))]))
save("bad_many_bombs", deflated([(f"root/zeros{i}", b"\0" * (4 << 20)) for i in range(17)]))
save("bad_overlap", overlapping())
save("bad_100001_members", zip64_end(archive(plain), entries=100_001))
save("bad_directory_outside", zip64_end(archive(plain), offset=1 << 40))
save("bad_stored_two_sizes", patched(archive(plain), b"PK\1\2", 24, "<I", 77))
save("bad_member_past_end", patched(archive(plain), b"PK\1\2", 42, "<I", 0x7FFFFFF0))
save("bad_method", patched(archive(plain), b"PK\1\2", 10, "<H", 12))
save("bad_encrypted", patched(archive(plain), b"PK\1\2", 8, "<H", 1))
save("bad_no_end", archive(plain)[:-30])
save("late_header", patched(archive(plain), b"PK\3\4", 0, "<I", 0))
damaged = deflated([("root/data.pkl", text)])
damaged[60:90] = b"\xff" * 30
save("late_deflate", damaged)
