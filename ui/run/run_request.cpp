// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_request.h"

namespace ui {

fx::remote::RunRequest requestToRun(const std::shared_ptr<const fx::GraphModule>& model,
                                    const fx::InputDescription& inputs, const fx::Progress& progress) {
    fx::remote::RunRequest request;
    request.model = model;
    request.model.mode = inputs.mode;
    request.random = inputs.inputs;
    fx::readInputFiles(request.random, progress);
    request.seed = inputs.seed;
    request.anyGuess = true;
    return request;
}

} // namespace ui
