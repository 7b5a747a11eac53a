// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/layer_sizes.h"

#include <unordered_set>

namespace fx::quant {

std::int64_t tensorBytes(const Module& module) {
    std::unordered_set<const TensorRef*> seen;
    std::int64_t bytes = 0;
    const auto add = [&](const TensorPtr& tensor) {
        if (tensor && seen.insert(tensor.get()).second) bytes += tensor->byteCount();
    };
    forEachModule(module, [&](const std::string&, const Module& inner) {
        for (const auto* slots : {&inner.parameters, &inner.buffers})
            for (const Module::Slot& slot : *slots) add(slot.tensor);
        for (const auto& [name, value] : inner.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value)) add(*tensor);
    });
    return bytes;
}

} // namespace fx::quant
