// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/new_module.h"
#include "core/module/graph_module.h"
#include "core/ops/call_check.h"

#include <string_view>

namespace fx {

/// A function or class at the top level of a Python source.
struct SourceDefinition {
    std::string name;
    bool isClass = false;
};
/// All definitions, in order. Throws Error{File} for text that is not Python.
std::vector<SourceDefinition> definitionsOfSource(std::string_view source);
/// The default definition: the only one, or the one called `preferred`. Otherwise throws Error{Refused} with a list.
SourceDefinition mainDefinition(std::string_view source, std::string_view preferred);

/// How to construct an nn.Module class of a source.
struct ClassSettings {
    Kwargs arguments;       ///< of the constructor
    std::uint64_t seed = 0; ///< `torch.manual_seed(seed)` before it
    /// Compute the values of its tensors. If false, values that cannot be computed stay expressions, which is enough
    /// for a pattern.
    bool needsValues = true;
    /// Becomes the modules that the body creates and calls itself, which torch.fx cannot trace (`nn.ReLU6()(x)`); a
    /// pattern (not `needsValues`) may have none.
    NewModules* newModules = nullptr;
    /// Functions and methods that may be called although PyTorch lacks them: those that the model calls.
    ops::KnownFunction isKnown;
};

/// Traces an nn.Module class of Python source as `torch.fx.symbolic_trace(Class())` does: same nodes and names, and a
/// module tree with the weights that PyTorch draws.
///
/// The constructor may make torch.nn modules that core/make/module_factory.h makes, Sequential, ModuleList, ModuleDict
/// and classes of the same source, parameters and buffers (torch.zeros, ones, full, empty, tensor, arange, eye, rand,
/// randn, and nn.init of them), and compute with numbers; both bodies are followed as core/trace/function_interpreter.h
/// follows functions. Modules of torch.nn are leaves. Throws Error{File} for text that is not Python, Error{Refused}
/// for what cannot be followed, both with line and column.
GraphModule traceClassSource(std::string_view source, std::string_view name, const ClassSettings& settings = {});

/// Traces a definition of either kind: a class with `traceClassSource`, a function as `traceFunctionSource` does. In
/// both, calls that PyTorch refuses whatever their values (`ops::callProblem`) are errors.
GraphModule traceDefinition(std::string_view source, const SourceDefinition& definition,
                            const ClassSettings& settings = {});

} // namespace fx
