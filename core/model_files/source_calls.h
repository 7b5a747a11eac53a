// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/python/tracing/trace_calls.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace fx {

/// Returns the classes and functions of the calls of a model, and of graphs in it, that Python runs (`kOwnPython`).
std::vector<std::string> callsInPython(const GraphModule& model);

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

    /// Leaves calls that cannot be traced to the user's Python if `mayUse`, asked with their source, says so.
    void leaveToPython(std::function<bool(const std::string& source)> mayUse) { m_mayUsePython = std::move(mayUse); }
    /// Notes how models of a Python file were made, for the attributes that only their objects have, and its text if it
    /// is not that of the file. The folders of such files are those of models from other files, where there are no
    /// `paths`. Returns at once, also while models are completed.
    void knows(const std::string& file, SourceOptions options, std::optional<std::string> text = {});
    /// Returns the model with nested graphs for all calls whose source is found, or the model itself if it has no such
    /// call. Nodes keep names and ids. Calls that cannot be traced are refused by the worker, with the reason. Throws
    /// only Error{Cancelled}.
    std::shared_ptr<const GraphModule> completed(const std::shared_ptr<const GraphModule>& model,
                                                 const Progress& progress);

private:
    struct Source {
        std::string file;                ///< empty without a source
        std::optional<std::string> text; ///< unset for that of the file
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
    /// The class of a called module, or of one below, whose hooks are not read; empty if all are.
    std::string hookedBelow(const GraphModule& model, const Node& node) const;
    Source sourceOf(const GraphModule& model);

    void refuse(GraphModule& model, const Node& node, const Error& error, const Source& source,
                bool mayUsePython = true);

    Readers m_readers;
    std::vector<std::string> m_paths;
    std::function<bool(const std::string& source)> m_mayUsePython;
    std::mutex m_sourcesMutex;                  ///< of the next two
    std::map<std::string, Source> m_sources;    ///< by file
    bool m_haveChanged = false;                 ///< the sources, since calls were traced
    std::recursive_mutex m_mutex;               ///< of all below; tracing may ask the worker for a model
    std::map<std::string, Known> m_known;       ///< by the module and the text of the call
    std::unordered_set<const Module*> m_hooked; ///< modules of the model whose hooks are not read
    std::size_t m_left = 0;                     ///< nested graphs that the model may still get
};

/// The number of calls of `model` that are nested graphs in `completed`, the result of `SourceCalls` for it.
std::size_t tracedCalls(const GraphModule& model, const GraphModule& completed);

} // namespace fx
