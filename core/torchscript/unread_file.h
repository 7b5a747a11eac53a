// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/zip/zip_archive.h"
#include "core/module/graph_module.h"

#include <memory>

namespace fx::script {

/// Describes a file that LibTorch cannot read without running its code (`runsOnLoading`). Returns a graph whose only
/// call is that of the file, with the inputs that the code of its `forward` declares. Running the graph loads the file.
/// Throws Error{Refused} (`script.code_on_loading`) if the code declares no `forward`, or defaults other than numbers,
/// booleans and None.
std::shared_ptr<GraphModule> unreadFile(const ZipArchive& archive, const Progress& progress);

} // namespace fx::script
