// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/tensor_file.h"

#include "core/base/listed.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/tensors/npy.h"
#include "core/io/zip/file_inside.h"
#include "core/tensor/row_major.h"

#include <algorithm>
#include <functional>

namespace fx {
namespace {

constexpr std::size_t kNamesShown = 8;

/// The place of the name that is meant.
std::size_t chosen(const std::vector<std::string>& names, const std::string& key, const std::string& wanted) {
    if (names.empty()) throw Error(ErrorKind::File, Message("tensors.none"));
    if (key.empty() && names.size() == 1) return 0;
    const auto found = std::find(names.begin(), names.end(), key.empty() ? wanted : key);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    throw Error(ErrorKind::File, Message("tensors.unknown", {{"name", (key.empty() ? wanted : key)},
                                                             {"known", listed(names, kNamesShown)}}));
}

/// What a file holds; a tensor alone has no name.
struct Content {
    TensorInFile::Kind kind = TensorInFile::Kind::Torch;
    bool isAlone = false;
    std::vector<std::string> names;
    std::function<TensorPtr(std::size_t)> tensor; ///< by the place of its name
};

/// Where training scripts keep the state dict of a model, beside the optimizer's and others.
constexpr std::string_view kStateDicts[] = {"state_dict", "model_state_dict", "model", "module", "net", "weights"};

bool hasTensors(const TorchFile& file, PickleRef dict) {
    const PickleEntries entries = textEntries(file.arena(), dict);
    return std::any_of(entries.begin(), entries.end(), [&](const auto& each) { return file.isTensor(each.second); });
}

/// The state dict in a checkpoint, or `root` itself. Throws for a checkpoint with several, or under other keys.
PickleRef stateDict(const TorchFile& file, PickleRef root) {
    const PickleEntries entries = textEntries(file.arena(), root);
    std::string keys, dicts, usual;
    PickleRef found = kNoPickle;
    std::size_t count = 0;
    const auto list = [](std::string& to, std::string_view key) {
        to += (to.empty() ? "'" : ", '") + std::string(key) + "'";
    };
    for (const auto& [key, ref] : entries) {
        list(keys, key);
        if (!hasTensors(file, ref)) continue;
        if (dicts.empty()) dicts = key;
        if (std::find(std::begin(kStateDicts), std::end(kStateDicts), key) == std::end(kStateDicts)) continue;
        list(usual, key);
        found = ref, ++count;
    }
    if (count == 1) return found;
    if (count > 1) throw Error(ErrorKind::File, Message("tensors.several_dicts", {{"keys", usual}}));
    if (entries.empty() || hasTensors(file, root)) return root;
    throw Error(ErrorKind::File, Message("tensors.no_state_dict", {{"keys", keys}, {"key", dicts}}));
}

Content ofTorch(const std::shared_ptr<TorchFile>& file) {
    Content content;
    PickleRef root = file->arena().root();
    if (file->isTensor(root)) {
        content.isAlone = true;
        content.tensor = [file, root](std::size_t) { return file->tensor(root); };
        return content;
    }
    std::vector<PickleRef> refs;
    for (const auto& [name, ref] : textEntries(file->arena(), stateDict(*file, root)))
        if (file->isTensor(ref)) content.names.emplace_back(name), refs.push_back(ref);
    content.tensor = [file, refs](std::size_t at) { return file->tensor(refs[at]); };
    return content;
}

TensorPtr tensorOf(const SafetensorsEntry& entry) {
    const auto dtype = dtypeFromSafetensors(entry.dtype);
    if (!dtype)
        throw Error(ErrorKind::File, Message("tensors.unknown_type", {{"name", entry.name}, {"type", entry.dtype}}));
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = *dtype;
    tensor->sizes = entry.shape;
    tensor->strides = rowMajorStrides(entry.shape);
    tensor->storage = entry.storage;
    return tensor;
}

Content contentOf(const std::string& path, const Progress& progress) {
    const auto file = openFileInside(path);
    if (looksLikeNpy(*file))
        return {TensorInFile::Kind::Npy, true, {}, [tensor = readNpy(file)](std::size_t) { return tensor; }};
    if (TorchFile::looksOld(*file)) return ofTorch(TorchFile::open(file, progress));
    if (ZipArchive::looksLikeZip(*file)) {
        const auto archive = ZipArchive::open(file);
        if (!archive.findInRoot("data.pkl")) throw Error(ErrorKind::File, Message("tensors.unreadable"));
        return ofTorch(TorchFile::open(archive, progress));
    }
    const auto entries = std::make_shared<SafetensorsFile>(readSafetensors(file, progress));
    Content content{TensorInFile::Kind::Safetensors, false, {}, [entries](std::size_t at) {
                        return tensorOf(entries->entries[at]);
                    }};
    for (const auto& entry : entries->entries) content.names.push_back(entry.name);
    return content;
}

/// Calls `read`; errors name the file.
template<class Read> auto naming(const std::string& path, Read read) {
    try {
        return read();
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace

TensorInFile readTensorFile(const std::string& path, const std::string& key, const std::string& wanted,
                            const Progress& progress) {
    return naming(path, [&]() -> TensorInFile {
        const Content content = contentOf(path, progress);
        if (content.isAlone && content.kind == TensorInFile::Kind::Torch && !key.empty())
            throw Error(ErrorKind::File, Message("tensors.no_key"));
        if (content.isAlone) return {content.tensor(0), content.kind, {}};
        const std::size_t place = chosen(content.names, key, wanted);
        return {content.tensor(place), content.kind, content.names[place]};
    });
}

std::vector<std::pair<std::string, TensorPtr>> readNamedTensors(const std::string& path, const Progress& progress) {
    return naming(path, [&] {
        const Content content = contentOf(path, progress);
        if (content.names.empty()) throw Error(ErrorKind::File, Message("tensors.none"));
        std::vector<std::pair<std::string, TensorPtr>> named;
        for (std::size_t at = 0; at < content.names.size(); ++at)
            named.emplace_back(content.names[at], content.tensor(at));
        return named;
    });
}

} // namespace fx
