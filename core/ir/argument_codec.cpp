// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/argument_codec.h"

#include "core/base/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace fx {
namespace {

constexpr std::array<std::string_view, 4> kConstantKeys = {"dtype", "layout", "memory_format", "qscheme"};
constexpr const char* kDict = R"({"dict": [["key", 1]]}, a list of keys and values)";

std::string hexadecimal(std::string_view bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::optional<std::string> bytesFrom(std::string_view digits) {
    std::string out;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned byte = 0;
        const char* end = digits.data() + i + 2;
        if (std::from_chars(digits.data() + i, end, byte, 16).ptr != end) break;
        out += static_cast<char>(byte);
    }
    return out.size() * 2 == digits.size() ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

void ArgumentWriter::write(const Argument& argument) {
    if (argument.isNone()) {
        m_json.null();
    } else if (const auto* truth = argument.as<bool>()) {
        m_json.boolean(*truth);
    } else if (const auto* integer = argument.as<std::int64_t>()) {
        m_json.integer(*integer);
    } else if (const auto* real = argument.as<double>(); real && std::isfinite(*real)) {
        std::string digits;
        appendPythonFloat(digits, *real);
        m_json.raw(digits);
    } else if (argument.isNode()) {
        writeText("node", nameOf(argument.node()));
    } else if (const auto* text = argument.as<std::string>()) {
        m_json.string(*text);
    } else {
        writeBoxed(argument);
    }
}

void ArgumentWriter::writeBoxed(const Argument& argument) {
    if (const auto* wide = argument.as<BigInt>()) {
        m_json.raw(wide->digits);
    } else if (const auto* sequence = argument.as<Sequence>()) {
        if (sequence->kind == Sequence::Kind::List) return writeItems(sequence->items);
        m_json.beginObject().key("tuple");
        writeItems(sequence->items);
        if (sequence->type) writeTypeOf(*sequence);
        m_json.endObject();
    } else if (const auto* dict = argument.as<Dict>()) {
        m_json.beginObject().key("dict").beginArray();
        for (const auto& [key, value] : dict->items) writeItems({key, value});
        m_json.endArray().endObject();
    } else if (const auto* slice = argument.as<Slice>()) {
        m_json.beginObject().key("slice");
        writeItems({slice->start, slice->stop, slice->step});
        m_json.endObject();
    } else {
        writeOther(argument);
    }
}

void ArgumentWriter::writeItems(const std::vector<Argument>& items) {
    m_json.beginArray();
    for (const Argument& item : items) write(item);
    m_json.endArray();
}

void ArgumentWriter::writeText(std::string_view key, std::string_view text) {
    m_json.beginObject().key(key).string(text).endObject();
}

bool ArgumentWriter::writeExact(const Argument& argument) {
    if (const auto* real = argument.as<double>()) {
        writeText("float", std::isnan(*real) ? "nan" : *real > 0 ? "inf" : "-inf");
    } else if (argument.as<EllipsisValue>()) {
        m_json.beginObject().key("ellipsis").boolean(true).endObject();
    } else if (const auto* range = argument.as<Range>()) {
        m_json.beginObject().key("range");
        writeItems({range->start, range->stop, range->step});
        m_json.endObject();
    } else if (const auto* complex = argument.as<Complex>()) {
        m_json.beginObject().key("complex").beginArray();
        for (const double part : {complex->re, complex->im})
            if (std::isfinite(part)) write(part);
            else writeExact(part);
        m_json.endArray().endObject();
    } else if (const auto* bytes = argument.as<Bytes>()) {
        writeText("bytes", hexadecimal(bytes->data));
    } else if (const auto* constant = argument.as<TorchConstant>()) {
        writeText(kConstantKeys[static_cast<std::size_t>(constant->kind)], constant->name);
    } else if (const auto* device = argument.as<Device>()) {
        m_json.beginObject().key("device").string(device->type);
        if (device->index >= 0) m_json.key("index").integer(device->index);
        m_json.endObject();
    } else if (const auto* symbolic = argument.as<Symbolic>()) {
        writeText("symbolic", symbolic->expression);
    } else {
        return false;
    }
    return true;
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

Argument ArgumentReader::read(JsonValue value, int depth) {
    if (depth > kMaxArgumentDepth)
        throw problem(value, Message("ir.arguments_too_deep", {{"limit", kMaxArgumentDepth}}));
    switch (value.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return value.asBool();
    case JsonValue::Kind::Int: return value.asInt();
    case JsonValue::Kind::BigInt: return BigInt{std::string(value.digits())};
    case JsonValue::Kind::Float: return value.asDouble();
    case JsonValue::Kind::String: return value.asText();
    case JsonValue::Kind::Array: return Argument::list(readItems(value, depth));
    case JsonValue::Kind::Object: break;
    }
    return readObject(value, depth);
}

JsonValue ArgumentReader::arrayIn(JsonValue value, const char* example) const {
    if (value.isArray()) return value;
    throw problem(value, Message("ir.expected_list", {{"example", example}}));
}

JsonValue ArgumentReader::textIn(JsonValue value, const Message& otherwise) const {
    if (value.isString()) return value;
    throw problem(value, otherwise);
}

std::vector<Argument> ArgumentReader::readItems(JsonValue array, int depth) {
    std::vector<Argument> items;
    for (const JsonValue item : arrayIn(array, "[1, 2]")) items.push_back(read(item, depth + 1));
    return items;
}

Argument ArgumentReader::readDict(JsonValue pairs, int depth) {
    std::vector<std::pair<Argument, Argument>> items;
    for (const JsonValue pair : arrayIn(pairs, kDict)) {
        if (!pair.isArray() || pair.size() != 2)
            throw problem(pair, Message("ir.expected_entry", {{"example", kDict}}));
        std::vector<Argument> both = readItems(pair, depth);
        items.emplace_back(std::move(both[0]), std::move(both[1]));
    }
    return Argument::dict(std::move(items));
}

Argument ArgumentReader::readObject(JsonValue object, int depth) {
    if (object.size() == 0) throw problem(object, Message("ir.empty_object", {{"others", otherForms()}}));
    const JsonValue first = *object.begin(), tuple = object.find("tuple"), type = object.find("type");
    const std::string_view form = first.key();
    if (tuple.exists() && object.size() == (type.exists() ? 2u : 1u)) {
        Sequence sequence{Sequence::Kind::Tuple, readItems(arrayIn(tuple, R"({"tuple": [1, 2]})"), depth), {}};
        if (type.exists()) sequence.type = tupleType(type);
        if (sequence.type) sequence.kind = Sequence::Kind::NamedTuple;
        return sequence;
    }
    if (auto other = readOther(object, form)) return std::move(*other);
    if (form == "device" && object.size() == (object.find("index").exists() ? 2u : 1u)) {
        const JsonValue place = object.find("index");
        const std::int64_t index = place.exists() ? place.asInt() : -1;
        if (index < -1 || index > std::numeric_limits<int>::max())
            throw problem(place, Message("ir.expected_device_index"));
        return Device{std::string(textIn(first, Message("ir.expected_device")).asText()), static_cast<int>(index)};
    }
    if (object.size() != 1) throw problem(object, Message("ir.unknown_object", {{"others", otherForms()}}));
    if (form == "node") return nodeNamed(textIn(first, Message("ir.expected_node")));
    if (form == "dict") return readDict(first, depth);
    if (auto exact = readExact(object, first, depth)) return std::move(*exact);
    throw problem(first, Message("ir.unknown_form", {{"form", form}, {"others", otherForms()}}));
}

std::optional<Argument> ArgumentReader::readExact(JsonValue object, JsonValue first, int depth) {
    const std::string_view form = first.key();
    if (form == "float") return readNumber(object);
    if (form == "bytes") {
        auto bytes = bytesFrom(first.asText());
        if (!bytes) throw problem(first, Message("ir.expected_hexadecimal"));
        return Bytes{std::move(*bytes)};
    }
    if (form == "symbolic") return Symbolic{std::string(first.asText())};
    if (form == "ellipsis") return EllipsisValue{};
    if (const auto found = std::find(kConstantKeys.begin(), kConstantKeys.end(), form); found != kConstantKeys.end())
        return TorchConstant{static_cast<TorchConstant::Kind>(found - kConstantKeys.begin()),
                             std::string(first.asText())};
    if (form != "slice" && form != "range" && form != "complex") return std::nullopt;
    constexpr const char* kSlice = R"({"slice": [start, stop, step]}, with null for what is left out)";
    const char* example = form == "slice"   ? kSlice
                          : form == "range" ? R"({"range": [0, 4, 1]})"
                                            : R"({"complex": [0.0, 1.0]})";
    std::vector<JsonValue> raw;
    for (const JsonValue part : arrayIn(first, example)) raw.push_back(part);
    if (raw.size() != (form == "complex" ? 2u : 3u))
        throw problem(first, form == "complex" ? Message("ir.expected_complex")
                                               : Message("ir.expected_slice", {{"example", example}}));
    if (form == "complex") return Complex{readNumber(raw[0]), readNumber(raw[1])};
    if (form == "range") return Range{raw[0].asInt(), raw[1].asInt(), raw[2].asInt()};
    return Argument::slice(read(raw[0], depth + 1), read(raw[1], depth + 1), read(raw[2], depth + 1));
}

double ArgumentReader::readNumber(JsonValue value) {
    if (!value.isObject()) return value.asDouble();
    const JsonValue word = value.find("float");
    const std::string_view text = word.exists() && word.isString() ? word.asText() : std::string_view();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw(word.exists() ? word : value).error(Message("ir.expected_float"));
}

} // namespace fx
