// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/make/initial_weights.h"
#include "core/module/graph_module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fx {
class SourceReader;
class TensorEngine;
namespace python {
class FxClasses;
class Interpreter;
class TensorMachine;
} // namespace python

/// How to trace Python source: the arguments of `torch.fx.symbolic_trace` and of the constructor.
struct SourceOptions {
    /// A class, a function, a module or GraphModule that the file creates, or a call that creates one (`resnet18()`).
    /// Empty selects the only class or function.
    std::string name;
    std::vector<Argument> args;     ///< of the constructor
    Kwargs kwargs;                  ///< of the constructor
    Kwargs concrete;                ///< `concrete_args`: numbers, strings, booleans, None and `phArgument()`
    std::string concreteText;       ///< further `concrete_args` as Python, which take precedence: "x={'a': PH, 'b': 2}"
    std::uint64_t seed = 0;         ///< `torch.manual_seed(seed)` before the file runs
    std::vector<std::string> leafs; ///< additional leaf classes, with or without their modules
    std::vector<std::string> leafPaths; ///< additional leaf modules, by path
    /// A leaf module with a separate graph, by path or class. `leafPaths` and `leafs` apply inside it.
    struct Standalone {
        std::string path, type;
        std::vector<std::string> leafPaths, leafs;
    };
    std::vector<Standalone> standalone; ///< torch.ao's standalone modules
    std::vector<std::string> followed;  ///< leaf classes of torch.fx whose `forward` is interpreted anyway
    std::vector<std::string> paths;     ///< folders that are searched for imports
    bool proxyBuffers = false;          ///< torch.fx `proxy_buffer_attributes`
    bool shapesConstant = false;        ///< torch.fx `param_shapes_constant`
    /// Functions to record (torch.fx.wrap), and modules, all of whose functions are recorded.
    std::vector<std::string> wrapped;
    bool eval = false; ///< traces `module.eval()`: `self.training` is False
    /// Replaces FloatFunctional by FXFloatFunctional before the trace, like torch.ao's prepare_fx.
    bool swapsFloatFunctionals = false;
    std::vector<std::string> weightsFiles; ///< files to load before the trace (`WeightsFiles`); `load` reads them
    bool strictWeights = true;
    NewWeights weights = NewWeights::Drawn;
    /// Turns the error that stops the trace into a warning; the graph then ends there, without an output.
    bool partial = false;
    bool notes = true; ///< gives each node its source lines (`stack_trace`) and modules (`nn_module_stack`)
    /// Called with the constructed model before the trace, for `load_state_dict`. If empty, nothing is loaded.
    std::function<void(GraphModule& constructed)> load;
    /// Makes an error of `load` a fault of `traceSource`, with the graph of the new weights.
    bool keepsUnloaded = false;
    /// Creates the machine that computes with tensors in constructors, and in a `forward` that writes to tensors during
    /// the trace (`computing` of core/textpasses). If empty, such programs are refused. `hasValues` is true if weights
    /// are drawn.
    std::function<std::shared_ptr<python::TensorMachine>(bool hasValues)> machine;
    /// Engine that `machine` uses; a client that traces in another process answers its questions with it.
    TensorEngine* engine = nullptr;
    /// Provides torch.fx's own classes to the file (`fxClasses` of core/textpasses). If empty, the file cannot trace by
    /// itself.
    std::function<std::shared_ptr<python::FxClasses>(python::Interpreter& in)> fx;
    SourceReader* reader = nullptr; ///< follows the source; null: this process does
};

/// The parts of "net.py:Net": "net.py" and "Net".
struct SourcePath {
    std::string file, name;
};
/// Splits a MODEL; nullopt if it does not name Python source.
std::optional<SourcePath> splitSourcePath(const std::string& model);

/// Traces an nn.Module class or a function of a Python file like `torch.fx.symbolic_trace(Class(...))`: same nodes,
/// names and weights. Follows imports among the files beside it, in its package and in `options.paths`; runs no Python.
///
/// Throws Error{File} for text that is not Python, and Error{Refused} for programs that torch.fx refuses or Lancet
/// cannot interpret, with file, line, module path and call stack.
std::shared_ptr<GraphModule> traceFile(const std::string& file, const SourceOptions& options, const Progress& progress);
/// Like `traceFile`, with `text` as the content of the file.
std::shared_ptr<GraphModule> traceText(const std::string& file, const std::string& text, const SourceOptions& options,
                                       const Progress& progress);

} // namespace fx
