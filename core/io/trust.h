// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/diag/progress.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// The effects of loading a file of pickles in Python, found without loading it.
struct TrustCard {
    std::vector<std::string> pickles; ///< where they are: "net/data.pkl"; empty for a file without pickles
    std::vector<std::string> imports; ///< classes and functions that are imported, "torch._utils._rebuild_tensor_v2"
    /// Those that are called; "functools.partial(…)" is the result of a call. "net.Own(…).__setstate__" is a method of
    /// an object that a call made, which is called if the class has it.
    std::vector<std::string> calls;
    /// Imports that are neither torch's nor allowed by `weights_only=True`. Importing a module runs it.
    std::vector<std::string> outsideTorch;
    std::size_t texts = 0; ///< codes of GraphModules, which torch.load runs
    /// Where Lancet stops reading a pickle, and why; what follows is in none of the lists. Empty: everything was read.
    std::string unread;
    std::optional<Message> refusal; ///< why `torch.load(weights_only=True)` refuses the file; nullopt if it loads it
};

/// Reads the pickles of a file: of torch.save in either form, of torch.export.save, or Python's own; or of the folder
/// of a GraphModule. torch.jit.load runs no pickle of a script in Python. Lists have each name once, in the order of
/// the file; methods come after the other calls. A .safetensors file has no pickles.
///
/// Throws Error{File} for other files, and for more than 10,000 names.
TrustCard trustCard(const std::string& path, const Progress& progress = {});

} // namespace fx
