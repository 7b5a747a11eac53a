// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/script_copy.h"

#include "core/diff/written_check.h"
#include "core/torchscript/torchscript.h"

namespace fx {

const ZipArchive* copiedScript(const GraphModule& model, const Progress& progress) {
    const auto* origin = dynamic_cast<const script::ScriptOrigin*>(model.origin.get());
    if (!origin || origin->hasFixedInputs || script::methodOf(model) != script::kForward) return nullptr;
    return sameInFiles(*origin->imported, model, progress) ? &origin->archive : nullptr;
}

} // namespace fx
