// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/tree_json.h"

#include "core/diag/error.h"
#include "core/ir/argument_codec.h"
#include "core/remote/json_fields.h"

// Values without tensors are written as core/ir/argument_codec does; arrays are lists, and some objects are trees:
// {"tuple": [...]}, {"size": [...]}, {"mapping": [key, value, ...]} (with a "type" of another class), {"named": [...],
// "type", "fields"}, {"tensor": 3}.
namespace fx::remote {
namespace {

using Kind = ValueTree::Kind;

/// Values in messages refer to no graph.
class PlainWriter final : public ArgumentWriter {
public:
    using ArgumentWriter::ArgumentWriter;

protected:
    [[noreturn]] static void refuse() { throw Error(ErrorKind::Run, Message("remote.value_kind")); }
    std::string_view nameOf(NodeId) const override { refuse(); }
    void writeOther(const Argument& argument) override {
        if (!writeExact(argument)) refuse();
    }
    void writeTypeOf(const Sequence&) override {}
};

class PlainReader final : public ArgumentReader {
protected:
    NodeId nodeNamed(JsonValue name) override { throw name.error(Message("remote.node_in_message")); }
    CallablePtr tupleType(JsonValue) override { return nullptr; }
    std::optional<Argument> readOther(JsonValue, std::string_view) override { return std::nullopt; }
    std::string_view otherForms() const override { return "tensor, size, named"; }
};

} // namespace

void TreeWriter::write(JsonWriter& json, const ValueTree& tree) {
    if (tree.kind == Kind::Plain) return PlainWriter(json).write(tree.plain);
    if (tree.kind == Kind::Tensor) {
        json.beginObject().key("tensor").integer(static_cast<std::int64_t>(place(tree.tensor))).endObject();
        return;
    }
    const bool list = tree.kind == Kind::List;
    if (!list) json.beginObject();
    if (tree.kind == Kind::Named) { json.key("type").string(tree.typeName).key("fields").strings(tree.fields); }
    if (tree.kind == Kind::Dict && !tree.typeName.empty()) json.key("type").string(tree.typeName);
    if (!list)
        json.key(tree.kind == Kind::Tuple  ? "tuple"
                 : tree.kind == Kind::Size ? "size"
                 : tree.kind == Kind::Dict ? "mapping"
                                           : "named");
    json.beginArray();
    for (const ValueTree& item : tree.items) write(json, item);
    json.endArray();
    if (!list) json.endObject();
}

std::size_t TreeWriter::place(const TensorPtr& tensor) {
    const auto [known, isNew] = m_places.emplace(tensor.get(), m_tensors.size());
    if (isNew) m_tensors.push_back(tensor);
    return known->second;
}

void TreeWriter::writeQuantizer(JsonWriter& json, const Quantizer& quantizer) {
    json.beginObject();
    if (quantizer.perChannel)
        json.key("axis")
            .integer(quantizer.axis)
            .key("scales")
            .integer(static_cast<std::int64_t>(place(quantizer.scales)))
            .key("zero_points")
            .integer(static_cast<std::int64_t>(place(quantizer.zeroPoints)));
    else {
        writeReal(json, "scale", quantizer.scale);
        json.key("zero_point").integer(quantizer.zeroPoint);
    }
    json.endObject();
}

void TreeWriter::writeTables(JsonWriter& json) {
    json.key("tensors").beginArray();
    for (std::size_t row = 0; row < m_tensors.size(); ++row) { // quantizers add tensors
        const TensorPtr tensor = m_tensors[row];
        if (!tensor->storage || tensor->storage->isExpression() || tensor->layout != "torch.strided")
            throw Error(ErrorKind::Run, Message("remote.tensor_kind"));
        const auto [known, isNew] = m_storagePlaces.emplace(tensor->storage.get(), m_storages.size());
        if (isNew) m_storages.push_back(tensor->storage);
        json.beginObject().key("dtype").string(dtypeName(tensor->dtype)).key("sizes");
        json.integers(tensor->sizes);
        json.key("strides");
        json.integers(tensor->strides);
        json.key("offset").integer(tensor->offset).key("storage").integer(static_cast<std::int64_t>(known->second));
        if (tensor->quantizer) writeQuantizer(json.key("quantizer"), *tensor->quantizer);
        json.endObject();
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

std::vector<std::string> TreeWriter::files() const {
    std::vector<std::string> out;
    for (const auto& storage : m_storages)
        if (m_files == Files::ByPlace && storage->file()) out.push_back(storage->file()->path());
    return out;
}

TreeReader::TreeReader(JsonValue message, std::shared_ptr<const std::vector<std::byte>> blob,
                       TreeWriter::Files allowed) {
    std::vector<std::shared_ptr<const Storage>> storages;
    std::unordered_map<std::string, std::shared_ptr<const DataFile>> files;
    for (const JsonValue row : message.at("storages").needArray()) {
        const auto at = static_cast<std::uint64_t>(row.at("at").asInt()),
                   bytes = static_cast<std::uint64_t>(row.at("bytes").asInt());
        if (const JsonValue path = row.find("file"); path.exists()) {
            if (allowed != TreeWriter::Files::ByPlace) throw path.error(Message("remote.names_file"));
            auto& file = files[std::string(path.asText())];
            if (!file) file = DataFile::open(std::string(path.asText()));
            storages.push_back(Storage::inFile(file, at, bytes));
            continue;
        }
        const std::uint64_t size = blob ? blob->size() : 0;
        if (at > size || bytes > size - at) throw row.error(Message("remote.tensor_outside"));
        storages.push_back(Storage::through(bytes, [blob, at](std::uint64_t offset, std::span<std::byte> out) {
            if (!out.empty()) std::copy_n(blob->data() + at + offset, out.size(), out.data());
        }));
    }
    std::vector<std::shared_ptr<TensorRef>> read;
    for (const JsonValue row : message.at("tensors").needArray()) {
        TensorRef tensor;
        const auto type = dtypeFromName(row.at("dtype").asText());
        const auto storage = static_cast<std::size_t>(row.at("storage").asInt());
        if (!type || storage >= storages.size()) throw row.error(Message("remote.bad_tensor"));
        tensor.dtype = *type;
        tensor.sizes = row.at("sizes").integers();
        tensor.strides = row.at("strides").integers();
        tensor.offset = row.at("offset").asInt();
        tensor.storage = storages[storage];
        if (const std::string problem = tensor.geometryProblem(); !problem.empty())
            throw row.error(Message("remote.tensor_geometry", {{"problem", problem}}));
        if (const JsonValue quantizer = row.find("quantizer"); quantizer.exists())
            tensor.quantizer = readQuantizer(quantizer);
        read.push_back(std::make_shared<TensorRef>(std::move(tensor)));
        m_tensors.push_back(read.back());
    }
    readScales(message.at("tensors"), read);
}

Quantizer TreeReader::readQuantizer(JsonValue value) {
    Quantizer out;
    out.perChannel = value.find("axis").exists();
    if (out.perChannel) out.axis = value.at("axis").asInt();
    else out.scale = readReal(value, "scale"), out.zeroPoint = value.at("zero_point").asInt();
    return out;
}

/// The scales of channels are tensors of the same table, which follow.
void TreeReader::readScales(JsonValue rows, const std::vector<std::shared_ptr<TensorRef>>& tensors) {
    std::size_t place = 0;
    for (const JsonValue row : rows.needArray()) {
        TensorRef& tensor = *tensors[place++];
        if (!tensor.quantizer || !tensor.quantizer->perChannel) continue;
        const auto at = [&](std::string_view key) -> TensorPtr {
            const auto index = static_cast<std::size_t>(row.at("quantizer").at(key).asInt());
            if (index >= tensors.size() || tensors[index]->quantizer) throw row.error(Message("remote.unknown_tensor"));
            return tensors[index];
        };
        tensor.quantizer->scales = at("scales"), tensor.quantizer->zeroPoints = at("zero_points");
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
    if (value.isArray()) return all(Kind::List, value);
    if (!value.isObject()) return ValueTree::of(PlainReader().read(value));
    if (const JsonValue v = value.find("tensor"); v.exists()) {
        const auto place = static_cast<std::size_t>(v.asInt());
        if (place >= m_tensors.size()) throw v.error(Message("remote.unknown_tensor"));
        return ValueTree::of(m_tensors[place]);
    }
    if (const JsonValue v = value.find("tuple"); v.exists()) return all(Kind::Tuple, v);
    if (const JsonValue v = value.find("size"); v.exists()) return all(Kind::Size, v);
    if (const JsonValue v = value.find("mapping"); v.exists()) {
        ValueTree out = all(Kind::Dict, v);
        if (const JsonValue type = value.find("type"); type.exists()) out.typeName = type.asText();
        return out;
    }
    if (const JsonValue v = value.find("named"); v.exists()) {
        ValueTree out = all(Kind::Named, v);
        out.typeName = value.at("type").asText();
        out.fields = value.at("fields").texts();
        return out;
    }
    return ValueTree::of(PlainReader().read(value, depth));
}

TensorPtr tensorOf(const ValueTree& answer) {
    if (answer.kind != Kind::Tensor || !answer.tensor) throw Error(ErrorKind::Run, Message("remote.no_tensor"));
    return answer.tensor;
}

void requireCount(std::size_t answers, std::size_t questions) {
    if (answers != questions) throw Error(ErrorKind::Run, Message("remote.tensor_count"));
}

} // namespace fx::remote
