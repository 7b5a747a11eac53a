// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/extra_files.h"

#include "core/torchscript/torchscript.h"

namespace fx::script {

std::vector<ExtraFile> extraFilesIn(const ZipArchive& archive) {
    const std::string folder = archive.root() + std::string(kExtraFolder);
    std::vector<ExtraFile> files;
    for (const ZipMember& member : archive.members())
        if (member.name.size() > folder.size() && member.name.starts_with(folder) && !member.name.ends_with('/'))
            files.push_back({member.name.substr(folder.size()), archive.storage(member)});
    return files;
}

std::vector<ExtraFile> extraFilesOf(const GraphModule& model) {
    if (const auto* script = dynamic_cast<const ScriptOrigin*>(model.origin.get()))
        return extraFilesIn(script->archive);
    const auto* kept = dynamic_cast<const ExtraFiles*>(model.origin.get());
    return kept ? kept->files : std::vector<ExtraFile>();
}

} // namespace fx::script
