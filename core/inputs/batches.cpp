// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/batches.h"

#include "core/base/plain_number.h"
#include "core/io/tensors/npy.h"
#include "core/io/tensors/tensor_file.h"
#include "core/io/values/value_file.h"
#include "core/io/zip/zip_archive.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fx {
namespace {

using Named = std::vector<std::pair<std::string, TensorPtr>>;

Batch batchOf(const ValueTree& tree) {
    if (tree.kind == ValueTree::Kind::Tuple || tree.kind == ValueTree::Kind::List) return tree.items;
    return {tree};
}

ValueTree dictOf(const Named& tensors) {
    ValueTree out;
    out.kind = ValueTree::Kind::Dict;
    for (const auto& [name, tensor] : tensors)
        out.items.push_back(ValueTree::of(Argument(name))), out.items.push_back(ValueTree::of(tensor));
    return out;
}

/// `arr_3` and `3` are batch 3; `3.x` is input x of batch 3.
struct Key {
    std::uint64_t batch = 0;
    std::string input;
};
std::optional<Key> keyOf(std::string_view name) {
    if (name.starts_with("arr_")) name.remove_prefix(4);
    const std::size_t dot = name.find('.');
    const auto batch = plainNumber<std::uint64_t>(name.substr(0, dot));
    if (!batch) return std::nullopt;
    return Key{*batch, dot == name.npos ? std::string() : std::string(name.substr(dot + 1))};
}

std::vector<Batch> fromNames(const Named& tensors) {
    std::map<std::uint64_t, Named> batches;
    for (const auto& [name, tensor] : tensors) {
        auto key = keyOf(name);
        if (!key) return {{dictOf(tensors)}};
        batches[key->batch].emplace_back(std::move(key->input), tensor);
    }
    std::vector<Batch> out;
    for (const auto& [number, parts] : batches) {
        const bool byName =
            std::all_of(parts.begin(), parts.end(), [](const auto& part) { return !part.first.empty(); });
        Batch batch;
        if (byName) batch.push_back(dictOf(parts));
        else
            for (const auto& part : parts) batch.push_back(ValueTree::of(part.second));
        out.push_back(std::move(batch));
    }
    return out;
}

/// The arrays of a .npz file, a zip archive of .npy files.
Named readNpz(const std::shared_ptr<const DataFile>& file, const ZipArchive& archive) {
    Named out;
    for (const ZipMember& member : archive.members()) {
        if (!member.name.ends_with(".npy")) continue;
        archive.checkContent(member);
        out.emplace_back(member.name.substr(0, member.name.size() - 4),
                         member.stored ? readNpy(DataFile::part(file, archive.dataOffset(member), member.size))
                                       : readNpy(archive.storage(member)));
    }
    return out;
}

std::vector<Batch> fromTree(const ValueTree& tree) {
    if (tree.kind != ValueTree::Kind::List) return {batchOf(tree)};
    std::vector<Batch> out;
    for (const ValueTree& item : tree.items) out.push_back(batchOf(item));
    return out;
}

/// A file that is not said to be of safetensors may be anything: "too short for .safetensors" would not help.
Named readSafetensorsOf(const std::string& path, const Progress& progress) {
    if (path.ends_with(".safetensors")) return readNamedTensors(path, progress);
    try {
        return readNamedTensors(path, progress);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File) throw;
        throw Error(ErrorKind::File, Message("tensors.unreadable"));
    }
}

std::vector<Batch> read(const std::string& path, const Progress& progress) {
    const auto file = DataFile::open(path);
    if (file->size() == 0) throw Error(ErrorKind::Usage, Message("inputs.empty_file"));
    if (looksLikeNpy(*file)) return {{ValueTree::of(readNpy(file))}};
    if (!ZipArchive::looksLikeZip(*file)) return fromNames(readSafetensorsOf(path, progress));
    const ZipArchive archive = ZipArchive::open(file);
    const auto& members = archive.members();
    if (members.empty()) return {};
    if (std::any_of(members.begin(), members.end(), [](const ZipMember& each) { return each.name.ends_with(".npy"); }))
        return fromNames(readNpz(file, archive));
    return fromTree(readValueFile(path, progress));
}

/// A dict may also be the one argument that the model takes.
bool isByName(const ValueTree& dict, const Graph& graph) {
    if (dict.kind != ValueTree::Kind::Dict || dict.items.empty()) return false;
    for (std::size_t i = 0; i < dict.items.size(); i += 2) {
        const auto* name = dict.items[i].plain.as<std::string>();
        const auto ids = graph.order();
        if (!name || std::none_of(ids.begin(), ids.end(), [&](NodeId id) {
                return graph.node(id).op() == Op::Placeholder && graph.node(id).target() == *name;
            }))
            return false;
    }
    return true;
}

} // namespace

ValueTree argumentsOf(const Batch& batch, const Graph& graph) {
    if (batch.size() == 1 && isByName(batch.front(), graph)) return batch.front();
    ValueTree arguments;
    arguments.kind = ValueTree::Kind::Tuple;
    arguments.items = batch;
    return arguments;
}

std::vector<Batch> readBatches(const std::string& path, const Progress& progress) {
    std::vector<Batch> out;
    try {
        out = read(path, progress);
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
    if (out.empty()) throw Error(ErrorKind::Usage, Message("inputs.no_batches")).in(path);
    return out;
}

} // namespace fx
