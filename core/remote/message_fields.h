// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/message_json.h"
#include "core/remote/frame.h"
#include "core/remote/json_fields.h"
#include "core/remote/tree_json.h"

#include <algorithm>
#include <array>
#include <optional>

// A structure of a message lists its members once, in the order of the message:
//
//     template<class Archive> void fields(Archive& field, ShapesRequest& request) {
//         field("gradients", request.gradients)("may_run", request.mayRun);
//     }
//
// FieldWriter and FieldReader are the archives. The members of a list and of an optional may be structures, too.

namespace fx::remote {

/// Writes the listed members into an open object.
class FieldWriter {
public:
    /// `trees` writes tensors, if there are any.
    explicit FieldWriter(JsonWriter& json, TreeWriter* trees = nullptr) : m_json(json), m_trees(trees) {}

    /// A member.
    template<class Value> FieldWriter& operator()(std::string_view key, const Value& value) {
        return m_json.key(key), write(value), *this;
    }
    /// A member that is left out if it has no value, or is an empty text.
    template<class Value> FieldWriter& operator()(std::string_view key, const std::optional<Value>& value) {
        return value ? (*this)(key, *value) : *this;
    }
    FieldWriter& operator()(std::string_view key, const std::shared_ptr<const ValueTree>& tree) {
        return tree ? (*this)(key, *tree) : *this;
    }
    FieldWriter& ifAny(std::string_view key, const std::string& text) {
        return text.empty() ? *this : (*this)(key, text);
    }
    FieldWriter& ifAny(std::string_view key, const Message& message) {
        return message.text().empty() ? *this : (*this)(key, message);
    }
    /// An enumerator up to `last`.
    template<class Enum> FieldWriter& choice(std::string_view key, Enum value, Enum) {
        return (*this)(key, static_cast<std::int64_t>(value));
    }
    /// A number with all of its bits.
    FieldWriter& number(std::string_view key, std::uint64_t value) { return (*this)(key, std::to_string(value)); }
    /// A duration, in microseconds.
    FieldWriter& micros(std::string_view key, double millis) {
        return (*this)(key, static_cast<std::int64_t>(millis * 1000));
    }
    /// The text of a message under `key`, and beside it the code and the arguments.
    FieldWriter& message(std::string_view key, const Message& message) {
        (*this)(key, message.text());
        return writeMessageData(m_json, message), *this;
    }

    /// A member that is not in messages: only a reader sets it.
    template<class Value> FieldWriter& always(const Value&, const char*) { return *this; }
    /// A condition that only a reader checks.
    void require(bool, MessageCode) const {}

    /// Writes a value.
    void write(bool value) { m_json.boolean(value); }
    void write(double value) { writeReal(m_json, value); }
    void write(std::int64_t value) { m_json.integer(value); }
    void write(std::size_t value) { m_json.integer(static_cast<std::int64_t>(value)); }
    void write(const std::string& value) { m_json.string(value); }
    void write(const ValueTree& tree) { m_trees->write(m_json, tree); }
    /// A named tensor.
    void write(const std::pair<std::string, TensorPtr>& named) {
        m_trees->write(m_json.beginArray().string(named.first), ValueTree::of(named.second));
        m_json.endArray();
    }
    template<class Value> void write(const std::vector<Value>& values) { writeAll(values); }
    template<class Value, std::size_t N> void write(const std::array<Value, N>& values) { writeAll(values); }
    template<class Struct> void write(const Struct& value) {
        m_json.beginObject();
        fields(*this, const_cast<Struct&>(value)); // which only a reader changes
        m_json.endObject();
    }

private:
    template<class Values> void writeAll(const Values& values) {
        m_json.beginArray();
        for (const auto& value : values) write(value);
        m_json.endArray();
    }

    JsonWriter& m_json;
    TreeWriter* m_trees;
};

/// Reads what FieldWriter wrote. Throws Error for missing or mistyped members.
class FieldReader {
public:
    /// `trees` reads tensors, if there are any.
    explicit FieldReader(JsonValue object, const TreeReader* trees = nullptr) : m_object(object), m_trees(trees) {}

    template<class Value> FieldReader& operator()(std::string_view key, Value& value) {
        return read(m_object.at(key), value), *this;
    }
    template<class Value> FieldReader& operator()(std::string_view key, std::optional<Value>& value) {
        if (const JsonValue found = m_object.find(key); found.exists()) read(found, value.emplace());
        return *this;
    }
    FieldReader& operator()(std::string_view key, std::shared_ptr<const ValueTree>& tree) {
        if (const JsonValue found = m_object.find(key); found.exists())
            tree = std::make_shared<const ValueTree>(m_trees->read(found));
        return *this;
    }
    template<class Value> FieldReader& ifAny(std::string_view key, Value& value) {
        if (const JsonValue found = m_object.find(key); found.exists()) read(found, value);
        return *this;
    }
    template<class Enum> FieldReader& choice(std::string_view key, Enum& value, Enum last) {
        value =
            static_cast<Enum>(std::clamp<std::int64_t>(m_object.at(key).asInt(), 0, static_cast<std::int64_t>(last)));
        return *this;
    }
    FieldReader& number(std::string_view key, std::uint64_t& value) {
        return value = std::strtoull(readText(m_object, key).c_str(), nullptr, 10), *this;
    }
    FieldReader& micros(std::string_view key, double& millis) {
        return millis = static_cast<double>(m_object.at(key).asInt()) / 1000, *this;
    }
    FieldReader& message(std::string_view key, Message& message) { return message = readMessage(m_object, key), *this; }
    template<class Value> FieldReader& always(Value& member, const char* value) { return member = value, *this; }
    /// Throws Error with `what` and the place in the message unless `holds`.
    void require(bool holds, MessageCode what) const {
        if (!holds) throw m_object.error(Message(what));
    }

    /// Reads a value.
    void read(JsonValue json, bool& value) const { value = json.asBool(); }
    void read(JsonValue json, double& value) const { value = realOf(json); }
    void read(JsonValue json, std::int64_t& value) const { value = json.asInt(); }
    void read(JsonValue json, std::size_t& value) const { value = static_cast<std::size_t>(json.asInt()); }
    void read(JsonValue json, std::string& value) const { value = json.asText(); }
    void read(JsonValue json, ValueTree& tree) const { tree = m_trees->read(json); }
    void read(JsonValue json, std::pair<std::string, TensorPtr>& named) const {
        requireCount(json.needArray().size(), 2);
        auto item = json.begin();
        named.first = (*item).asText();
        named.second = tensorOf(m_trees->read(*++item));
    }
    template<class Value> void read(JsonValue json, std::vector<Value>& values) const {
        for (const JsonValue each : json.needArray()) read(each, values.emplace_back());
    }
    template<class Value, std::size_t N> void read(JsonValue json, std::array<Value, N>& values) const {
        std::vector<Value> all;
        read(json, all);
        std::copy_n(all.begin(), std::min(all.size(), N), values.begin());
    }
    template<class Struct> void read(JsonValue json, Struct& value) const {
        FieldReader inner(json, m_trees);
        fields(inner, value);
    }

private:
    JsonValue m_object;
    const TreeReader* m_trees;
};

template<class Archive> void fields(Archive& field, Message& message) { field.message("text", message); }
template<class Archive> void fields(Archive& field, Warning& warning) {
    field.message("what", warning.what)("node", warning.node)("module_path", warning.modulePath);
    field("where", warning.where);
}

/// Writes the members of a request into its open object.
template<class Struct> void writeFields(JsonWriter& json, const Struct& value, TreeWriter* trees = nullptr) {
    FieldWriter field(json, trees);
    fields(field, const_cast<Struct&>(value));
}
/// Reads the members of a request.
template<class Struct> Struct withFields(Struct value, JsonValue request) {
    FieldReader field(request);
    fields(field, value);
    return value;
}
template<class Struct> Struct withFields(Struct value, const Frame& frame) {
    return withFields(std::move(value), JsonDocument::parse(frame.json)->root());
}

/// Says if a result has tensors, which are sent as bytes.
enum class Tensors : std::uint8_t { None, Some };
/// Encodes a result.
template<Tensors T = Tensors::None, class Struct> Frame resultFrame(const Struct& value, std::uint32_t number) {
    JsonWriter json;
    TreeWriter trees(TreeWriter::Files::AsBytes);
    writeFields(json.beginObject(), value, &trees);
    if constexpr (T == Tensors::Some) trees.writeTables(json);
    return {FrameKind::Result, number, json.endObject().text(), T == Tensors::Some ? trees.blob() : nullptr, {}};
}
/// Decodes a result.
template<class Struct, Tensors T = Tensors::None> Struct resultOf(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    std::optional<TreeReader> trees;
    if constexpr (T == Tensors::Some) trees.emplace(document->root(), frame.blob, TreeWriter::Files::AsBytes);
    FieldReader field(document->root(), trees ? &*trees : nullptr);
    Struct value;
    fields(field, value);
    return value;
}

} // namespace fx::remote
