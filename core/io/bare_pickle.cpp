// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/bare_pickle.h"

#include "core/io/pickle/unpickler.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace fx {

std::shared_ptr<const std::vector<std::byte>> startOf(const DataFile& file, std::uint64_t limit) {
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(std::min(file.size(), limit)));
    file.read(0, *bytes);
    return bytes;
}

bool mayBePickle(const DataFile& file, const Progress& progress) {
    constexpr std::uint64_t kEnough = 1 << 20;
    for (const std::uint64_t limit : {kEnough, kMostPickle}) {
        std::optional<Error> stop;
        const PickleArena arena = unpickleNoting(startOf(file, limit), {}, 0, progress, stop);
        if (!stop) return true;
        for (PickleRef ref = 0; ref < arena.size(); ++ref)
            if (isCall(arena.kind(ref))) return true;
        if (stop->message().argument("cause") != "pickle.truncated" || file.size() <= limit) return false;
    }
    return false;
}

bool looksLikeTar(const DataFile& file) {
    std::array<char, 512> head{};
    if (file.size() < head.size()) return false;
    file.read(0, std::as_writable_bytes(std::span(head)));
    constexpr std::size_t kSum = 148, kSumLength = 8;
    const std::string_view written = std::string_view(head.data(), head.size()).substr(kSum, kSumLength);
    int sum = 0, expected = 0, digits = 0;
    for (std::size_t i = 0; i < head.size(); ++i)
        sum += i >= kSum && i < kSum + kSumLength ? ' ' : static_cast<unsigned char>(head[i]);
    for (const char c : written)
        if (c >= '0' && c <= '7') expected = expected * 8 + (c - '0'), ++digits;
    return digits > 0 && sum == expected;
}

} // namespace fx
