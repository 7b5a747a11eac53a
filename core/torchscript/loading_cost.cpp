// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/loading_cost.h"

#include "core/diag/error.h"
#include "core/io/pickle/unpickler.h"

#include <algorithm>
#include <cstdint>

namespace fx::script {
namespace {

constexpr std::uint64_t kFreeBytes = 16 << 20, kMostRatio = 8;
constexpr std::uint64_t kMostPickleBytes = std::uint64_t{1} << 30;

/// Code and its debug records, which repeat themselves: the archive's own limits are enough for them.
bool isCode(const ZipMember& member) { return member.name.ends_with(".py") || member.name.ends_with(".debug_pkl"); }

[[noreturn]] void refuse(const ZipArchive& archive, const Message& what, const std::string& member) {
    throw Error(ErrorKind::File, what).in(archive.file()->path()).at(member);
}

/// Objects that LibTorch may make, which take about 100 bytes each: many more than those of a file of this size.
std::size_t mostObjects(const ZipArchive& archive) {
    constexpr std::size_t kFewest = 1'000'000, kBytesOfOne = 8;
    return kFewest + static_cast<std::size_t>(archive.byteCount() / kBytesOfOne);
}

bool isCallOfPickle(const PickleArena& arena, PickleRef ref) {
    return arena.is(ref, PickleKind::Reduce) || arena.is(ref, PickleKind::NewObj) ||
           arena.is(ref, PickleKind::NewObjEx);
}

std::vector<PickleRef> heldBy(const PickleArena& arena, PickleRef ref) {
    std::vector<PickleRef> parts = arena.items(ref);
    arena.forEachPair(ref, [&](PickleRef, PickleRef value) { parts.push_back(value); });
    if (isCallOfPickle(arena, ref)) parts.insert(parts.end(), {arena.args(ref), arena.state(ref)});
    std::erase(parts, kNoPickle);
    return parts;
}

/// The paths from the root to objects with a state, as modules are: those that share children have exponentially many.
/// Stops above `most`. Linear in the objects; of a cycle only its way back is left out.
std::size_t objectPaths(const PickleArena& arena, std::size_t most) {
    constexpr std::size_t kOpen = SIZE_MAX, kUnknown = SIZE_MAX - 1;
    std::vector<std::size_t> counts(arena.size(), kUnknown);
    std::vector<PickleRef> open;
    if (arena.root() != kNoPickle) open.push_back(arena.root());
    while (!open.empty()) {
        const PickleRef ref = open.back();
        if (counts[ref] == kUnknown) {
            counts[ref] = kOpen;
            for (const PickleRef part : heldBy(arena, ref))
                if (counts[part] == kUnknown) open.push_back(part);
            continue;
        }
        open.pop_back();
        if (counts[ref] != kOpen) continue; // it was open twice
        std::size_t count = isCallOfPickle(arena, ref) && arena.state(ref) != kNoPickle;
        for (const PickleRef part : heldBy(arena, ref))
            if (counts[part] < kUnknown) count = std::min(count + counts[part], most + 1);
        counts[ref] = count;
    }
    return arena.root() == kNoPickle ? 0 : counts[arena.root()];
}

void requireFewObjects(const ZipArchive& archive, const char* name) {
    const ZipMember* member = archive.findInRoot(name);
    if (!member) return;
    const std::size_t most = mostObjects(archive);
    auto bytes = std::make_shared<const std::vector<std::byte>>(archive.read(*member, kMostPickleBytes));
    std::size_t objects = 0, paths = 0;
    const std::size_t mostPaths = most / 10;
    try {
        const PickleArena arena = unpickle(std::move(bytes), name);
        objects = arena.size(), paths = objectPaths(arena, mostPaths);
    } catch (Error& error) { // LibTorch would have made all that comes before the fault
        if (error.message().argument("cause") != "pickle.too_many_objects") throw error.in(archive.file()->path());
        objects = most + 1;
    }
    if (objects > most)
        refuse(archive, Message("script.too_many_objects", {{"name", name}, {"limit", most}}), member->name);
    if (paths > mostPaths)
        refuse(archive, Message("script.too_many_paths", {{"name", name}, {"limit", mostPaths}}), member->name);
}

} // namespace

void requireModestCost(const ZipArchive& archive) {
    std::uint64_t packed = 0, unpacked = 0; // no overflow: the archive has checked the sums
    for (const ZipMember& member : archive.members()) {
        if (member.stored || isCode(member)) continue;
        packed += member.compressedSize, unpacked += member.size;
        if (unpacked > kFreeBytes && unpacked / kMostRatio > packed)
            refuse(archive, Message("script.unpacks_to_much", {{"ratio", kMostRatio}}), member.name);
    }
    for (const char* name : {"constants.pkl", "data.pkl"}) requireFewObjects(archive, name);
}

} // namespace fx::script
