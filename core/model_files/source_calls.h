// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/python/tracing/trace_calls.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fx {

/// Completes models for the worker: what a graph calls and only Python source defines, such as leaf classes, functions
/// of torch.fx.wrap and operators of torch.library, becomes a call of a nested graph that is traced from the source.
/// The model itself, its code and its files stay as they are. Any thread.
class SourceCalls {
public:
    SourceCalls() = default;
    /// Looks sources up in the folders `paths`, for models from files.
    explicit SourceCalls(Readers readers, std::vector<std::string> paths = {})
        : m_readers(std::move(readers)), m_paths(std::move(paths)) {}
    SourceCalls(const SourceCalls&) = delete;
    SourceCalls& operator=(const SourceCalls&) = delete;

    /// Notes how models of a Python file were made, for the attributes that only their objects have.
    void knows(const std::string& file, SourceOptions options);
    /// Returns the model with nested graphs for all calls whose source is found, or the model itself if it has no such
    /// call. Nodes keep names and ids. Calls that cannot be traced are refused by the worker, with the reason. Throws
    /// only Error{Cancelled}.
    std::shared_ptr<const GraphModule> completed(const std::shared_ptr<const GraphModule>& model,
                                                 const Progress& progress);

private:
    struct Source {
        std::string file; ///< empty without a source
        std::string text;
        SourceOptions options;
    };
    struct Known {
        std::shared_ptr<const Module> module; ///< keeps the address in the key valid
        TracedCall traced;
    };
    bool complete(GraphModule& model, const Source& source, int depth, const Progress& progress);
    bool completeNested(GraphModule& model, const Source& source, int depth, const Progress& progress);
    std::vector<TracedCall> traced(const GraphModule& model, const std::vector<NodeId>& calls, const Source& source,
                                   const Progress& progress);
    Source sourceOf(const GraphModule& model);

    Readers m_readers;
    std::vector<std::string> m_paths;
    std::recursive_mutex m_mutex;                   ///< of all below; tracing may ask the worker for a model
    std::map<std::string, SourceOptions> m_sources; ///< by file
    std::map<std::string, Known> m_known;           ///< by the module and the text of the call
    std::size_t m_left = 0;                         ///< nested graphs that the model may still get
};

} // namespace fx
