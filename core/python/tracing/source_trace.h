// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/python/tracing/trace_file.h"

namespace fx {

/// An error in Python source, with its position.
struct SourceFault {
    Error error;                     ///< with file, line, module path, call stack and remedy
    std::string file;                ///< file of the position; may be an imported file
    std::size_t offset = 0, end = 0; ///< bytes in its text
};

/// A class of modules in a traced model.
struct SourceType {
    std::string name;       ///< "Conv2d"
    std::string path;       ///< "torch.nn.modules.conv.Conv2d", as in `SourceOptions::leafs` and `followed`
    std::size_t count = 0;  ///< instances in the model
    bool isLeaf = false;    ///< recorded as one node
    bool isUsual = true;    ///< `isLeaf` is torch.fx's default
    bool canChange = false; ///< `isLeaf` can be set either way
};

/// The result of tracing Python source for an editor, even if tracing failed.
struct SourceTrace {
    /// The graph up to the first fault; null if no module was created.
    std::shared_ptr<GraphModule> module;
    /// False if the graph ends at `faults.back()`, without an output.
    bool isComplete = false;
    std::vector<SourceFault> faults;     ///< syntax errors of the text, then the error that stopped tracing
    std::string name;                    ///< of the traced class or function; empty if none
    std::vector<std::string> candidates; ///< classes of modules in the file, else its functions
    std::vector<SourceType> types;       ///< in the order of the model, without containers
    std::vector<std::string> settings;   ///< of the constructor, as written: "depth=18"
    std::vector<std::string> inputs;     ///< parameters of `forward`
};

/// Traces `text`, the content of `file` in an editor, like `traceFile`. Skips statements with syntax errors, so that
/// the graph stays available during typing. If `options` selects none of several classes, traces the last, which
/// usually consists of the others. Throws only Error{Cancelled}.
SourceTrace traceSource(const std::string& file, std::string text, const SourceOptions& options,
                        const Progress& progress);

} // namespace fx
