// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/io/torchscript/program_reader.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"
#include "core/module/script_object.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

/// TorchScript files as graphs. LibTorch reads the code (in the worker, for it may crash), everything else is data.
namespace fx::script {

/// What became of a script.
struct ImportReport {
    std::map<std::string, std::pair<int, int>> leaves; ///< type: recognised modules, others
    std::map<std::string, int> inBlocks;               ///< type: modules that only blocks, or the whole file, run
    int folded = 0;                                    ///< branches and loops that were known
    int checks = 0;                                    ///< branches that only raise, left out
    int caches = 0;                                    ///< entries that dicts of modules get
    int contexts = 0;                                  ///< `with torch.no_grad():` and the like, left out
    int blocks = 0;                                    ///< parts kept as blocks of script
    int objects = 0;                                   ///< of C++ classes, which only the file has
    int sparse = 0;                                    ///< tensors, likewise
    std::optional<Message> whole;                      ///< why the graph is one call of the file
    Kwargs assumed;                                    ///< inputs with the defaults that decided branches
    std::vector<std::string> attributes;               ///< paths of those that a module tree cannot hold
    /// A module whose code asks for its training mode, which the graph has as a constant.
    struct Mode {
        int reads = 0;
        int nodes = 0; ///< that take it (`modeNodes`); other reads decide branches, or are in blocks
    };
    std::map<std::string, Mode> modes; ///< by path
};

/// What a TorchScript import keeps of its file: the archive, for what the graph does not have (other methods, extra
/// files), and the graph as it was read, by which an unedited one is known.
struct ScriptOrigin : Origin {
    ZipArchive archive;
    std::shared_ptr<const GraphModule> imported; ///< null in itself
    ImportReport report;
    std::vector<std::string> methods; ///< of the file's module; of one of torch.nn, only forward
    bool hasFixedInputs = false;      ///< by whoever opened it: the graph is another model than the file
    explicit ScriptOrigin(ZipArchive file) : archive(std::move(file)) {}
};

/// Asks LibTorch for the program of a file.
using Describe = std::function<ProgramText(const std::string& path, const Progress& progress)>;
/// How this process asks LibTorch: itself (lancet-worker) or lancet-worker. Set once, before the first file is opened.
void setDescribe(Describe describe);

/// The method that a file is opened with, and the only one of a written graph.
inline constexpr const char* kForward = "forward";

/// Added to the name of a method: its graph of operators only, as with `leafModules` false.
inline constexpr std::string_view kOperatorsOnly = " (operators only)";

/// Added to the name of a method: its graph for all inputs. Without it, optional inputs and flags that decide branches
/// have their defaults.
inline constexpr std::string_view kEveryBranch = " (every branch)";

/// Reads a file of torch.jit.save. `options.modelName` selects a method, `options.leafModules` whether modules of
/// torch.nn stay modules, and `options.source.concrete` fixes inputs. The graphs to choose from are `modelNames`:
/// "forward", "forward (operators only)", and so on for every method. Throws Error{File}; Error{Refused} if loading
/// would run code of the file
/// (`script.code_on_loading`) or if no graph can be made (`script.no_graph`); Error{Run} if no worker starts.
std::shared_ptr<GraphModule> readTorchScript(const ZipArchive& archive, const OpenOptions& options,
                                             const Progress& progress);

/// Calls of operators that take a training mode, by the paths of the modules whose code they come from.
std::map<std::string, std::vector<std::string>> modeNodes(const Graph& graph);
/// The method that an import shows: "forward".
std::string methodOf(const GraphModule& imported);
/// Whether a module is a block of script, kept as text in its attribute `graph`.
bool isScriptBlock(const Module& module);
/// A graph with the inputs of an import whose only call is that of the file itself, as LibTorch runs it.
std::shared_ptr<GraphModule> fileItself(const GraphModule& imported);
bool isScriptFile(const Module& module);
/// The file that such a module calls. Throws Error{Run} if it names none.
std::string scriptFilePath(const Module& module);
/// Whether a module stands for an object of a C++ class, or a sparse tensor, that a run takes from a TorchScript file:
/// `path` is the file, `attribute` where the object is in it.
bool isFileObject(const Module& module);
/// The types of modules that stand for sparse tensors.
inline constexpr const char* kSparseParameter = "__torch__.torch.classes.sparse.Parameter";
inline constexpr const char* kSparseBuffer = "__torch__.torch.classes.sparse.Buffer";
inline constexpr const char* kSparseTensor = "__torch__.torch.classes.sparse.Tensor"; ///< a plain attribute
inline constexpr const char* kFileClass = "ScriptFile";
inline constexpr const char* kDigest = "digest"; ///< attribute of such a module: `contentDigest` of its file
inline constexpr const char* kBlockClass = "ScriptBlock";
inline constexpr const char* kBlockModule = kScriptParts.data();

} // namespace fx::script
