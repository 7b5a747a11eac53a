// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"
#include "core/own/python_environment.h"
#include "core/python/tracing/trace_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fx {

/// An input of example values for torch.export.
struct OwnInput {
    std::string name;
    std::vector<std::int64_t> sizes;
    std::string dtype = "float32";
};

/// A request to the user's Python. Lancet starts Python for nothing else.
struct OwnPython {
    std::string target;               ///< "net.py", "net.py:Name" or "module:Name"; Name may be a call: "resnet(18)"
    std::string init = "null";        ///< JSON: arguments of the constructor, a list or an object
    std::string concrete;             ///< `concrete_args` as Python, as in `SourceOptions::concreteText`
    std::vector<OwnInput> inputs;     ///< for torch.export, which runs if symbolic_trace fails
    std::vector<std::string> paths;   ///< additional entries of sys.path
    std::vector<std::string> weights; ///< files of state dicts, loaded with weights_only; see `WeightsFile`
    bool strictWeights = true;
    std::vector<std::string> leafs;   ///< additional leaf classes, as in `SourceOptions`
    std::vector<std::string> wrapped; ///< functions and modules to record, as in `SourceOptions`
    bool proxyBuffers = false, shapesConstant = false;
    bool serves = false; ///< run calls for a worker (`OwnCalls`) instead of tracing; `target` may be empty
    std::uint64_t seed = 0;
};

/// Returns the parts of a target: its file, which ends with ".py", or its module; and the name or call in it.
SourcePath ownTarget(const std::string& target);
/// Returns the folder of a target's file, or the current folder for a module.
std::string ownFolder(const std::string& target);

/// The result of tracing.
struct OwnTrace {
    /// The traced model with the names, source lines and modules of nodes as torch.fx recorded them, or an exported
    /// program. Its weights stay in the folder of the trace.
    std::shared_ptr<GraphModule> module;
    std::string python, torch; ///< versions that traced it
    std::string program;       ///< absolute path of the interpreter
    bool sandboxed = true;     ///< as in `PythonEnvironment`
};

/// Traces a model with the user's interpreter in a child process and waits for it. The child imports the module and
/// thus runs the user's code: in the sandbox, where it reads only its environment, the source with its folder or
/// package, and the weights, writes only the result, and has no network. Without a sandbox
/// (`PythonEnvironment::sandboxed`) it has the user's rights. `told` receives its output as it arrives, on this thread.
/// The result is written to `folder`.
///
/// Throws Error{Refused} with the exception that Python raised, Error{Run} if the interpreter cannot be started, is
/// killed by a signal or answers with something else than a model, and Error{Cancelled}, after killing the child and
/// its processes.
OwnTrace traceWithPython(const OwnPython& request, const PythonEnvironment& python, const std::string& folder,
                         const std::function<void(std::string_view)>& told, const Progress& progress = {});

/// A Python that runs calls of a source for a worker, in the sandbox; the destructor ends it. The messages are those of
/// core/engine/own. `told` receives what it prints, on a separate thread.
class OwnCalls {
public:
    /// Returns before the source is imported. Throws Error{Refused} without a sandbox, and Error{Run}.
    OwnCalls(OwnPython request, PythonEnvironment python, std::function<void(std::string_view)> told);
    ~OwnCalls();
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;

    /// Returns descriptors to write requests to and to read answers from, which do not block. The caller closes them.
    std::pair<int, int> takeEnds() { return {std::exchange(m_to, -1), std::exchange(m_from, -1)}; }

private:
    int m_to = -1, m_from = -1;
    std::jthread m_thread; ///< waits for the end of the child
};

} // namespace fx
