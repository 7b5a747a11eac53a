// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/tree_json.h"

#include "core/diag/error.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

// null, booleans, integers and texts stand for themselves, arrays are lists; the rest are objects with one member that
// says what they are: {"float": "0x1.8p+1"}, {"tuple": [...]}, {"dict": [key, value, ...]} (with a "type" of another
// class), {"tensor": 3}.
namespace fx::remote {
namespace {

using Kind = ValueTree::Kind;

std::string hexText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char text[64];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
}

void writeNumbers(JsonWriter& json, const std::vector<std::int64_t>& numbers) {
    json.beginArray();
    for (const std::int64_t number : numbers) json.integer(number);
    json.endArray();
}

std::vector<std::int64_t> readNumbers(JsonValue value) {
    std::vector<std::int64_t> out;
    for (const JsonValue number : value.needArray()) out.push_back(number.asInt());
    return out;
}

} // namespace

void TreeWriter::write(JsonWriter& json, const ValueTree& tree) {
    if (tree.kind == Kind::Plain) return plain(json, tree.plain);
    if (tree.kind == Kind::Tensor) {
        json.beginObject().key("tensor").integer(static_cast<std::int64_t>(place(tree.tensor))).endObject();
        return;
    }
    const bool list = tree.kind == Kind::List;
    if (!list) json.beginObject();
    if (tree.kind == Kind::Named) {
        json.key("type").string(tree.typeName).key("fields").beginArray();
        for (const std::string& field : tree.fields) json.string(field);
        json.endArray();
    }
    if (tree.kind == Kind::Dict && !tree.typeName.empty()) json.key("type").string(tree.typeName);
    if (!list)
        json.key(tree.kind == Kind::Tuple  ? "tuple"
                 : tree.kind == Kind::Size ? "size"
                 : tree.kind == Kind::Dict ? "dict"
                                           : "named");
    json.beginArray();
    for (const ValueTree& item : tree.items) write(json, item);
    json.endArray();
    if (!list) json.endObject();
}

void TreeWriter::plain(JsonWriter& json, const Argument& value) {
    const auto tagged = [&json](const char* tag, std::string_view text) {
        json.beginObject().key(tag).string(text).endObject();
    };
    if (value.isNone()) return void(json.null());
    if (const auto* flag = value.as<bool>()) return void(json.boolean(*flag));
    if (const auto* integer = value.as<std::int64_t>()) return void(json.integer(*integer));
    if (const auto* real = value.as<double>()) return tagged("float", hexText(*real));
    if (const auto* text = value.as<std::string>()) return void(json.string(*text));
    if (const auto* type = value.as<TorchConstant>()) return tagged("torch", type->name);
    if (const auto* big = value.as<BigInt>()) return tagged("int", big->digits);
    if (const auto* device = value.as<Device>())
        return tagged("device", device->index < 0 ? device->type : device->type + ":" + std::to_string(device->index));
    if (const auto* complex = value.as<Complex>())
        return void(json.beginObject()
                        .key("complex")
                        .beginArray()
                        .string(hexText(complex->re))
                        .string(hexText(complex->im))
                        .endArray()
                        .endObject());
    if (value.as<EllipsisValue>()) return tagged("constant", "...");
    ValueTree tree;
    if (const auto* slice = value.as<Slice>()) {
        json.beginObject().key("slice").beginArray();
        for (const Argument* part : {&slice->start, &slice->stop, &slice->step}) plain(json, *part);
        return void(json.endArray().endObject());
    }
    if (const auto* sequence = value.as<Sequence>()) {
        tree.kind = sequence->kind == Sequence::Kind::List ? Kind::List : Kind::Tuple;
        for (const Argument& item : sequence->items) tree.items.push_back(ValueTree::of(item));
    } else if (const auto* dict = value.as<Dict>()) {
        tree.kind = Kind::Dict;
        for (const auto& [key, item] : dict->items)
            tree.items.push_back(ValueTree::of(key)), tree.items.push_back(ValueTree::of(item));
    } else {
        throw Error(ErrorKind::Run, Message("remote.value_kind"));
    }
    write(json, tree);
}

std::size_t TreeWriter::place(const TensorPtr& tensor) {
    const auto [known, isNew] = m_places.emplace(tensor.get(), m_tensors.size());
    if (isNew) m_tensors.push_back(tensor);
    return known->second;
}

void TreeWriter::writeTables(JsonWriter& json) {
    json.key("tensors").beginArray();
    for (const TensorPtr& tensor : m_tensors) {
        if (!tensor->storage || tensor->storage->isExpression() || tensor->quantizer ||
            tensor->layout != "torch.strided")
            throw Error(ErrorKind::Run, Message("remote.tensor_kind"));
        const auto [known, isNew] = m_storagePlaces.emplace(tensor->storage.get(), m_storages.size());
        if (isNew) m_storages.push_back(tensor->storage);
        json.beginObject().key("dtype").string(dtypeName(tensor->dtype)).key("sizes");
        writeNumbers(json, tensor->sizes);
        json.key("strides");
        writeNumbers(json, tensor->strides);
        json.key("offset")
            .integer(tensor->offset)
            .key("storage")
            .integer(static_cast<std::int64_t>(known->second))
            .endObject();
    }
    json.endArray().key("storages").beginArray();
    for (const auto& storage : m_storages) {
        json.beginObject();
        if (m_files == Files::ByPlace && storage->file()) {
            json.key("file")
                .string(storage->file()->path())
                .key("at")
                .integer(static_cast<std::int64_t>(storage->fileOffset()));
        } else {
            json.key("at").integer(static_cast<std::int64_t>(m_blob.size()));
            const std::size_t start = m_blob.size();
            m_blob.resize(start + static_cast<std::size_t>(storage->byteCount()));
            storage->read(0, std::span(m_blob).subspan(start));
            m_blob.resize((m_blob.size() + 63) / 64 * 64); // the next one begins aligned
        }
        json.key("bytes").integer(static_cast<std::int64_t>(storage->byteCount())).endObject();
    }
    json.endArray();
}

std::shared_ptr<const std::vector<std::byte>> TreeWriter::blob() {
    return std::make_shared<const std::vector<std::byte>>(std::move(m_blob));
}

TreeReader::TreeReader(JsonValue message, std::shared_ptr<const std::vector<std::byte>> blob) {
    std::vector<std::shared_ptr<const Storage>> storages;
    std::unordered_map<std::string, std::shared_ptr<const DataFile>> files;
    for (const JsonValue row : message.at("storages").needArray()) {
        const auto at = static_cast<std::uint64_t>(row.at("at").asInt()),
                   bytes = static_cast<std::uint64_t>(row.at("bytes").asInt());
        if (const JsonValue path = row.find("file"); path.exists()) {
            auto& file = files[std::string(path.asText())];
            if (!file) file = DataFile::open(std::string(path.asText()));
            storages.push_back(Storage::inFile(file, at, bytes));
            continue;
        }
        const std::uint64_t size = blob ? blob->size() : 0;
        if (at > size || bytes > size - at) throw row.error(Message("remote.tensor_outside"));
        storages.push_back(Storage::through(bytes, [blob, at](std::uint64_t offset, std::span<std::byte> out) {
            std::copy_n(blob->data() + at + offset, out.size(), out.data());
        }));
    }
    for (const JsonValue row : message.at("tensors").needArray()) {
        TensorRef tensor;
        const auto type = dtypeFromName(row.at("dtype").asText());
        const auto storage = static_cast<std::size_t>(row.at("storage").asInt());
        if (!type || storage >= storages.size()) throw row.error(Message("remote.bad_tensor"));
        tensor.dtype = *type;
        tensor.sizes = readNumbers(row.at("sizes"));
        tensor.strides = readNumbers(row.at("strides"));
        tensor.offset = row.at("offset").asInt();
        tensor.storage = storages[storage];
        if (const std::string problem = tensor.geometryProblem(); !problem.empty())
            throw row.error(Message("remote.tensor_geometry", {{"problem", problem}}));
        m_tensors.push_back(std::make_shared<const TensorRef>(std::move(tensor)));
    }
}

ValueTree TreeReader::read(JsonValue value, int depth) const {
    if (depth > kMaxArgumentDepth) throw value.error(Message("remote.too_deep"));
    const auto all = [&](Kind kind, JsonValue items) {
        ValueTree out;
        out.kind = kind;
        for (const JsonValue item : items.needArray()) out.items.push_back(read(item, depth + 1));
        return out;
    };
    switch (value.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return ValueTree::of(Argument(value.asBool()));
    case JsonValue::Kind::Int: return ValueTree::of(Argument(value.asInt()));
    case JsonValue::Kind::String: return ValueTree::of(Argument(value.asText()));
    case JsonValue::Kind::Array: return all(Kind::List, value);
    default: break;
    }
    const auto real = [](JsonValue text) { return std::strtod(std::string(text.asText()).c_str(), nullptr); };
    value.needObject();
    if (const JsonValue v = value.find("tensor"); v.exists()) {
        const auto place = static_cast<std::size_t>(v.asInt());
        if (place >= m_tensors.size()) throw v.error(Message("remote.unknown_tensor"));
        return ValueTree::of(m_tensors[place]);
    }
    if (const JsonValue v = value.find("float"); v.exists()) return ValueTree::of(Argument(real(v)));
    if (const JsonValue v = value.find("tuple"); v.exists()) return all(Kind::Tuple, v);
    if (const JsonValue v = value.find("size"); v.exists()) return all(Kind::Size, v);
    if (const JsonValue v = value.find("dict"); v.exists()) {
        ValueTree out = all(Kind::Dict, v);
        if (const JsonValue type = value.find("type"); type.exists()) out.typeName = type.asText();
        return out;
    }
    if (const JsonValue v = value.find("torch"); v.exists()) return ValueTree::of(Argument::dtype(v.asText()));
    if (const JsonValue v = value.find("int"); v.exists())
        return ValueTree::of(Argument(BigInt{std::string(v.asText())}));
    if (const JsonValue v = value.find("device"); v.exists()) {
        const std::string text(v.asText());
        const auto colon = text.find(':');
        return ValueTree::of(
            Argument(Device{text.substr(0, colon), colon == text.npos ? -1 : std::atoi(text.c_str() + colon + 1)}));
    }
    if (const JsonValue v = value.find("complex"); v.exists()) {
        std::vector<double> parts;
        for (const JsonValue part : v.needArray()) parts.push_back(real(part));
        parts.resize(2);
        return ValueTree::of(Argument(Complex{parts[0], parts[1]}));
    }
    if (value.find("constant").exists()) return ValueTree::of(Argument(EllipsisValue{}));
    if (const JsonValue v = value.find("slice"); v.exists()) {
        std::vector<Argument> parts;
        for (const JsonValue part : v.needArray()) parts.push_back(read(part, depth + 1).plain);
        parts.resize(3);
        return ValueTree::of(Argument::slice(parts[0], parts[1], parts[2]));
    }
    if (const JsonValue v = value.find("named"); v.exists()) {
        ValueTree out = all(Kind::Named, v);
        out.typeName = value.at("type").asText();
        for (const JsonValue field : value.at("fields").needArray()) out.fields.emplace_back(field.asText());
        return out;
    }
    throw value.error(Message("remote.unknown_value"));
}

} // namespace fx::remote
