// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/torch_file.h"
#include "core/ir/argument.h"

#include <unordered_set>

namespace fx {

/// Converts objects of a pickle to Arguments: numbers, strings, containers, slices, ranges, dtypes, devices, layouts,
/// classes and functions by name. Other objects, and values that are too deep (kMaxArgumentDepth), too large or cyclic,
/// become an OpaqueObject with their index in the file.
///
/// A pytree TreeSpec becomes a NamedTuple `TreeSpec(type, context, children)`; a leaf is `TreeSpec(None, None, [])`.
class ValueReader {
public:
    explicit ValueReader(const TorchFile& file) : m_file(file), m_arena(file.arena()) {}
    /// Converts one object.
    Argument value(PickleRef ref) { return read(ref, 0).value; }

private:
    /// A value and the number of values in its expanded form (shared parts count each time).
    struct Sized {
        Argument value;
        std::size_t size = 1;
    };
    Sized read(PickleRef ref, int depth);
    Sized readNew(PickleRef ref, int depth);
    Sized sequence(PickleRef ref, int depth);
    Sized dict(PickleRef ref, int depth);
    Sized call(PickleRef ref, int depth);
    Sized treeSpec(PickleRef ref, int depth);
    std::vector<Argument> readAll(const std::vector<PickleRef>& refs, int depth, std::size_t& size);
    Argument global(PickleRef ref) const;
    Argument opaque(PickleRef ref, std::string_view why = {}) const;
    std::string opaqueRepr(PickleRef ref) const;

    const TorchFile& m_file;
    const PickleArena& m_arena;
    std::unordered_map<PickleRef, Sized> m_done;
    std::unordered_set<PickleRef> m_busy;
};

} // namespace fx
