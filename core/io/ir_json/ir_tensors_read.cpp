// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_tensors.h"

#include "core/tensor/row_major.h"

namespace fx {
namespace {

void setDtype(TensorRef& tensor, std::string_view name) {
    const auto dtype = dtypeFromName(name);
    tensor.dtype = dtype.value_or(DType::Other);
    if (!dtype) tensor.dtypeText = name;
}
} // namespace

IrTensorReader::IrTensorReader(JsonValue table, const SafetensorsFile& weights, std::string weightsPath)
    : m_weightsPath(std::move(weightsPath)) {
    for (const SafetensorsEntry& entry : weights.entries) m_entries.emplace(entry.name, &entry);
    if (!table.exists()) return;
    for (const JsonValue row : table.needObject()) {
        if (!m_rows.emplace(row.key(), row).second) throw row.error(Message("ir.duplicate_tensor"));
        const JsonValue expression = row.find("expression");
        if (!expression.exists()) continue;
        const std::int64_t bytes = row.at("bytes").asInt();
        if (bytes < 0) throw row.at("bytes").error(Message("ir.expected_bytes"));
        m_expressions.emplace(row.key(),
                              Storage::expression(std::string(expression.asText()), static_cast<std::uint64_t>(bytes)));
    }
}

TensorPtr IrTensorReader::tensor(JsonValue id, bool asParameter) {
    if (id.isNull()) return nullptr;
    const std::string name(id.asText());
    if (const auto known = m_tensors.find(name); known != m_tensors.end()) return known->second;
    if (!m_open.insert(name).second) throw id.error(Message("ir.quantizer_cycle", {{"name", name}}));
    const auto row = m_rows.find(name);
    TensorPtr tensor = described(row == m_rows.end() ? JsonValue() : row->second, id, asParameter);
    m_open.erase(name);
    m_tensors.emplace(name, tensor);
    return tensor;
}

TensorPtr IrTensorReader::described(JsonValue value, JsonValue id, bool asParameter) {
    TensorRef tensor;
    tensor.isParameter = tensor.requiresGrad = asParameter;
    std::string data(id.asText());
    if (!value.exists()) {
        tensor.storage = storage(data, id);
        const auto entry = m_entries.find(data);
        const auto dtype = entry == m_entries.end() ? std::nullopt : dtypeFromSafetensors(entry->second->dtype);
        if (!dtype) throw id.error(Message("ir.unknown_element_type", {{"name", data}, {"file", m_weightsPath}}));
        tensor.dtype = *dtype;
        tensor.sizes = entry->second->shape;
        tensor.strides = rowMajorStrides(tensor.sizes);
        return std::make_shared<const TensorRef>(std::move(tensor));
    }
    const IrObject row(value, {"data", "dtype", "sizes", "strides", "offset", "parameter", "requires_grad", "device",
                               "layout", "conjugate", "negative", "quantizer", "expression", "bytes"});
    setDtype(tensor, row.need("dtype").asText());
    tensor.sizes = row.need("sizes").integers();
    tensor.strides = row.has("strides") ? row.get("strides").integers() : rowMajorStrides(tensor.sizes);
    tensor.offset = row.has("offset") ? row.get("offset").asInt() : 0;
    tensor.isParameter = row.flag("parameter", asParameter);
    tensor.requiresGrad = row.flag("requires_grad", asParameter);
    tensor.device = row.text("device", "cpu");
    tensor.layout = row.text("layout", "torch.strided");
    tensor.conjugate = row.flag("conjugate");
    tensor.negative = row.flag("negative");
    if (row.has("quantizer")) tensor.quantizer = quantizer(row.get("quantizer"));
    const JsonValue key = row.get("data");
    if (!key.exists() || !key.isNull())
        tensor.storage = storage(key.exists() ? key.asText() : std::string_view(data), value);
    const bool isUnknown = tensor.storage && tensor.storage->isExpression() && tensor.storage->byteCount() == 0;
    if (tensor.dtype != DType::Other && tensor.layout == "torch.strided" && !isUnknown)
        if (const std::string problem = tensor.geometryProblem(); !problem.empty())
            throw value.error(Message("ir.tensor_too_large", {{"problem", problem}}));
    return std::make_shared<const TensorRef>(std::move(tensor));
}

Quantizer IrTensorReader::quantizer(JsonValue value) {
    const IrObject object(value, {"axis", "scales", "zero_points", "scale", "zero_point"});
    Quantizer quantizer;
    quantizer.perChannel = object.has("axis");
    if (quantizer.perChannel) quantizer.axis = object.get("axis").asInt();
    if (object.has("scales")) quantizer.scales = tensor(object.get("scales"), false);
    if (object.has("zero_points")) quantizer.zeroPoints = tensor(object.get("zero_points"), false);
    if (object.has("scale")) quantizer.scale = IrValueReader::readNumber(object.get("scale"));
    if (object.has("zero_point")) quantizer.zeroPoint = object.get("zero_point").asInt();
    return quantizer;
}

std::shared_ptr<const Storage> IrTensorReader::storage(std::string_view key, JsonValue where) {
    if (const auto expression = m_expressions.find(std::string(key)); expression != m_expressions.end())
        return expression->second;
    const auto entry = m_entries.find(key);
    if (entry == m_entries.end())
        throw where.error(Message("ir.missing_tensor", {{"name", key}, {"file", m_weightsPath}}));
    return entry->second->storage;
}

} // namespace fx
