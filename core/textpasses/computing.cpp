// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/computing.h"

#include "core/textpasses/computations.h"

namespace fx {
std::function<std::shared_ptr<python::TensorMachine>(bool)> computing(TensorEngine& engine) {
    return [&engine](bool hasValues) -> std::shared_ptr<python::TensorMachine> {
        return std::make_shared<Computations>(engine, !hasValues);
    };
}

} // namespace fx
