// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fx {

/// An input of example values for torch.export.
struct OwnInput {
    std::string name;
    std::vector<std::int64_t> sizes;
    std::string dtype = "float32";
};

/// What the user's own Python is asked for. Nothing else in Lancet starts Python.
struct OwnPython {
    std::string python;            ///< the interpreter, with torch installed
    std::string target;            ///< "module:Name" or "net.py:Name"; Name may be a call: "models:resnet(18)"
    std::string init = "null";     ///< JSON: arguments of the constructor, a list or an object
    std::string concrete = "null"; ///< JSON: fixed inputs, an object (concrete_args)
    std::vector<OwnInput> inputs;  ///< for torch.export, which runs if symbolic_trace refuses
    std::vector<std::string> paths;
    std::string weights; ///< a state dict, loaded with weights_only
    std::uint64_t seed = 0;
};

/// What it wrote.
struct OwnTrace {
    std::string file;    ///< a GraphModule (.pt) or an exported program (.pt2)
    std::string how;     ///< "torch.fx.symbolic_trace" or "torch.export"
    std::string refused; ///< why symbolic_trace refused, or empty
};

/// Runs the interpreter as a child process and waits for it. It imports the module and so runs the user's code, with
/// the user's rights. `told` gets what it prints, as it comes, on this thread. The result is written to `folder`.
///
/// Throws Error{Refused} with what Python raised, Error{Run} if the interpreter cannot be started or ends by a signal,
/// and Error{Cancelled}: then the child and what it started are killed.
OwnTrace traceWithPython(const OwnPython& request, const std::string& folder,
                         const std::function<void(std::string_view)>& told, const Progress& progress = {});

/// The text of the program that the interpreter runs.
std::string_view ownPythonProgram();

} // namespace fx
