// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_tensors.h"

namespace fx {
namespace {

std::string_view dtypeText(const TensorRef& tensor) {
    return tensor.dtype == DType::Other ? std::string_view(tensor.dtypeText) : dtypeName(tensor.dtype);
}

bool hasDefaults(const TensorRef& tensor, bool asParameter) {
    return tensor.isParameter == asParameter && tensor.requiresGrad == asParameter && tensor.device == "cpu" &&
           !tensor.conjugate && !tensor.negative && tensor.layout == "torch.strided" && !tensor.quantizer;
}
} // namespace

std::string IrTensorWriter::id(const TensorPtr& tensor, const std::string& path, bool asParameter) {
    const auto [known, isNew] = m_known.emplace(tensor.get(), m_rows.size());
    if (!isNew) return m_rows[known->second].id;
    std::string id = path;
    for (int i = 2; !m_ids.insert(id).second; ++i) id = path + "#" + std::to_string(i);
    Row row{id, tensor, asParameter, {}, false, false};
    addStorage(row);
    m_rows.push_back(std::move(row));
    return id;
}

void IrTensorWriter::addStorage(Row& row) {
    const TensorRef& tensor = *row.tensor;
    if (!tensor.storage) return;
    const auto [known, isNew] = m_storages.emplace(tensor.storage.get(), row.id);
    row.data = known->second;
    row.firstOfStorage = isNew;
    if (!isNew || tensor.storage->isExpression()) return;
    const std::uint64_t bytes = tensor.storage->byteCount();
    std::string_view word = safetensorsDtype(tensor.dtype);
    const bool whole = !word.empty() && tensor.isContiguous() && tensor.offset == 0 &&
                       static_cast<std::uint64_t>(tensor.byteCount()) == bytes;
    row.plain = whole && hasDefaults(tensor, row.asParameter);
    std::vector<std::int64_t> shape = tensor.sizes;
    if (!whole) {
        if (word.empty() || bytes % elementSize(tensor.dtype) != 0) word = "U8";
        shape = {static_cast<std::int64_t>(word == "U8" ? bytes : bytes / elementSize(tensor.dtype))};
    }
    m_weights.entries.push_back({row.id, std::string(word), std::move(shape), tensor.storage});
}

bool IrTensorWriter::needsTable() const {
    for (const Row& row : m_rows)
        if (!row.plain) return true;
    return false;
}

void IrTensorWriter::writeTable(JsonWriter& json) {
    json.beginObject(JsonWriter::Layout::Lines);
    for (std::size_t i = 0; i < m_rows.size(); ++i) { // quantisers add rows
        const Row row = m_rows[i];
        if (!row.plain) writeRow(json, row);
    }
    json.endObject();
}

void IrTensorWriter::writeRow(JsonWriter& json, const Row& row) {
    const TensorRef& tensor = *row.tensor;
    json.key(row.id).beginObject();
    if (row.data.empty()) json.key("data").null();
    else if (row.data != row.id) json.key("data").string(row.data);
    json.key("dtype").string(dtypeText(tensor));
    json.key("sizes").integers(tensor.sizes);
    if (!tensor.isContiguous()) json.key("strides").integers(tensor.strides);
    if (tensor.offset != 0) json.key("offset").integer(tensor.offset);
    if (tensor.isParameter != row.asParameter) json.key("parameter").boolean(tensor.isParameter);
    if (tensor.requiresGrad != row.asParameter) json.key("requires_grad").boolean(tensor.requiresGrad);
    if (tensor.device != "cpu") json.key("device").string(tensor.device);
    if (tensor.layout != "torch.strided") json.key("layout").string(tensor.layout);
    if (tensor.conjugate) json.key("conjugate").boolean(true);
    if (tensor.negative) json.key("negative").boolean(true);
    if (tensor.quantizer) writeQuantizer(json, row);
    if (row.firstOfStorage && tensor.storage->isExpression())
        json.key("expression")
            .string(tensor.storage->expressionSource())
            .key("bytes")
            .integer(static_cast<std::int64_t>(tensor.storage->byteCount()));
    json.endObject();
}

void IrTensorWriter::writeQuantizer(JsonWriter& json, const Row& row) {
    const Quantizer quantizer = *row.tensor->quantizer;
    static const Graph kNone;
    json.key("quantizer").beginObject();
    if (quantizer.perChannel) json.key("axis").integer(quantizer.axis);
    if (quantizer.scales) json.key("scales").string(id(quantizer.scales, row.id + ".scales", false));
    if (quantizer.zeroPoints) json.key("zero_points").string(id(quantizer.zeroPoints, row.id + ".zero_points", false));
    json.key("scale");
    IrValueWriter(json, kNone).write(quantizer.scale);
    json.key("zero_point").integer(quantizer.zeroPoint).endObject();
}

} // namespace fx
