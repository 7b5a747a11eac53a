// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pickle/pickler.h"
#include "core/module/graph_module.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A function or class that torch.load calls to make an object of a file.
struct PickledCall {
    std::string function; ///< "os.system"; "functools.partial(…)" if the function is itself what a call gives
    std::string place;    ///< the first module or attribute with such an object, "features.config"
};

/// The calls that a `.pt` keeps when it is written from a `.pt`: of objects that are written as they were. Leaves out
/// what makes modules, which the tree shows, tensors, containers and numbers, and the objects of torch's own classes.
/// Linear, in the order of the module tree, each function once; empty for models of other files.
std::vector<PickledCall> pickledCalls(const GraphModule& model);

/// Writes a function or class by its name. Throws Error{Refused} for one that a function has made, which torch.load
/// would not find. torch.save does not write it, either.
void writeGlobal(Pickler& pickler, std::string_view module, std::string_view name);

} // namespace fx
