// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_tables.h"

#include "core/base/plain_number.h"
#include "core/io/pt2/pt2_values.h"
#include "core/io/pt2/sympy_text.h"

#include <array>

namespace fx {
namespace {

struct Table {
    std::string_view key;
    Pt2Kind kind;
};
constexpr std::array<Table, 5> kTables{{{"tensor_values", Pt2Kind::Tensor},
                                        {"sym_int_values", Pt2Kind::Int},
                                        {"sym_bool_values", Pt2Kind::Bool},
                                        {"custom_obj_values", Pt2Kind::Object},
                                        {"sym_float_values", Pt2Kind::Float}}};

} // namespace

Pt2Tables::Pt2Tables(JsonValue graph) : m_graph(graph) {
    for (const Table& table : kTables)
        if (const JsonValue values = graph.find(table.key); values.exists())
            for (const JsonValue value : values) m_old.insert_or_assign(value.key(), Row{table.kind, value, {}});
}

bool Pt2Tables::keep(const std::string& name, const std::string& oldName) {
    const auto old = m_old.find(oldName);
    if (old == m_old.end()) return false;
    if (m_kinds.emplace(name, m_rows.size()).second) m_rows.emplace_back(name, old->second);
    return true;
}

Pt2Kind Pt2Tables::kind(const std::string& name) const {
    const auto found = m_kinds.find(name);
    return found == m_kinds.end() ? Pt2Kind::Tensor : m_rows[found->second].second.kind;
}

std::string Pt2Tables::objectClass(const std::string& name) const {
    const auto found = m_kinds.find(name);
    return found == m_kinds.end() ? std::string()
                                  : std::string(m_rows[found->second].second.value.at("class_fqn").asText());
}

/// What the symbolic numbers of the tables print as.
void Pt2Tables::findExpressions() {
    m_expressionsKnown = true;
    const auto note = [this](JsonValue number) {
        const auto [tag, value] = unionOf(number);
        if (tag == "as_expr") m_expressions.emplace(sympyText(value.at("expr_str").asText()), number);
    };
    for (const auto& [name, row] : m_old) {
        if (row.kind == Pt2Kind::Int) note(row.value);
        if (row.kind != Pt2Kind::Tensor) continue;
        for (const char* key : {"sizes", "strides"})
            for (const JsonValue number : row.value.at(key)) note(number);
    }
}

bool Pt2Tables::number(JsonWriter& json, const std::string& text) {
    if (const auto plain = plainNumber(text)) {
        json.beginObject().key("as_int").integer(*plain).endObject();
        return true;
    }
    if (!m_expressionsKnown) findExpressions();
    const auto found = m_expressions.find(text);
    if (found == m_expressions.end()) return false;
    copyJson(json, found->second);
    return true;
}

bool Pt2Tables::numbers(JsonWriter& json, std::string_view key, const std::vector<std::string>& values) {
    json.key(key).beginArray();
    for (const std::string& value : values)
        if (!number(json, value)) return false;
    json.endArray();
    return true;
}

bool Pt2Tables::add(const std::string& name, const ValueInfo& info) {
    if (!info.isTensor) {
        JsonWriter json;
        if (info.sizes.size() != 1 || !number(json, info.sizes[0])) return false;
        const Pt2Kind kind = info.dtype == "float"  ? Pt2Kind::Float
                             : info.dtype == "bool" ? Pt2Kind::Bool
                                                    : Pt2Kind::Int;
        if (m_kinds.emplace(name, m_rows.size()).second) m_rows.emplace_back(name, Row{kind, {}, json.text()});
        return true;
    }
    std::vector<std::string> strides = info.strides;
    if (strides.size() != info.sizes.size()) { // row-major; behind a symbolic size PyTorch recomputes them
        strides.assign(info.sizes.size(), "1");
        for (std::size_t i = info.sizes.size(); i-- > 1;) {
            const auto size = plainNumber(info.sizes[i]), below = plainNumber(strides[i]);
            strides[i - 1] = size && below ? std::to_string(*below * std::max<std::int64_t>(*size, 1)) : strides[i];
        }
    }
    JsonWriter json;
    json.beginObject().key("dtype").integer(pt2DtypeNumber(info.dtype));
    if (pt2DtypeNumber(info.dtype) == 0 || !numbers(json, "sizes", info.sizes)) return false;
    const std::size_t colon = info.device.find(':');
    json.key("requires_grad")
        .boolean(info.requiresGrad)
        .key("device")
        .beginObject()
        .key("type")
        .string(info.device.empty() ? "cpu" : info.device.substr(0, colon))
        .key("index");
    colon == std::string::npos ? json.null() : json.raw(info.device.substr(colon + 1));
    json.endObject();
    if (!numbers(json, "strides", strides)) return false;
    json.key("storage_offset")
        .beginObject()
        .key("as_int")
        .integer(0)
        .endObject()
        .key("layout")
        .integer(pt2LayoutNumber("torch.strided"))
        .endObject();
    if (m_kinds.emplace(name, m_rows.size()).second) m_rows.emplace_back(name, Row{Pt2Kind::Tensor, {}, json.text()});
    return true;
}

void Pt2Tables::write(JsonWriter& json) const {
    for (const Table& table : kTables) {
        json.key(table.key).beginObject();
        for (const auto& [name, row] : m_rows) {
            if (row.kind != table.kind) continue;
            json.key(name);
            row.value.exists() ? copyJson(json, row.value) : static_cast<void>(json.raw(row.text));
        }
        json.endObject();
    }
}

} // namespace fx
