# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives that are broken or meant to exhaust the reader."""

import io
import os
import struct
import zlib

from archives import Member, archive, model
from cases import EITHER, OPENS, add, case
from pickles import graph_module, whole

GOOD = whole(graph_module())


def members(*extra, pickle=None):
    return [pickle or Member("net/data.pkl", GOOD), Member("net/data/0", bytes(16)), Member("net/data/1", bytes(8)),
            Member("net/version", b"3\n"), *extra]


add("good_file", lambda: model(GOOD), exits=OPENS)
add("good_deflated", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, deflate=True))), exits=OPENS)


# Bombs --------------------------------------------------------------------------------------------------------------
@case("bomb|ratio|times|large|expand")
def bomb_pickle():
    return archive(members(pickle=Member("net/data.pkl", bytes(300 << 20), deflate=True)))


@case(exits=EITHER)
def bomb_storage():
    return archive(members(Member("net/data/2", bytes(300 << 20), deflate=True)))


@case(exits=EITHER)
def bomb_many_small():
    return archive(members(*(Member(f"net/data/{i}", bytes(1 << 20), deflate=True) for i in range(2, 100))))


@case()
def bomb_overlapping():
    """Many entries of the directory name the same bytes."""
    head = members()
    return archive(head + [Member(f"net/data/{i}", b"", at=0) for i in range(2, 5000)])


@case()
def bomb_nested():
    """A member whose payload is a local header of another one: both name the same bytes."""
    inner = archive([Member("net/data/9", bytes(1000))])
    outer = archive(members(Member("net/data/8", inner)))
    at = outer.index(inner)
    return archive(members(Member("net/data/8", inner), Member("net/data/9", b"", at=at, size=1000, stored=1000)))


@case("members|entries")
def bomb_members():
    return archive(members(*(Member(f"net/data/{i}", b"") for i in range(2, 100_050))))


@case()
def bomb_size_lies():
    """1 GB of zeros, declared as 100 bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = bytes(1 << 20)
    payload = b"".join(packer.compress(block) for _ in range(1000)) + packer.flush()
    return archive([Member("net/data.pkl", payload, method=8, size=100, crc=0), *members()[1:]])


# Headers ------------------------------------------------------------------------------------------------------------
add("directory_past_end", lambda: archive(members(), directory_at=10**9))
add("directory_at_zero", lambda: archive(members(), directory_at=0), exits=EITHER)
add("entries_too_many", lambda: archive(members(), entries=500))
add("entries_none", lambda: archive(members(), entries=0), exits=EITHER)
add("no_members", lambda: archive([]))
add("member_past_end", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, at=10**8))))
add("member_longer_than_file", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, size=10**8, stored=10**8))))
add("member_4gb", lambda: archive(members(Member("net/data/2", b"", size=0xFFFFFFFE, stored=0xFFFFFFFE))), exits=EITHER)
add("member_encrypted", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, flags=0x0801))))
add("member_odd_method", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, method=99))))
add("member_wrong_crc", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, crc=1234, deflate=True))))
add("member_not_deflated", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, method=8))))
add("member_other_local_name", lambda: archive(members(pickle=Member("net/data.pkl", GOOD, local_name="net/atad.pkl"))), exits=EITHER)
add("member_twice", lambda: archive(members(Member("net/data.pkl", whole(5)))), exits=EITHER)
add("member_name_climbs", lambda: archive([Member("../../data.pkl", GOOD)]), exits=EITHER)
add("member_name_with_nul", lambda: archive(members(Member("net/a\0b", b""))), exits=EITHER)
add("member_name_64k", lambda: archive(members(Member("n" * 65535, b""))), exits=EITHER)
add("two_roots", lambda: archive(members() + [Member("other/data.pkl", whole(5))]), exits=EITHER)
add("comment_like_end", lambda: model(GOOD)[:-2] + struct.pack("<H", 22) + b"PK\x05\x06" + bytes(18), exits=EITHER)
add("text_before_archive", lambda: b"#!/bin/sh\n" + model(GOOD), exits=EITHER)
add("other_zip", lambda: archive([Member("word/document.xml", b"<xml/>")]))


# Other kinds of files ------------------------------------------------------------------------------------------------
add("empty_file", lambda: b"", "empty")
add("one_byte", lambda: b"P")
add("random_bytes", lambda: bytes((i * i * 31 + i * 7) % 251 for i in range(5000)))
add("png", lambda: b"\x89PNG\r\n\x1a\n" + bytes(1000))
add("elf", lambda: b"\x7fELF\x02\x01\x01" + bytes(1000))
add("gzip", lambda: zlib.compress(GOOD, wbits=31))
add("text", lambda: b"hello\n")
add("pdf_named_pt2", lambda: b"%PDF-1.7\n" + bytes(100), suffix=".pt2")
add("onnx", lambda: b"\x08\x08\x12\x07pytorch" + bytes(100), suffix=".onnx")
add("python_text_named_pt", lambda: b"import torch\n")
add("empty_folder", lambda path: path.mkdir(), "module.py|folder", suffix="")


@case("no such file|not exist|No such file")
def missing_file(path):
    return None


@case(suffix="")
def fifo(path):
    """Opening one to read would wait for a writer that never comes."""
    os.mkfifo(path)


@case(suffix="")
def endless_device(path):
    os.symlink("/dev/zero", path)


@case(suffix="")
def link_to_itself(path):
    os.symlink(path, path)


@case()
def sparse_5gb(path):
    with open(path, "wb") as file:
        file.truncate(5 << 30)


@case(suffix=".json")
def sparse_json_5gb(path):
    with open(path, "wb") as file:
        file.write(b'{"lancet_ir": 1, ')
        file.truncate(5 << 30)
