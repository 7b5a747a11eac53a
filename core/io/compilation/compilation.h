// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Output of torch.compile: the folder of TORCH_COMPILE_DEBUG, or logs of TORCH_TRACE.
///
///     0/0   forward (net.py:4), graph break at net.py:6
///             dynamo_output_graph        10 nodes    ─┐
///             aot_inference_graph        12 nodes     │ stages: text of a graph, or of the generated code
///             inductor_output_code                   ─┘
///     0/1   forward (net.py:4), recompiled: tensor 'x' size mismatch at index 0. expected 3, actual 5
namespace fx {

/// A text in a file: the whole file, or a payload of a log, whose lines begin with a tab.
struct DumpText {
    std::string file;
    std::uint64_t offset = 0, bytes = 0;
    bool isPayload = false;
    bool endsLinesWithCr = false; ///< the log was written on Windows
    std::string checksum = {};    ///< MD5 of a payload according to its record, or empty

    bool isEmpty() const { return file.empty(); }
    /// Reads the text. Throws Error{File}, also for more than 256 MB.
    std::string read() const;
    /// Returns true if `text`, the result of `read`, does not match `checksum`.
    bool isDamaged(std::string_view text) const;
};

/// One form of the program during compilation to kernels.
struct CompilationStage {
    std::string id;   ///< "0/0:aot_forward_graph"; further stages of this name "0/0:fx_graph_runnable:2"
    std::string name; ///< name of the log's record or artifact, or of the file
    std::optional<std::size_t> nodes; ///< nullopt for generated code
    DumpText text;
};

/// A symbolic size: its value when it was created, its range, and its origin.
struct CompilationSymbol {
    std::string name, hint, range, source;
};

/// Returns the warning for a stage with a damaged text.
Warning damagedText(const CompilationStage& stage);

/// One compilation of one function.
struct Compilation {
    std::string id;                       ///< "0/0"; in a debug folder the folder's name
    std::string function;                 ///< "forward (net.py:4)", or empty
    std::vector<std::string> stack;       ///< frames, outermost first: `net.py:12 in <module>: model(x)`
    std::vector<std::string> graphBreaks; ///< PyTorch's texts: position, reason, hints, stack
    std::vector<std::string> recompiles;  ///< the failed guards of earlier compilations
    std::vector<CompilationSymbol> symbols;
    std::vector<std::string> shapeGuards; ///< "Ne(s27, s77)"
    std::string failure;                  ///< why the compilation failed, or empty
    DumpText guards;                      ///< the tree of guards
    DumpText provenance;                  ///< JSON that maps nodes to later nodes and kernels
    std::vector<CompilationStage> stages; ///< in the order of the log
};

/// All compilations of a dump.
struct CompilationDump {
    std::string producer; ///< version of PyTorch, or empty
    std::vector<Compilation> compilations;
    Warnings warnings; ///< unreadable records

    /// Returns the stage with this ID. Throws Error{File} for an unknown ID.
    const CompilationStage& stage(std::string_view id) const;
};

/// Returns true if a folder or file may be a dump, judged by names and first lines.
bool isCompilationDump(const std::string& path);

/// Indexes a log, a folder of logs, or a debug folder at any level. Keeps only positions of texts, so 1 GB takes
/// seconds and little memory. Logs of parallel ranks get IDs such as "rank_1/0/0". Throws Error{File} if there is no
/// compilation.
CompilationDump readCompilationDump(const std::string& path, const Progress& progress = {});
/// Like `readCompilationDump`, but keeps the last index and reuses it while its files are unchanged. Any thread.
std::shared_ptr<const CompilationDump> compilationDump(const std::string& path, const Progress& progress = {});

/// Splits "DUMP#ID" into dump and ID; nullopt unless DUMP exists and the whole string is not a file.
std::optional<std::pair<std::string, std::string>> splitStagePath(const std::string& path);

/// Opens a stage as a model. Throws Error{File} for generated code.
std::shared_ptr<GraphModule> openStage(const std::string& dump, const std::string& id, const Progress& progress = {});

} // namespace fx
