// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_payload_writer.h"

#include "core/base/joined_path.h"
#include "core/io/pt2/pt2_json.h"
#include "core/io/pt2/pt2_payload.h"
#include "core/io/pt2/pt2_values.h"

namespace fx {
namespace {

constexpr std::string_view kWeightsEnd = "_weights_config.json", kConstantsEnd = "_constants_config.json";

void numbers(JsonWriter& json, std::string_view key, const std::vector<std::int64_t>& values) {
    json.key(key).beginArray();
    for (const std::int64_t value : values) json.beginObject().key("as_int").integer(value).endObject();
    json.endArray();
}

void writeMeta(JsonWriter& json, const TensorRef& tensor, const std::string& path) {
    const std::int64_t dtype = pt2DtypeNumber(dtypeName(tensor.dtype)), layout = pt2LayoutNumber(tensor.layout);
    if (dtype == 0 || layout == 0 || tensor.quantizer || tensor.conjugate || tensor.negative)
        throw Error(ErrorKind::Refused,
                    Message("pt2.tensor_kind", {{"dtype", dtypeName(tensor.dtype)}, {"layout", tensor.layout}}))
            .onModule(path);
    json.beginObject().key("dtype").integer(dtype);
    numbers(json, "sizes", tensor.sizes);
    const std::size_t colon = tensor.device.find(':');
    json.key("requires_grad")
        .boolean(tensor.requiresGrad)
        .key("device")
        .beginObject()
        .key("type")
        .string(tensor.device.substr(0, colon))
        .key("index");
    colon == std::string::npos ? json.null() : json.raw(tensor.device.substr(colon + 1));
    json.endObject();
    numbers(json, "strides", tensor.strides);
    json.key("storage_offset")
        .beginObject()
        .key("as_int")
        .integer(tensor.offset)
        .endObject()
        .key("layout")
        .integer(layout)
        .endObject();
}

/// Whether the record that the file has for a storage is empty, which stands for zeros.
bool isZeros(const Storage& storage) {
    return storage.isExpression() && storage.expressionSource().starts_with("torch.zeros(");
}

} // namespace

Pt2PayloadWriter::Pt2PayloadWriter(const GraphModule& model, const Pt2Origin& origin, bool isWeights)
    : folder(isWeights ? "data/weights/" : "data/constants/"),
      configuration(model.modelName + std::string(isWeights ? kWeightsEnd : kConstantsEnd)), m_model(model),
      m_origin(origin), m_isWeights(isWeights) {
    collect();
    const std::string before =
        origin.archive.readText(*origin.archive.findInRoot(folder + configuration), kMaxConfiguration);
    const auto old = JsonDocument::parse(before);
    findRecords(*old);
    write(*old);
    JsonWriter same; // the same entries, written as we write them: has anything changed?
    copyJson(same, old->root());
    changed = same.text() != text;
    if (!changed) text = before;
}

void Pt2PayloadWriter::collect() {
    const auto add = [this](const std::string& path, const std::string& name, const TensorPtr& tensor,
                            bool isParameter) {
        const std::string full = joinedPath(path, name);
        if (m_byPath.emplace(full, m_places.size()).second) m_places.emplace_back(full, Place{tensor, isParameter});
    };
    forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
        if (m_isWeights)
            for (const Module::Slot& slot : module.parameters) add(path, slot.name, slot.tensor, true);
        for (const Module::Slot& slot : module.buffers)
            if (slot.persistent == m_isWeights) add(path, slot.name, slot.tensor, false);
        if (m_isWeights) return;
        for (const auto& [name, value] : module.attributes) {
            const auto* tensor = std::get_if<TensorPtr>(&value);
            const auto* object = tensor ? nullptr : std::get<Argument>(value).as<OpaqueObject>();
            if (tensor || object) add(path, name, tensor ? *tensor : nullptr, false);
        }
    });
}

/// Which records there are, and whose.
void Pt2PayloadWriter::findRecords(const JsonDocument& old) {
    const std::string start = m_origin.archive.root() + folder;
    const std::string_view end = m_isWeights ? kWeightsEnd : kConstantsEnd;
    for (const ZipMember& member : m_origin.archive.members()) {
        if (!member.name.starts_with(start)) continue;
        const std::string name = member.name.substr(start.size());
        m_taken.insert(name);
        if (name == configuration || !name.ends_with(end)) continue;
        const auto other = JsonDocument::parse(m_origin.archive.readText(member, kMaxConfiguration));
        for (const JsonValue each : other->root().at("config")) m_foreign.emplace(each.at("path_name").asText());
    }
    for (const JsonValue each : old.root().at("config"))
        if (const std::string name(each.at("path_name").asText()); !m_foreign.contains(name)) owned.insert(name);
}

std::string Pt2PayloadWriter::recordFor(const std::string& path, const TensorRef& tensor, const std::string& wanted) {
    const auto& storage = tensor.storage;
    if (const auto known = m_names.find(storage.get()); storage && known != m_names.end()) return known->second;
    const ZipMember* before = wanted.empty() ? nullptr : m_origin.archive.findInRoot(folder + wanted);
    std::string name = wanted;
    if (name.empty() || m_foreign.contains(name) || m_used.contains(name)) {
        name.clear();
        for (std::size_t i = m_taken.size() > 1 ? m_taken.size() - 1 : 0; name.empty() || m_taken.contains(name); ++i)
            name = (m_isWeights ? "weight_" : "tensor_") + std::to_string(i);
        m_taken.insert(name);
    }
    std::shared_ptr<const Storage> content = storage;
    if (!storage || storage->isExpression()) {
        const bool empty = storage && isZeros(*storage) && before && before->size == 0;
        if (storage && !empty) throw Error(ErrorKind::Refused, Message("files.not_computed")).onModule(path);
        content = Storage::inMemory({});
    }
    records.push_back({name, std::move(content)});
    m_used.insert(name);
    if (storage) m_names.emplace(storage.get(), name);
    return name;
}

void Pt2PayloadWriter::entry(const std::string& path, const Place& place, JsonValue old) {
    JsonWriter& json = *m_json;
    const bool wasTensor = old.exists() && !old.at("use_pickle").asBool() && !old.at("tensor_meta").isNull();
    if (!place.tensor) {       // a pickled object keeps its record
        if (wasTensor) return; // it is None now
        const std::string name(old.at("path_name").asText());
        if (const ZipMember* member = m_origin.archive.findInRoot(folder + name); member && owned.contains(name))
            records.push_back({name, m_origin.archive.storage(*member)});
        json.key(path);
        return copyJson(json, old);
    }
    json.key(path).beginObject();
    json.key("path_name")
        .string(recordFor(path, *place.tensor, wasTensor ? std::string(old.at("path_name").asText()) : std::string()));
    json.key("is_param").boolean(place.isParameter).key("use_pickle").boolean(false).key("tensor_meta");
    writeMeta(json, *place.tensor, path);
    json.endObject();
}

void Pt2PayloadWriter::write(const JsonDocument& old) {
    JsonWriter json;
    m_json = &json;
    json.beginObject();
    for (const JsonValue member : old.root()) {
        json.key(member.key());
        if (member.key() != "config") {
            copyJson(json, member);
            continue;
        }
        json.beginObject();
        std::unordered_set<std::string> done;
        for (const JsonValue each : member) {
            const std::string path(each.key());
            const auto found = m_byPath.find(path);
            if (found == m_byPath.end() || !done.insert(path).second) continue;
            entry(path, m_places[found->second].second, each);
        }
        for (const auto& [path, place] : m_places)
            if (!done.contains(path) && place.tensor) entry(path, place, {});
        json.endObject();
    }
    json.endObject();
    text = json.text();
}

} // namespace fx
