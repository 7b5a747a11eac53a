// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/unpickler.h"

using namespace fx;

/// The input is a pickle; every object of what it describes is looked at.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    try {
        const PickleArena arena = unpickle(std::make_shared<const std::vector<std::byte>>(bytes, bytes + size), "fuzz");
        std::size_t seen = 0;
        for (PickleRef ref = 0; ref < arena.size(); ++ref) {
            switch (arena.kind(ref)) {
            case PickleKind::BigInt: seen += arena.bigIntDigits(ref).size(); break;
            case PickleKind::String:
            case PickleKind::Bytes:
            case PickleKind::ByteArray: seen += arena.text(ref).size(); break;
            case PickleKind::Global: seen += arena.qualifiedName(ref).size(); break;
            default: seen += arena.items(ref).size() + arena.pairs(ref).size(); break;
            }
        }
        if (seen == ~std::size_t{0}) __builtin_trap();
    } catch (const Error&) {}
    return 0;
}
