// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/make/new_module.h"
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {
class SourceReader;

/// A function or class at the top level of a Python source.
struct SourceDefinition {
    std::string name;
    bool isClass = false; ///< a class, not a function
};
/// Lists all definitions in order. Throws Error{File} for invalid Python.
std::vector<SourceDefinition> definitionsOfSource(std::string_view source);
/// Returns the default definition: the only one, or the one called `preferred`. Otherwise throws Error{Refused} with a
/// list.
SourceDefinition mainDefinition(std::string_view source, std::string_view preferred);

/// How to trace a definition.
struct DefinitionSettings {
    Kwargs arguments;       ///< of the constructor of a class
    std::uint64_t seed = 0; ///< `torch.manual_seed(seed)` before the source runs
    /// Requires the values of the tensors of a class. If false, values that cannot be computed stay expressions, which
    /// suffices for a pattern.
    bool needsValues = true;
    /// Receives the modules that the body creates and calls, which torch.fx cannot trace (`nn.ReLU6()(x)`). A pattern
    /// (without `needsValues`) must not have any.
    NewModules* newModules = nullptr;
    /// Functions and methods that are accepted although PyTorch lacks them: those that the model calls.
    std::vector<std::string> known = {};
    Progress progress = {};         ///< cancellation of the trace
    SourceReader* reader = nullptr; ///< traces the definition; null: this process does
};

/// Traces a function or an nn.Module class of a source that has no file, such as a pattern, as
/// `torch.fx.symbolic_trace(f)` and `symbolic_trace(Class())` do: same nodes and names, and for a class a module tree
/// with the weights that PyTorch draws. The source is interpreted like a file (core/python/python_interpreter.h) and
/// follows python/tracing/body_rules.h. It may import modules that Lancet provides; `torch`, `nn`, `F`, `operator` and
/// `math` need no import.
///
/// Throws Error{File} for invalid Python, Error{Refused} for code that cannot be traced, both with line, column and the
/// text of the line, and Error{Cancelled} after a stop request.
GraphModule traceDefinition(std::string_view source, const SourceDefinition& definition,
                            const DefinitionSettings& settings = {});

/// Traces a function in this process. If `name` is empty, the source must have
/// exactly one function.
GraphModule traceFunctionSource(std::string_view source, std::string_view name = {});

/// Traces all functions of a source in this process, in order. Many small ones take a tenth of the time that
/// `traceFunctionSource` takes for each.
std::vector<GraphModule> traceFunctions(std::string_view source);

} // namespace fx
