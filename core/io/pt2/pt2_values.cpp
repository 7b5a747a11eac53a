// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_values.h"

#include "core/base/python_text.h"
#include "core/io/pt2/sympy_text.h"

#include <array>
#include <cmath>
#include <limits>

namespace fx {
namespace {

/// A size, stride or number: plain, or a symbolic expression.
std::string numberText(JsonValue number) {
    const auto [tag, value] = unionOf(number);
    if (tag == "as_expr") return sympyText(value.at("expr_str").asText());
    if (tag == "as_int") return std::to_string(value.asInt());
    if (tag == "as_bool") return value.asBool() ? "True" : "False";
    std::string text;
    appendPythonFloat(text, pt2Float(value));
    return text;
}

std::vector<std::string> numberTexts(JsonValue list) {
    std::vector<std::string> texts;
    for (const JsonValue number : list.needArray()) texts.push_back(numberText(number));
    return texts;
}

ValueInfo tensorInfo(JsonValue meta) {
    ValueInfo info;
    const char* dtype = pt2DtypeName(meta.at("dtype").asInt());
    info.dtype = dtype ? dtype : "torch.unknown";
    info.sizes = numberTexts(meta.at("sizes"));
    info.strides = numberTexts(meta.at("strides"));
    info.requiresGrad = meta.at("requires_grad").asBool();
    const Device device = pt2Device(meta.at("device"));
    info.device = device.index < 0 ? device.type : device.type + ":" + std::to_string(device.index);
    return info;
}

template<std::size_t N> const char* entry(const std::array<const char*, N>& table, std::int64_t number) {
    return number >= 0 && static_cast<std::size_t>(number) < N ? table[static_cast<std::size_t>(number)] : nullptr;
}
} // namespace

Pt2Union unionOf(JsonValue object) {
    if (object.needObject().size() != 1) throw object.error(Message("pt2.expected_tag"));
    const JsonValue value = *object.begin();
    return {value.key(), value};
}

const char* pt2DtypeName(std::int64_t number) {
    static constexpr std::array<const char*, 36> kNames = {nullptr,
                                                           "torch.uint8",
                                                           "torch.int8",
                                                           "torch.int16",
                                                           "torch.int32",
                                                           "torch.int64",
                                                           "torch.float16",
                                                           "torch.float32",
                                                           "torch.float64",
                                                           "torch.complex32",
                                                           "torch.complex64",
                                                           "torch.complex128",
                                                           "torch.bool",
                                                           "torch.bfloat16",
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           "torch.uint16",
                                                           "torch.float8_e4m3fn",
                                                           "torch.float8_e5m2",
                                                           "torch.float8_e4m3fnuz",
                                                           "torch.float8_e5m2fnuz",
                                                           "torch.float8_e8m0fnu",
                                                           "torch.uint32",
                                                           "torch.uint64"};
    return entry(kNames, number);
}

const char* pt2LayoutName(std::int64_t number) {
    static constexpr std::array<const char*, 8> kNames = {nullptr,
                                                          "torch.sparse_coo",
                                                          "torch.sparse_csr",
                                                          "torch.sparse_csc",
                                                          "torch.sparse_bsr",
                                                          "torch.sparse_bsc",
                                                          "torch._mkldnn",
                                                          "torch.strided"};
    return entry(kNames, number);
}

const char* pt2MemoryFormatName(std::int64_t number) {
    static constexpr std::array<const char*, 5> kNames = {nullptr, "torch.contiguous_format", "torch.channels_last",
                                                          "torch.channels_last_3d", "torch.preserve_format"};
    return entry(kNames, number);
}

namespace {
std::int64_t numberOf(const char* (*nameOf)(std::int64_t), std::int64_t limit, std::string_view name) {
    for (std::int64_t number = 1; number < limit; ++number)
        if (const char* known = nameOf(number); known && name == known) return number;
    return 0;
}
} // namespace

std::int64_t pt2DtypeNumber(std::string_view name) { return numberOf(pt2DtypeName, 36, name); }
std::int64_t pt2LayoutNumber(std::string_view name) { return numberOf(pt2LayoutName, 8, name); }
std::int64_t pt2MemoryFormatNumber(std::string_view name) { return numberOf(pt2MemoryFormatName, 5, name); }

Device pt2Device(JsonValue device) {
    const JsonValue number = device.find("index");
    const std::int64_t index = number.exists() && !number.isNull() ? number.asInt() : -1;
    if (index < -1 || index > std::numeric_limits<int>::max()) throw number.error(Message("pt2.device_index"));
    return {std::string(device.at("type").asText()), static_cast<int>(index)};
}

double pt2Float(JsonValue value) {
    if (!value.isString()) return value.asDouble();
    const std::string_view text = value.asText();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::nan("");
    throw value.error(Message("pt2.expected_number"));
}

Pt2ValueTable::Pt2ValueTable(JsonValue graph) {
    const auto add = [&](std::string_view key, Kind kind, bool needed) {
        const JsonValue table = needed ? graph.at(key) : graph.find(key);
        if (!table.exists()) return;
        for (const JsonValue value : table.needObject()) m_values.insert_or_assign(value.key(), Row{kind, value});
    };
    add("tensor_values", Kind::Tensor, true);
    add("sym_int_values", Kind::Int, true);
    add("sym_float_values", Kind::Float, false);
    add("sym_bool_values", Kind::Bool, true);
    add("custom_obj_values", Kind::Object, false);
}

std::optional<ValueInfo> Pt2ValueTable::find(std::string_view name) const {
    const auto found = m_values.find(name);
    if (found == m_values.end() || found->second.kind == Kind::Object) return std::nullopt;
    if (found->second.kind == Kind::Tensor) return tensorInfo(found->second.value);
    ValueInfo info;
    info.isTensor = false;
    info.dtype = found->second.kind == Kind::Int ? "int" : found->second.kind == Kind::Float ? "float" : "bool";
    info.sizes = {numberText(found->second.value)};
    return info;
}

} // namespace fx
