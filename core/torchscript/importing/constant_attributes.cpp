// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/constant_attributes.h"

#include "core/tensor/elements.h"
#include "core/tensor/promotion.h"

#include <cmath>

namespace fx::script {

std::string ConstantAttributes::pathOf(std::int32_t constant) {
    std::string& path = m_paths[constant];
    if (path.empty()) path = add(std::get<TensorPtr>(m_program.constants[static_cast<std::size_t>(constant)]));
    return path;
}

std::string ConstantAttributes::pathOf(const TensorPtr& tensor) {
    for (const auto& [name, known] : m_tensors)
        if (known == tensor) return name;
    return add(tensor);
}

const std::string& ConstantAttributes::add(TensorPtr tensor) {
    std::size_t number = m_tensors.size();
    while (m_root.field("_tensor_constant" + std::to_string(number))) ++number;
    return m_tensors.emplace_back("_tensor_constant" + std::to_string(number), std::move(tensor)).first;
}

TensorPtr ConstantAttributes::tensorAt(const std::string& path) const {
    for (const auto& [name, tensor] : m_tensors)
        if (name == path) return tensor;
    return m_root.tensorAt(path);
}

std::optional<Argument> ConstantAttributes::numberAt(const std::string& path) const {
    for (const auto& [name, tensor] : m_tensors) {
        if (name != path || !tensor->sizes.empty()) continue;
        const DTypeKind kind = dtypeKind(tensor->dtype);
        if (tensor->dtype == DType::Other || tensor->quantizer || kind == DTypeKind::Complex) return std::nullopt;
        const std::vector<double> values = elementValues(*tensor);
        if (values.size() != 1 || (kind == DTypeKind::Integer && std::abs(values[0]) > 9e15)) return std::nullopt;
        if (kind == DTypeKind::Bool) return Argument(values[0] != 0);
        if (kind == DTypeKind::Integer) return Argument(static_cast<std::int64_t>(values[0]));
        return Argument(values[0]);
    }
    return std::nullopt;
}

} // namespace fx::script
