// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/lint.h"
#include "core/module/module.h"

namespace fx {

/// Data that a reader keeps for lossless saving; each format derives a class.
class Origin {
public:
    virtual ~Origin() = default;
};

/// The file formats that Lancet opens, named as in `lancet info`.
enum class Format : std::uint8_t { GraphModule, Folder, Pt2, TorchScript, Python, Ir, Lancet, CompileGraph };
/// Returns the name that `lancet info` prints.
std::string_view formatName(Format format);

/// The meaning of one graph input of an exported program (.pt2 only).
struct LiftedInput {
    enum class Kind : std::uint8_t { Parameter, Buffer, Constant, UserInput, ConstantInput, CustomObject, Token };
    NodeId node = kNoNode; ///< placeholder in the graph
    Kind kind = Kind::UserInput;
    std::string path; ///< module path of the parameter, buffer or constant
};

/// A graph together with the modules it calls: torch.fx.GraphModule, or an ExportedProgram.
class GraphModule {
public:
    Format format = Format::GraphModule;
    std::string className = "GraphModule"; ///< class name of the GraphModule
    std::string producer;                  ///< PyTorch version that wrote the file, or empty
    std::string path;                      ///< source file, or empty
    std::string tracerClass;               ///< class of the Tracer that created the graph, or empty if unknown
    Graph graph;                           ///< `GraphModule.graph`
    std::shared_ptr<Module> root = std::make_shared<Module>(); ///< module tree; may be shared with other versions
    std::vector<LiftedInput> lifted;                           ///< in graph-input order; empty unless exported
    /// The data of the reader; null for a model that was not read from a file.
    std::shared_ptr<const Origin> origin;
    /// The warnings of reading or tracing the model.
    Warnings warnings;
    /// The nested graphs of higher-order operators (.pt2), by attribute name on the root.
    std::vector<std::pair<std::string, std::shared_ptr<GraphModule>>> subgraphs;
    /// The pickled names of the models in one archive (.pt2 with several models).
    std::vector<std::string> modelNames;
    /// The one of `modelNames` that this model is.
    std::string modelName;
    /// The incremental lint, shared by the versions of one model.
    std::shared_ptr<LintMemory> linted = std::make_shared<LintMemory>();
    /// True if PyTorch itself cannot load the file; a warning explains why.
    bool notLoadable = false;
};

} // namespace fx
