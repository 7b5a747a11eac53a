// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string>
#include <vector>

namespace fx::script {

/// A file that a user stores beside a model (`_extra_files` of torch.jit.save, `extra_files` of torch.export.save).
struct ExtraFile {
    std::string name;
    std::shared_ptr<const Storage> content;
};

/// Extra files of a TorchScript model whose file is unavailable, because the model is stored in a project.
struct ExtraFiles : Origin {
    std::vector<ExtraFile> files;
};

/// The folder of extra files in PyTorch's archives, below their root.
inline constexpr std::string_view kExtraFolder = "extra/";

/// Returns the extra files of an archive.
std::vector<ExtraFile> extraFilesIn(const ZipArchive& archive);
/// Returns the extra files of a model from a TorchScript file, directly or through a project.
std::vector<ExtraFile> extraFilesOf(const GraphModule& model);

} // namespace fx::script
