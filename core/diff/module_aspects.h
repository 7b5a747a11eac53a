// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/diff.h"

namespace fx {

/// A tensor that a module holds itself.
struct Held {
    std::string_view kind;
    std::string name;
    TensorPtr tensor;
    bool persistent = true;
};
/// Returns the tensors that a module holds, without those that are None.
std::vector<Held> heldBy(const Module& module);

/// Returns the aspects in which two modules differ, apart from their tensors and what is below them: class, settings,
/// public attributes, mode, graph, persistence of buffers.
std::vector<Aspect> moduleAspects(const Module& a, const Module& b);

/// The same for a module and what a file made of it: all attributes, and the order of members. Graphs inside do not
/// count, since reading a file traces them again.
std::vector<Aspect> moduleAspectsInFile(const Module& a, const Module& b);

} // namespace fx
