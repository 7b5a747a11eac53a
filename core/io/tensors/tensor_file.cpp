// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/tensor_file.h"

#include "core/io/graphmodule/torch_file.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/tensors/npy.h"
#include "core/io/zip/file_inside.h"
#include "core/tensor/row_major.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::size_t kNamesShown = 8;

/// The place of the name that is meant.
std::size_t chosen(const std::vector<std::string>& names, const std::string& key, const std::string& wanted) {
    if (names.empty()) throw Error(ErrorKind::File, Message("tensors.none"));
    if (key.empty() && names.size() == 1) return 0;
    const auto found = std::find(names.begin(), names.end(), key.empty() ? wanted : key);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string listed;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) listed += (i ? ", " : "") + names[i];
    if (names.size() > kNamesShown) listed += " and " + std::to_string(names.size() - kNamesShown) + " more";
    throw Error(ErrorKind::File,
                Message("tensors.unknown", {{"name", (key.empty() ? wanted : key)}, {"known", listed}}));
}

TensorInFile fromTorch(TorchFile& file, const std::string& key, const std::string& wanted) {
    const PickleRef root = file.arena().root();
    if (file.isTensor(root)) {
        if (!key.empty()) throw Error(ErrorKind::File, Message("tensors.no_key"));
        return {file.tensor(root), TensorInFile::Kind::Torch, {}};
    }
    std::vector<std::string> names;
    std::vector<PickleRef> refs;
    for (const auto& [name, ref] : textEntries(file.arena(), root))
        if (file.isTensor(ref)) names.emplace_back(name), refs.push_back(ref);
    const std::size_t place = chosen(names, key, wanted);
    return {file.tensor(refs[place]), TensorInFile::Kind::Torch, names[place]};
}

TensorInFile fromSafetensors(const std::shared_ptr<const DataFile>& file, const std::string& key,
                             const std::string& wanted, const Progress& progress) {
    const SafetensorsFile content = readSafetensors(file, progress);
    std::vector<std::string> names;
    for (const auto& entry : content.entries) names.push_back(entry.name);
    const SafetensorsEntry& entry = content.entries[chosen(names, key, wanted)];
    const auto dtype = dtypeFromSafetensors(entry.dtype);
    if (!dtype)
        throw Error(ErrorKind::File, Message("tensors.unknown_type", {{"name", entry.name}, {"type", entry.dtype}}));
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = *dtype;
    tensor->sizes = entry.shape;
    tensor->strides = rowMajorStrides(entry.shape);
    tensor->storage = entry.storage;
    return {std::move(tensor), TensorInFile::Kind::Safetensors, entry.name};
}

} // namespace

TensorInFile readTensorFile(const std::string& path, const std::string& key, const std::string& wanted,
                            const Progress& progress) {
    try {
        const auto file = openFileInside(path);
        if (looksLikeNpy(*file)) return {readNpy(file), TensorInFile::Kind::Npy, {}};
        if (!ZipArchive::looksLikeZip(*file)) return fromSafetensors(file, key, wanted, progress);
        const auto archive = ZipArchive::open(file);
        if (!archive.findInRoot("data.pkl")) throw Error(ErrorKind::File, Message("tensors.unreadable"));
        return fromTorch(*TorchFile::open(archive, progress), key, wanted);
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx
