// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/step.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/file_inside.h"

namespace fx {

void takeQuantised(const Step& step) {
    const std::string file = step.text("file");
    const IrDescription made{step.text("graph"), readSafetensors(openFileInside(file), step.progress)};
    step.model = *readIrDescription(made, file, step.progress);
}

} // namespace fx
