// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"
#include "core/module/script_object.h"
#include "core/torchscript/program_reader.h"

#include <map>
#include <optional>
#include <vector>

/// Imports TorchScript files as graphs. LibTorch reads the code (in the worker, because it may crash); everything else
/// is data.
namespace fx::script {

/// Statistics of an import.
struct ImportReport {
    std::map<std::string, std::pair<int, int>> leaves; ///< type -> numbers of recognised and of other modules
    std::map<std::string, int> inBlocks; ///< type -> number of modules that run only in blocks or in the whole file
    int folded = 0;                      ///< branches and loops with known conditions
    int checks = 0;                      ///< omitted branches that only raise
    int caches = 0;                      ///< entries that the script stores in dicts of modules
    int contexts = 0;                    ///< omitted `with torch.no_grad():` and the like
    int blocks = 0;                      ///< parts kept as blocks of script
    int objects = 0;                     ///< objects of C++ classes, which only the file contains
    int sparse = 0;                      ///< sparse tensors, which only the file contains
    std::optional<Message> whole;        ///< why the graph is one call of the file, if it is
    Kwargs assumed;                      ///< inputs fixed to defaults that decide branches
    std::vector<std::string> attributes; ///< paths of attributes that a module tree cannot hold
    /// A module whose code reads its training mode, which is a constant in the graph.
    struct Mode {
        int reads = 0;
        int nodes = 0; ///< nodes that take the mode (`modeNodes`); other reads decide branches, or are in blocks
    };
    std::map<std::string, Mode> modes; ///< by path
};

/// The file of a TorchScript import: the archive, for content that the graph lacks (other methods, extra files), and
/// the graph as it was read, to recognise an unedited one.
struct ScriptOrigin : Origin {
    ZipArchive archive;
    std::shared_ptr<const GraphModule> imported; ///< null in the imported graph itself
    ImportReport report;
    std::shared_ptr<const GraphModule> inside; ///< what the graph only calls, for display; null for other graphs
    std::vector<std::string> methods;          ///< of the file's module; only forward for modules of torch.nn
    bool hasFixedInputs = false;               ///< the user fixed inputs, so the graph differs from the file
    explicit ScriptOrigin(ZipArchive file) : archive(std::move(file)) {}
};

/// The method that is opened by default, and the only one of a written graph.
inline constexpr const char* kForward = "forward";

/// Suffix of a method name that selects its graph of operators only, as if `leafModules` were false.
inline constexpr std::string_view kOperatorsOnly = " (operators only)";

/// Suffix of a method name that selects its graph for all inputs. Without it, optional inputs and flags that decide
/// branches have their defaults.
inline constexpr std::string_view kEveryBranch = " (every branch)";

/// Reads a file of torch.jit.save. `options.modelName` selects a method, `options.leafModules` keeps modules of
/// torch.nn, and `options.source.concrete` fixes inputs. `modelNames` lists the available graphs: "forward", "forward
/// (operators only)", and so on for every method. A file whose code runs on loading is not loaded by LibTorch; its
/// graph is one call of the file (`unreadFile`). The suffix `kInsideGraph` selects the graph of such a method for
/// display
/// (`InsideGraph`), which is read-only. `options.readers.script` describes the others. Throws Error{File};
/// Error{Refused} if there is no graph
/// (`script.no_graph`, `script.code_on_loading`); Error{Run} if no worker starts.
std::shared_ptr<GraphModule> readTorchScript(const ZipArchive& archive, const OpenOptions& options,
                                             const Progress& progress);

/// Returns the names of nodes that take a training mode, by the path of the module that contains the call.
std::map<std::string, std::vector<std::string>> modeNodes(const Graph& graph);
/// Returns the method that an import shows: "forward".
std::string methodOf(const GraphModule& imported);
/// Returns true for a block of script, whose text is in the module's attribute `graph`.
bool isScriptBlock(const Module& module);
/// Returns a graph with the inputs of an import whose only call is that of the file itself, as LibTorch runs it.
std::shared_ptr<GraphModule> fileItself(const GraphModule& imported);
/// Returns the model, or `fileItself` of one that is only shown (`isReadOnly`).
std::shared_ptr<const GraphModule> runnable(std::shared_ptr<const GraphModule> model);
/// Returns true for a module that calls a whole TorchScript file.
bool isScriptFile(const Module& module);
/// Returns the child that calls a whole TorchScript file, if the root has no other; its methods become those of the
/// root in a written TorchScript file. Else null.
const Module::Child* onlyScriptFile(const Module& root);
/// Returns the path of the file that such a module calls. Throws Error{Run} if it has none.
std::string scriptFilePath(const Module& module);
/// Returns true for a module that represents an object of a C++ class, or a sparse tensor, that a run takes from a
/// TorchScript file. Its `path` is the file, `attribute` the object's position in it.
bool isFileObject(const Module& module);
/// Type of a module that represents a sparse parameter.
inline constexpr const char* kSparseParameter = "__torch__.torch.classes.sparse.Parameter";
/// Type of a module that represents a sparse buffer.
inline constexpr const char* kSparseBuffer = "__torch__.torch.classes.sparse.Buffer";
/// Type of a module that represents a sparse tensor in a plain attribute.
inline constexpr const char* kSparseTensor = "__torch__.torch.classes.sparse.Tensor";
inline constexpr const char* kDigest = "digest"; ///< attribute with the `contentDigest` of the module's file
/// Class name of `isScriptBlock` modules.
inline constexpr const char* kBlockClass = "ScriptBlock";
/// Python module of both classes.
inline constexpr const char* kBlockModule = kScriptParts.data();

} // namespace fx::script
