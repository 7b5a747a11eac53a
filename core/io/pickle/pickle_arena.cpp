// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickle_arena.h"

#include <algorithm>
#include <array>
#include <bit>

namespace fx {

namespace {

constexpr std::size_t kMaxDecimalBytes = 1661; ///< 4,000 digits; converting is quadratic

/// Decimal digits of a little-endian two's complement number.
std::string decimal(std::string_view bytes) {
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80);
    std::vector<std::uint32_t> words; // base 10^9, least first
    for (std::size_t i = bytes.size(); i-- > 0;) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        std::uint64_t carry = negative ? static_cast<unsigned char>(~byte) : byte;
        for (std::uint32_t& word : words) {
            carry += std::uint64_t{word} * 256;
            word = static_cast<std::uint32_t>(carry % 1'000'000'000);
            carry /= 1'000'000'000;
        }
        if (carry) words.push_back(static_cast<std::uint32_t>(carry));
    }
    if (negative) { // -(~x) - 1
        std::size_t i = 0;
        while (i < words.size() && words[i] == 999'999'999) words[i++] = 0;
        if (i == words.size()) words.push_back(1);
        else ++words[i];
    }
    if (words.empty()) return "0";
    std::string digits = std::to_string(words.back());
    for (std::size_t i = words.size() - 1; i-- > 0;) {
        const std::string part = std::to_string(words[i]);
        digits.append(9 - part.size(), '0').append(part);
    }
    return negative ? "-" + digits : digits;
}

/// Names that Python 2's protocols use for what Python 3 calls otherwise.
constexpr std::array<std::array<std::string_view, 2>, 6> kOldNames{{
    {"__builtin__.xrange", "builtins.range"},
    {"__builtin__.unicode", "builtins.str"},
    {"__builtin__.long", "builtins.int"},
    {"__builtin__.unichr", "builtins.chr"},
    {"copy_reg._reconstructor", "copyreg._reconstructor"},
    {"torch.tensor._rebuild_from_type_v2", "torch._tensor._rebuild_from_type_v2"},
}};

} // namespace

std::int64_t PickleArena::integer(PickleRef ref) const {
    const Object& object = m_objects[ref];
    return static_cast<std::int64_t>(std::uint64_t{object.b} << 32 | object.a);
}

double PickleArena::real(PickleRef ref) const { return std::bit_cast<double>(integer(ref)); }

std::string_view PickleArena::text(PickleRef ref) const {
    const Object& object = m_objects[ref];
    const char* base = object.c == kDecoded ? m_decoded.data() : reinterpret_cast<const char*>(m_bytes->data());
    return {base + object.a, object.b};
}

std::string PickleArena::bigIntDigits(PickleRef ref) const {
    const std::string_view bytes = text(ref);
    if (m_objects[ref].c == kDigits) return std::string(bytes);
    if (bytes.size() <= kMaxDecimalBytes) return decimal(bytes);
    std::string digits = "0x";
    for (std::size_t i = bytes.size(); i-- > 0;)
        for (const int shift : {4, 0}) digits += "0123456789abcdef"[static_cast<unsigned char>(bytes[i]) >> shift & 15];
    return digits;
}

std::string PickleArena::qualifiedName(PickleRef ref) const {
    if (!is(ref, PickleKind::Global)) return {};
    std::string name = std::string(globalModule(ref)) + "." + std::string(globalName(ref));
    for (const auto& [old, current] : kOldNames)
        if (name == old) return std::string(current);
    if (name.starts_with("__builtin__.")) name.replace(0, 11, "builtins");
    return name;
}

bool PickleArena::isGlobal(PickleRef ref, std::string_view name) const {
    if (!is(ref, PickleKind::Global)) return false;
    const std::string_view module = globalModule(ref), own = globalName(ref);
    const bool isOld = module == "__builtin__" || module == "copy_reg" || module == "torch.tensor"; // of kOldNames
    if (isOld) return qualifiedName(ref) == name;
    return name.size() == module.size() + 1 + own.size() && name[module.size()] == '.' && name.starts_with(module) &&
           name.ends_with(own);
}

bool PickleArena::isCallOf(PickleRef ref, std::string_view name) const {
    return is(ref, PickleKind::Reduce) && isGlobal(callee(ref), name);
}

std::vector<PickleRef> PickleArena::collect(PickleRef ref, bool pairs) const {
    std::vector<PickleRef> result;
    for (std::uint32_t run = m_objects[ref].firstRun; run != kNoPickle; run = m_runs[run].next) {
        if (m_runs[run].pairs != pairs) continue;
        const std::size_t begin = m_runs[run].offset, end = begin + m_runs[run].count;
        result.reserve(result.size() + m_runs[run].count);
        for (std::size_t i = begin; i < end; ++i) result.push_back(m_contents[i]);
    }
    return result;
}

std::size_t PickleArena::itemCount(PickleRef ref) const {
    std::size_t count = 0;
    for (std::uint32_t run = m_objects[ref].firstRun; run != kNoPickle; run = m_runs[run].next)
        count += m_runs[run].pairs ? m_runs[run].count / 2 : m_runs[run].count;
    return count;
}

PickleRef PickleArena::find(PickleRef dict, std::string_view key) const {
    if (dict == kNoPickle) return kNoPickle;
    PickleRef found = kNoPickle;
    forEachPair(dict, [&](PickleRef name, PickleRef value) {
        if (is(name, PickleKind::String) && text(name) == key) found = value;
    });
    return found;
}

} // namespace fx
