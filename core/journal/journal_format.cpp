// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/journal_format.h"

#include <cstdint>
#include <sys/stat.h>
#include <zlib.h>

namespace fx {
namespace {

constexpr std::size_t kFrame = 8;

std::uint32_t checksum(std::string_view payload) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(payload.data()), payload.size()));
}

void put(std::string& out, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 255);
}

std::uint32_t numberAt(std::string_view bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

} // namespace

std::string journalRecord(std::string_view payload) {
    std::string record;
    record.reserve(kFrame + payload.size());
    put(record, static_cast<std::uint32_t>(payload.size()));
    put(record, checksum(payload));
    return record += payload;
}

JournalRecords readJournalRecords(std::string_view bytes) {
    JournalRecords records;
    if (!bytes.starts_with(kJournalMagic)) return records;
    std::size_t at = kJournalMagic.size();
    // A length of zero is no record: the blocks of a file that was cut off by a power failure read as zeros.
    while (bytes.size() - at >= kFrame) {
        const std::size_t length = numberAt(bytes, at);
        if (length == 0 || length > bytes.size() - at - kFrame) break;
        const std::string_view payload = bytes.substr(at + kFrame, length);
        if (checksum(payload) != numberAt(bytes, at + 4)) break;
        records.payloads.emplace_back(payload);
        at += kFrame + length;
        records.ends.push_back(at);
    }
    records.goodBytes = at;
    records.isDamaged = bytes.find_first_not_of('\0', at) != bytes.npos;
    return records;
}

bool isFileAt(const std::string& path, int descriptor) {
    struct stat open {
    }, there{};
    return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
           open.st_dev == there.st_dev;
}

std::string journalFilesFolder(const std::string& journal) {
    return journal.substr(0, journal.size() - kJournalEnding.size()) + ".files";
}

} // namespace fx
