// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/lint.h"
#include "core/module/module.h"

namespace fx {

/// Data that a reader keeps so that saving loses nothing; each format derives its own.
class Origin {
public:
    virtual ~Origin() = default;
};

/// File formats that Lancet opens; named as in `lancet info`.
enum class Format : std::uint8_t { GraphModule, Folder, Pt2, TorchScript, Python, Ir, Lancet, CompileGraph };
std::string_view formatName(Format format);

/// The meaning of one graph input of an exported program (.pt2 only).
struct LiftedInput {
    enum class Kind : std::uint8_t { Parameter, Buffer, Constant, UserInput, ConstantInput, CustomObject, Token };
    NodeId node = kNoNode;
    Kind kind = Kind::UserInput;
    std::string path; ///< module path of the parameter, buffer or constant
};

/// A graph together with the modules it calls: torch.fx.GraphModule, or an ExportedProgram.
class GraphModule {
public:
    Format format = Format::GraphModule;
    std::string className = "GraphModule";
    std::string producer;    ///< PyTorch version that wrote the file, or empty
    std::string path;        ///< file it came from, or empty
    std::string tracerClass; ///< class of the Tracer that made the graph, or empty if unknown
    Graph graph;
    std::shared_ptr<Module> root = std::make_shared<Module>();
    std::vector<LiftedInput> lifted; ///< in graph-input order; empty unless exported
    std::shared_ptr<const Origin> origin;
    Warnings warnings;
    /// Nested graphs of higher-order operators (.pt2): attribute name on the root -> graph module.
    std::vector<std::pair<std::string, std::shared_ptr<GraphModule>>> subgraphs;
    /// The pickled names of modules in one archive (.pt2 with several models); the graph shown is `modelName`.
    std::vector<std::string> modelNames;
    std::string modelName;
    /// Shared by copies, which are versions of one model.
    std::shared_ptr<LintMemory> linted = std::make_shared<LintMemory>();
    /// True if PyTorch itself cannot load the file again; a warning explains why.
    bool notLoadable = false;
};

} // namespace fx
