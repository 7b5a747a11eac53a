// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/io/zip/zip_archive.h"
#include "core/json/json_document.h"
#include "core/module/exported_signature.h"
#include "core/module/graph_module.h"

namespace fx {

/// The content of a .pt2 file beyond graph and weights: the archive, the complete JSON document of the model including
/// unknown keys, and the parts of its signature that GraphModule does not represent.
class Pt2Origin : public ExportedSignature {
public:
    explicit Pt2Origin(ZipArchive zip) : archive(std::move(zip)) {}

    ZipArchive archive;
    std::string modelName;
    std::shared_ptr<const JsonDocument> document; ///< `models/NAME.json`
};

/// Reads a model that `torch.export.save` wrote (schema major 8). Graph, names and metadata are those of
/// `ExportedProgram.graph` after `torch.export.load`; weights stay in the file; `origin` is a Pt2Origin.
///
/// A model that PyTorch cannot load but Lancet can show (with an operator or an argument tag of a later version) opens
/// with a warning and `notLoadable`. Throws Error{File} for other schemas, missing parts, and packages with only
/// compiled models.
std::shared_ptr<GraphModule> readPt2(const ZipArchive& archive, const OpenOptions& options = {},
                                     const Progress& progress = {});

} // namespace fx
