// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/machine.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

namespace fx::engine {

void seed(std::uint64_t value) { at::manual_seed(value); }

void setThreads(int count) {
    if (count > 0) at::set_num_threads(count);
}

int threads() { return at::get_num_threads(); }

std::string libraryDescription() { return "LibTorch " TORCH_VERSION "\n" + at::show_config(); }

at::Tensor randomInput(const std::vector<std::int64_t>& sizes, at::ScalarType type, std::int64_t high) {
    const Value shape = Value::list(Values(sizes.begin(), sizes.end()));
    if (type == at::kBool) return callMethod("to", {callOperator("aten::randint", {{2, shape}, {}}), type}).tensor();
    if (at::isFloatingType(type) || at::isComplexType(type)) return callOperator("aten::randn", {{shape}, {{"dtype", type}}}).tensor();
    return callMethod("to", {callOperator("aten::randint", {{high, shape}, {{"dtype", at::kLong}}}), type}).tensor();
}

} // namespace fx::engine
