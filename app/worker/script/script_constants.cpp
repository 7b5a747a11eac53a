// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/script/script_constants.h"

#include "core/base/python_text.h"
#include "core/engine/run_value.h"
#include "core/engine/tensor_store.h"

namespace app {

ScriptConstants::ScriptConstants() { m_json.beginArray(); }

std::int64_t ScriptConstants::add(const c10::IValue& value) {
    write(value);
    return m_count++;
}

std::string ScriptConstants::text() { return m_json.endArray().text(); }

std::shared_ptr<const std::vector<std::byte>> ScriptConstants::bytes() {
    return std::make_shared<const std::vector<std::byte>>(std::move(m_bytes));
}

template<class List> void ScriptConstants::writeItems(const List& list) {
    m_json.beginArray();
    for (const c10::IValue& item : list) write(item);
    m_json.endArray();
}

void ScriptConstants::writeReal(double value) {
    std::string text;
    fx::appendPythonFloat(text, value);
    m_json.beginObject().key("float").string(text).endObject();
}

void ScriptConstants::writeOther(const c10::IValue& value) {
    m_json.beginObject().key("other").string(value.type()->annotation_str()).endObject();
}

void ScriptConstants::write(const c10::IValue& value) {
    if (value.isNone()) m_json.null();
    else if (value.isBool()) m_json.boolean(value.toBool());
    else if (value.isInt()) m_json.integer(value.toInt());
    else if (value.isDouble()) writeReal(value.toDouble());
    else if (value.isString()) m_json.string(value.toStringRef());
    else if (value.isDevice()) m_json.beginObject().key("device").string(value.toDevice().str()).endObject();
    else if (value.isList()) writeItems(value.toListRef());
    else if (value.isTensor()) writeTensor(value.toTensor());
    else if (value.isTuple()) {
        m_json.beginObject().key("tuple");
        writeItems(value.toTupleRef().elements());
        m_json.endObject();
    } else if (value.isComplexDouble()) {
        m_json.beginObject().key("complex").beginArray();
        writeReal(value.toComplexDouble().real()), writeReal(value.toComplexDouble().imag());
        m_json.endArray().endObject();
    } else if (value.isGenericDict()) {
        m_json.beginObject().key("dict").beginArray();
        for (const auto& entry : value.toGenericDict()) {
            m_json.beginArray();
            write(entry.key()), write(entry.value());
            m_json.endArray();
        }
        m_json.endArray().endObject();
    } else if (value.isEnum()) {
        const auto& member = *value.toEnumHolder();
        m_json.beginObject().key("enum").beginArray().string(member.qualifiedClassName());
        write(member.value());
        m_json.endArray().endObject();
    } else writeOther(value);
}

void ScriptConstants::writeTensor(const at::Tensor& tensor) {
    const bool plain = tensor.defined() && tensor.layout() == at::kStrided && tensor.device().is_cpu();
    if (!plain) return writeOther(tensor);
    writeCopy(*fx::engine::toTensorRef(tensor));
}

void ScriptConstants::writeCopy(const fx::TensorRef& copy) {
    const std::size_t at = m_bytes.size();
    m_bytes.resize(at + static_cast<std::size_t>(copy.byteCount()));
    if (copy.byteCount() > 0) copy.storage->read(0, std::span(m_bytes).subspan(at));
    m_json.beginObject().key("tensor").beginObject().key("dtype").string(fx::dtypeName(copy.dtype));
    m_json.key("at").integer(static_cast<std::int64_t>(at)).key("sizes").integers(copy.sizes);
    if (copy.quantizer) {
        m_json.key("quantizer").beginObject();
        if (copy.quantizer->perChannel) {
            m_json.key("axis").integer(copy.quantizer->axis).key("scales");
            writeCopy(*copy.quantizer->scales);
            m_json.key("zero_points");
            writeCopy(*copy.quantizer->zeroPoints);
        } else {
            m_json.key("scale");
            writeReal(copy.quantizer->scale);
            m_json.key("zero_point").integer(copy.quantizer->zeroPoint);
        }
        m_json.endObject();
    }
    m_json.endObject().endObject();
}

} // namespace app
