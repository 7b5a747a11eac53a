// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string>

namespace fx::script {

/// Options for importing a method as a graph.
struct ImportOptions {
    bool leafModules = true; ///< modules of torch.nn stay modules
    Kwargs fixed = {};       ///< values of inputs, torch.fx `concrete_args`; `phArgument()` means "not None"
    std::string path = {};   ///< absolute path of the file, from which a run takes objects of C++ classes
    std::string digest = {}; ///< `contentDigest` of the file
};

} // namespace fx::script
