# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes zip archives byte by byte, so that each field of each header can be wrong."""

import dataclasses
import struct
import zlib


@dataclasses.dataclass
class Member:
    name: str
    data: bytes
    deflate: bool = False
    flags: int = 0x0800
    method: int | None = None      # what the headers say; None: the truth
    size: int | None = None        # uncompressed size in the central directory; None: the truth
    stored: int | None = None      # compressed size in the central directory
    crc: int | None = None
    at: int | None = None          # offset of the local header in the central directory
    local_name: str | None = None


def local_header(member, name, crc, payload):
    method = member.method if member.method is not None else 8 * member.deflate
    return b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, member.flags, method, 0, 0x21, crc, len(payload),
                                       len(member.data), len(name), 0) + name


def central_header(member, crc, payload, offset):
    method = member.method if member.method is not None else 8 * member.deflate
    name = member.name.encode()
    return b"PK\x01\x02" + struct.pack(
        "<HHHHHHIIIHHHHHII", 20, 20, member.flags, method, 0, 0x21, crc,
        len(payload) if member.stored is None else member.stored,
        len(member.data) if member.size is None else member.size,
        len(name), 0, 0, 0, 0, 0, offset if member.at is None else member.at) + name


def archive(members, *, entries=None, directory_at=None):
    """The archive's bytes; `entries` and `directory_at` replace what its end record says."""
    out, directory = bytearray(), bytearray()
    for member in members:
        payload = member.data
        if member.deflate:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            payload = packer.compress(member.data) + packer.flush()
        crc = zlib.crc32(member.data) if member.crc is None else member.crc
        directory += central_header(member, crc, payload, len(out))
        out += local_header(member, (member.local_name or member.name).encode(), crc, payload) + payload
    at = len(out)
    count = len(members) if entries is None else entries
    end = (count, len(directory), at if directory_at is None else directory_at)
    out += directory
    if count > 0xFFFE:
        out += zip64_end(len(members), len(directory), at, len(out))
        end = (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return bytes(out + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, end[0], end[0], end[1], end[2], 0))


def zip64_end(count, size, at, here):
    record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, at)
    return record + b"PK\x06\x07" + struct.pack("<IQI", 0, here, 1)


def model(pickle, storages=None, root="net", extra=()):
    """A torch.save archive around a pickle."""
    storages = {"0": bytes(16), "1": bytes(8)} if storages is None else storages
    members = [Member(f"{root}/data.pkl", pickle), Member(f"{root}/byteorder", b"little")]
    members += [Member(f"{root}/data/{key}", data) for key, data in storages.items()]
    return archive(members + [Member(f"{root}/version", b"3\n"), *extra])
