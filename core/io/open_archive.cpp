// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/open_archive.h"

#include "core/io/file_kind.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/io/pt2/pt2.h"
#include "core/trace/retrace.h"

namespace fx {

std::shared_ptr<GraphModule> openTorchSave(const std::shared_ptr<TorchFile>& file, const Progress& progress) {
    if (!ModuleReader::isGraphModule(file->arena(), file->arena().root())) throw describePickle(*file);
    return readGraphModule(file, retraceSavedCode, progress);
}

std::shared_ptr<GraphModule> openArchive(const ZipArchive& archive, const OpenOptions& options,
                                         const Progress& progress) {
    switch (fileKind(*archive.file(), &archive)) {
    case FileKind::TorchSave: return openTorchSave(TorchFile::open(archive, progress), progress);
    case FileKind::Pt2: return readPt2(archive, options, progress);
    default: throw describeOther(*archive.file(), &archive);
    }
}

} // namespace fx
