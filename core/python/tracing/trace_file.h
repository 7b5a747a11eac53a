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
namespace python {
class FxClasses;
class Interpreter;
class TensorMachine;
} // namespace python

/// How to trace Python source: what `torch.fx.symbolic_trace` and the constructor get.
struct SourceOptions {
    /// A class, a function, a module or GraphModule that the file makes, or a call that makes one (`resnet18()`);
    /// empty: the only class or function.
    std::string name;
    std::vector<Argument> args;         ///< of the constructor
    Kwargs kwargs;                      ///< of the constructor
    Kwargs concrete;                    ///< `concrete_args`: numbers, strings, booleans, None and `phArgument()`
    std::string concreteText;           ///< more of them, as Python, which win: "x={'a': PH, 'b': 2}"
    std::uint64_t seed = 0;             ///< `torch.manual_seed(seed)` before the constructor
    std::vector<std::string> leafs;     ///< more leaf modules: class names, with or without their modules
    std::vector<std::string> leafPaths; ///< more leaf modules, by their paths
    /// Leaf modules that get a graph of their own, by path or class; `leafPaths` and `leafs` are those in it.
    struct Standalone {
        std::string path, type;
        std::vector<std::string> leafPaths, leafs;
    };
    std::vector<Standalone> standalone; ///< (torch.ao's standalone modules)
    std::vector<std::string> followed;  ///< leaf modules of torch.fx whose `forward` is followed nevertheless
    std::vector<std::string> paths;     ///< folders in which imports are looked up
    bool proxyBuffers = false;          ///< torch.fx `proxy_buffer_attributes`
    bool shapesConstant = false;        ///< torch.fx `param_shapes_constant`
    std::vector<std::string> wrapped;   ///< functions that are recorded (torch.fx.wrap), and modules: all of theirs
    bool eval = false;                  ///< traces `module.eval()`: what asks for `self.training` gets False
    bool swapsFloatFunctionals = false; ///< as torch.ao's prepare_fx does before it traces: FXFloatFunctional instead
    std::string weightsFile;            ///< a state dict that is loaded before the trace (`load` does it)
    NewWeights weights = NewWeights::Drawn;
    bool partial = false; ///< what stops the trace is a warning, and the graph ends there without an output
    bool notes = true;    ///< each node gets its source lines (`stack_trace`) and modules (`nn_module_stack`)
    /// Called with what was constructed, before it is traced: `load_state_dict`. Empty: nothing is loaded.
    std::function<void(GraphModule& constructed)> load;
    /// Makes what computes with tensors in constructors, and in a `forward` that writes to tensors while it is traced
    /// (`computing` of core/textpasses); empty: nobody does, and what
    /// would need it is refused. `hasValues`: whether weights are drawn.
    std::function<std::shared_ptr<python::TensorMachine>(bool hasValues)> machine;
    /// Gives the file torch.fx's own classes (`fxClasses` of core/textpasses); empty: it cannot trace by itself.
    std::function<std::shared_ptr<python::FxClasses>(python::Interpreter& in)> fx;
};

/// "net.py" and "Net" of "net.py:Net"; nullopt if `model` names no Python source.
struct SourcePath {
    std::string file, name;
};
std::optional<SourcePath> splitSourcePath(const std::string& model);

/// Traces an nn.Module class or a function of a Python file as `torch.fx.symbolic_trace(Class(...))` does: same nodes,
/// names and weights. Follows imports among the files beside it, in its package and in `options.paths`; runs no Python.
///
/// Throws Error{File} for text that is not Python, Error{Refused} for what torch.fx refuses or Lancet cannot follow,
/// with file, line, module path and the chain of calls.
std::shared_ptr<GraphModule> traceFile(const std::string& file, const SourceOptions& options, const Progress& progress);

} // namespace fx
