// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/script_copy.h"

#include "core/io/compare/compare_models.h"
#include "core/io/torchscript/torchscript.h"

namespace fx {

const ZipArchive* copiedScript(const GraphModule& model, const Progress& progress) {
    const auto* origin = dynamic_cast<const script::ScriptOrigin*>(model.origin.get());
    if (!origin || origin->hasFixedInputs || script::methodOf(model) != script::kForward) return nullptr;
    return compareModels(*origin->imported, model, 1, progress).empty() ? &origin->archive : nullptr;
}

} // namespace fx
