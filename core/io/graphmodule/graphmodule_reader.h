// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/module/graph_module.h"

#include <functional>

namespace fx {

/// The complete content of a `torch.save(graph_module)` file, for writing it back without loss.
class GraphModuleOrigin : public Origin {
public:
    explicit GraphModuleOrigin(std::shared_ptr<TorchFile> torchFile) : file(std::move(torchFile)) {}

    /// The file that `Module::origin`, `TensorRef::origin` and `OpaqueObject::origin` refer to.
    std::shared_ptr<TorchFile> file;
    PickleRef body = kNoPickle; ///< the dict of the outermost GraphModule
    /// The graphs as loaded, by the object of each GraphModule. Unedited graphs keep their code.
    std::unordered_map<PickleRef, Graph> loadedGraphs;
};

/// Rebuilds a graph from saved code: `retraceSavedCode` of core/trace.
using Retrace =
    std::function<void(GraphModule&, std::string_view importBlock, std::string_view code, const Progress& progress)>;

/// Traces the GraphModules that a `ModuleReader` found in a file, inner ones first, in the order of unpickling. `path`
/// is the path of the file's module in `outer`, which receives the warnings.
void traceGraphModules(std::vector<ModuleReader::Traced>& saved, const std::string& path, GraphModule& outer,
                       const PickleArena& arena, const Retrace& retrace, const Progress& progress);

/// Reads a file whose pickle is a GraphModule (1.13 to 2.13 and older bodies), with the result of
/// `torch.load(file, weights_only=False)`: module tree, tensors in the file, graph by `retrace`. Nested GraphModules
/// get separate graphs. Throws Error{File}.
std::shared_ptr<GraphModule> readGraphModule(const std::shared_ptr<TorchFile>& file, const Retrace& retrace,
                                             const Progress& progress);

} // namespace fx
