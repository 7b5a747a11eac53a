// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_tables.h"

#include "core/base/plain_number.h"
#include "core/base/size_expression.h"
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
    if (found == m_expressions.end()) return newExpression(json, text);
    copyJson(json, found->second);
    return true;
}

/// The constructor of a symbol, which has its assumptions; empty if the file has no such symbol.
std::string Pt2Tables::symbolNamed(const std::string& name) const {
    const std::string start = "Symbol('" + name + "'";
    for (const auto& [text, number] : m_expressions) {
        const std::string_view constructors = number.at("as_expr").at("expr_str").asText();
        const std::size_t at = constructors.find(start), end = constructors.find(')', at);
        if (at != constructors.npos && end != constructors.npos)
            return std::string(constructors.substr(at, end + 1 - at));
    }
    return {};
}

/// An expression of symbols of the file, with its value for the example inputs.
bool Pt2Tables::newExpression(JsonWriter& json, const std::string& text) {
    const auto expression = SizeExpression::parse(text);
    if (!expression) return false;
    bool isKnown = true;
    const std::string constructors = expression->constructors([&](const std::string& name) {
        const std::string symbol = symbolNamed(name);
        isKnown = isKnown && !symbol.empty();
        return symbol;
    });
    if (!isKnown) return false;
    const auto hint = expression->value([&](std::string_view name) -> std::optional<std::int64_t> {
        const auto symbol = m_expressions.find(std::string(name));
        if (symbol == m_expressions.end()) return std::nullopt;
        const JsonValue known = symbol->second.at("as_expr").find("hint");
        const bool isNumber = known.exists() && known.isObject() && known.find("as_int").exists();
        return isNumber ? std::optional(known.at("as_int").asInt()) : std::nullopt;
    });
    json.beginObject().key("as_expr").beginObject().key("expr_str").string(constructors).key("hint");
    if (hint) json.beginObject().key("as_int").integer(*hint).endObject();
    else json.null();
    json.endObject().endObject();
    return true;
}

bool Pt2Tables::numbers(JsonWriter& json, std::string_view key, const std::vector<std::string>& values) {
    json.key(key).beginArray();
    for (const std::string& value : values)
        if (!number(json, value)) return false;
    json.endArray();
    return true;
}

bool Pt2Tables::scalar(JsonWriter& json, const ValueInfo& info) {
    const std::string& text = info.sizes[0];
    const auto real = info.dtype == "float" ? plainNumber<double>(text) : std::nullopt;
    if (real) writePt2Float(json.beginObject().key("as_float"), *real);
    else if (info.dtype == "bool" && (text == "True" || text == "False"))
        json.beginObject().key("as_bool").boolean(text == "True");
    else return number(json, text);
    json.endObject();
    return true;
}

bool Pt2Tables::add(const std::string& name, const ValueInfo& info) {
    if (!info.isTensor) {
        JsonWriter json;
        if (info.sizes.size() != 1 || !scalar(json, info)) return false;
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
