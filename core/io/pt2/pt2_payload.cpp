// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_payload.h"

#include "core/io/pt2/pt2_values.h"

#include <limits>

namespace fx {
namespace {

std::int64_t plainNumber(JsonValue number) {
    const auto [tag, value] = unionOf(number);
    if (tag != "as_int") throw number.error(Message("pt2.weight_geometry"));
    return value.asInt();
}

std::vector<std::int64_t> plainNumbers(JsonValue list) {
    std::vector<std::int64_t> numbers;
    for (const JsonValue number : list.needArray()) numbers.push_back(plainNumber(number));
    return numbers;
}

} // namespace

Pt2ModuleTree::Pt2ModuleTree(std::shared_ptr<Module> root) { m_modules.emplace("", root.get()); }

Module& Pt2ModuleTree::at(std::string_view path) {
    const auto found = m_modules.find(std::string(path));
    if (found != m_modules.end()) return *found->second;
    // up to the first parent that exists, then down again: paths may be long
    std::size_t end = path.size();
    Module* holder = nullptr;
    while (!holder) {
        end = end == 0 || path.rfind('.', end - 1) == std::string_view::npos ? 0 : path.rfind('.', end - 1);
        const auto parent = m_modules.find(std::string(path.substr(0, end)));
        if (parent != m_modules.end()) holder = parent->second;
    }
    while (end < path.size()) {
        const std::size_t start = end == 0 ? 0 : end + 1;
        end = std::min(path.find('.', start), path.size());
        auto child = emptyModule();
        Module* made = child.get();
        holder->children.push_back({std::string(path.substr(start, end - start)), std::move(child)});
        m_modules.emplace(std::string(path.substr(0, end)), made);
        holder = made;
    }
    return *holder;
}

void Pt2ModuleTree::setType(std::string_view path, std::string_view type) {
    Module& module = at(path);
    const std::size_t local = type.find(".<locals>");
    module.setType(type.substr(0, local));
    if (local != std::string_view::npos) module.className += type.substr(local);
}

Pt2Payload::Pt2Payload(const ZipArchive& archive, const std::string& folder, const std::string& configuration,
                       Warnings& warnings)
    : m_archive(archive), m_folder(folder) {
    const std::string record = folder + configuration;
    const ZipMember* member = archive.findInRoot(record);
    if (!member) throw Error(ErrorKind::File, Message("pt2.no_record", {{"name", record}}));
    const auto document = JsonDocument::parse(archive.readText(*member, kMaxConfiguration));
    for (const JsonValue entry : document->root().at("config").needObject()) {
        Item item;
        item.path = entry.key();
        item.isParameter = entry.at("is_param").asBool();
        const std::string name(entry.at("path_name").asText());
        const JsonValue meta = entry.find("tensor_meta");
        if (entry.at("use_pickle").asBool() || !meta.exists() || meta.isNull())
            warnings.push_back({Message("pt2.object_kept"), {}, item.path, folder + name});
        else item.tensor = tensor(meta, name, item.isParameter);
        m_items.push_back(std::move(item));
    }
}

TensorPtr Pt2Payload::tensor(JsonValue meta, const std::string& record, bool isParameter) {
    TensorRef tensor;
    const char* dtype = pt2DtypeName(meta.at("dtype").asInt());
    if (!dtype) throw meta.at("dtype").error(Message("pt2.element_type"));
    tensor.dtype = dtypeFromName(dtype).value_or(DType::Other);
    tensor.sizes = plainNumbers(meta.at("sizes"));
    tensor.strides = plainNumbers(meta.at("strides"));
    tensor.offset = plainNumber(meta.at("storage_offset"));
    tensor.requiresGrad = meta.at("requires_grad").asBool();
    tensor.isParameter = isParameter;
    const Device device = pt2Device(meta.at("device"));
    tensor.device = device.index < 0 ? device.type : device.type + ":" + std::to_string(device.index);
    if (const char* layout = pt2LayoutName(meta.at("layout").asInt())) tensor.layout = layout;

    std::string key = record + (isParameter ? " parameter " : " tensor ") + dtype + " " + std::to_string(tensor.offset);
    for (const std::int64_t size : tensor.sizes) key += " " + std::to_string(size);
    key += " at";
    for (const std::int64_t stride : tensor.strides) key += " " + std::to_string(stride);
    TensorPtr& known = m_tensors[key];
    if (known) return known;
    if (tensor.device != "meta") tensor.storage = storage(record, elementSize(tensor.dtype), meta);
    if (const std::string problem = tensor.geometryProblem(); !problem.empty())
        throw meta.error(
            Message("pt2.tensor_too_large", {{"problem", problem}, {"record", m_folder + std::string(record)}}));
    return known = std::make_shared<const TensorRef>(std::move(tensor));
}

std::shared_ptr<const Storage> Pt2Payload::storage(const std::string& record, std::size_t elementBytes,
                                                   JsonValue meta) {
    auto& known = m_storages[record];
    if (known) return known;
    const ZipMember* member = m_archive.findInRoot(m_folder + record);
    if (!member) throw meta.error(Message("pt2.missing_record", {{"record", m_folder + std::string(record)}}));
    if (member->size > 0) return known = m_archive.storage(*member);
    // an empty record stands for zeros, as PyTorch reads it
    std::uint64_t bytes = elementBytes;
    std::string sizes;
    for (const std::int64_t size : plainNumbers(meta.at("sizes"))) {
        if (size < 0 ||
            (size > 0 && bytes > std::numeric_limits<std::int64_t>::max() / static_cast<std::uint64_t>(size)))
            throw meta.error(Message("pt2.bad_sizes"));
        bytes *= static_cast<std::uint64_t>(size);
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    }
    if (bytes == 0) return known = m_archive.storage(*member);
    return known = Storage::expression(
               "torch.zeros([" + sizes + "], dtype=" + pt2DtypeName(meta.at("dtype").asInt()) + ")", bytes);
}

} // namespace fx
