// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/quantize_request.h"

namespace app {

/// Runs `quantize` for an exported program: PT2E, like torchao's X86InductorQuantizer. Returns the exit code.
int quantizePt2e(Session& session, const QuantizeRequest& request, const fx::GraphModule& program);

} // namespace app
