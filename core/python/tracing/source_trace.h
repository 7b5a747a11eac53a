// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/python/tracing/trace_file.h"

#include <optional>

namespace fx {

/// What is wrong with Python source, and where.
struct SourceFault {
    Error error;                     ///< with file, line, module path, chain of calls and remedy
    std::string file;                ///< the file with the place; not always the one that is typed
    std::size_t offset = 0, end = 0; ///< bytes in its text
};

/// A class of modules in a traced model.
struct SourceType {
    std::string name;       ///< "Conv2d"
    std::string path;       ///< "torch.nn.modules.conv.Conv2d": what `leafs` and `followed` understand
    std::size_t count = 0;  ///< instances in the model
    bool isLeaf = false;    ///< recorded as one node
    bool isUsual = true;    ///< `isLeaf` is what torch.fx does
    bool canChange = false; ///< it can be followed and kept
};

/// What tracing Python source found, also where it failed: for editors.
struct SourceTrace {
    /// The graph up to the first fault; null if there is no module to speak of.
    std::shared_ptr<GraphModule> module;
    /// False: the graph ends where `faults.back()` is, without an output.
    bool isComplete = false;
    std::vector<SourceFault> faults;     ///< syntax errors of the text, then what stopped tracing
    std::string name;                    ///< of the class or function that was traced; empty: none was
    std::vector<std::string> candidates; ///< classes of modules in the file, else its functions
    std::vector<SourceType> types;       ///< in the order of the model, containers left out
    std::vector<std::string> settings;   ///< of the constructor, as written: "depth=18"
    std::vector<std::string> inputs;     ///< of `forward`
};

/// Traces `text`, the content of `file` as an editor has it, as `traceFile` does. Statements with syntax errors are
/// left out, so that the graph is there while somebody types. If several classes could be meant and none is asked for,
/// the last is traced, which usually consists of the others. Throws Error{Cancelled} only.
SourceTrace traceSource(const std::string& file, std::string text, const SourceOptions& options,
                        const Progress& progress);

} // namespace fx
