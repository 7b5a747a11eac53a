// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensors.h"
#include "tests/fuzz/temporary_file.h"

#include <array>
#include <cstdlib>

using namespace fx;

/// Whatever the header claims, the last byte of each tensor can be read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TemporaryFile input("input.safetensors");
    try {
        const auto file = DataFile::open(input.with(data, size));
        for (const SafetensorsEntry& entry : readSafetensors(file).entries) {
            const std::uint64_t bytes = entry.storage->byteCount();
            std::array<std::byte, 1> last{};
            if (bytes > size) std::abort();
            if (bytes > 0) entry.storage->read(bytes - 1, last);
        }
    } catch (const Error&) {}
    return 0;
}
