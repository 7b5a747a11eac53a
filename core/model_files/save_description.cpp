// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/save_description.h"

#include "core/diff/written_check.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/ir_json/kept_weights.h"
#include "core/model_files/read_back.h"
#include "core/torchscript/called_file.h"

namespace fx {

SaveReport saveDescription(const GraphModule& model, const std::string& path, bool verify, const Progress& progress) {
    SaveReport report;
    KeptFile description(path), weights(weightsBeside(path));
    writeIrJson(script::withRelativePaths(model, path), path, progress);
    if (verify) requireSame(model, *readBack(path, kSaveAsOther, {}, progress), path, progress);
    description.forget(), weights.forget();
    removeKeptWeights(path);
    report.verified = verify;
    return report;
}

} // namespace fx
