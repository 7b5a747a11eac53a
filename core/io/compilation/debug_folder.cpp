// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/debug_folder.h"

#include "core/files/file_below.h"
#include "core/files/read_text.h"
#include "core/io/compilation/node_counter.h"
#include "core/io/compile_text/compile_text.h"

#include <array>

namespace fx {
namespace {
/// In the order of the compiler.
constexpr std::array<const char*, 4> kStages = {"fx_graph_readable", "fx_graph_transformed", "fx_graph_runnable",
                                                "output_code"};

std::size_t nodesOf(std::string_view text) {
    NodeCounter counter;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        counter.line(text.substr(at, end - at));
        at = end + 1;
    }
    return counter.nodes();
}
} // namespace

bool isDebugFolder(const std::filesystem::path& folder) {
    for (const char* stage : kStages)
        if (isFileBelow(folder.string(), std::string(stage) + ".py")) return true;
    return false;
}

Compilation readDebugFolder(const std::filesystem::path& folder) {
    Compilation compilation;
    compilation.id = folder.filename().string();
    for (const char* name : kStages) {
        const std::filesystem::path path = folder / (std::string(name) + ".py");
        if (!isFileBelow(folder.string(), path.filename().string())) continue;
        CompilationStage stage;
        stage.id = stage.name = name;
        const auto file = openBelow(folder.string(), path.filename().string());
        stage.text = {path.string(), 0, file->size(), false};
        if (stage.name != "output_code") stage.nodes = nodesOf(readText(*file, kMaxCompileText));
        compilation.stages.push_back(std::move(stage));
    }
    const std::string provenance = "inductor_provenance_tracking_node_mappings.json";
    if (isFileBelow(folder.string(), provenance)) {
        const auto file = openBelow(folder.string(), provenance);
        compilation.provenance = {file->path(), 0, file->size(), false};
    }
    return compilation;
}

} // namespace fx
