// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pickle/unpickler.h"
#include "core/io/zip/zip_archive.h"
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// A dict of the pickle with text keys: each key once (the last value wins), in order of first appearance.
using PickleEntries = std::vector<std::pair<std::string_view, PickleRef>>;

/// The entries of a dict or OrderedDict whose keys are strings; other keys are skipped. Empty for other objects.
PickleEntries textEntries(const PickleArena& arena, PickleRef dict);

/// A file that `torch.save` wrote (zip form): its pickle as data, and its tensors, whose bytes stay in the file.
///
/// Opening reads the archive's directory and `data.pkl`. Throws Error{File}.
class TorchFile {
public:
    static std::shared_ptr<TorchFile> open(ZipArchive archive, const Progress& progress);

    const ZipArchive& archive() const { return m_archive; }
    const PickleArena& arena() const { return m_arena; }
    const std::string& path() const { return m_archive.file()->path(); }
    /// Different for each file that this process has opened.
    std::uint64_t id() const { return m_id; }
    FileObject placeOf(PickleRef ref) const { return {m_id, ref}; }
    /// The object of this file that something was read from; kNoPickle if it is from elsewhere.
    PickleRef objectAt(const FileObject& place) const {
        return place.file == m_id && place.index >= 0 ? static_cast<PickleRef>(place.index) : kNoPickle;
    }
    /// Warnings from reading, for the caller to move.
    Warnings warnings;

    /// True for a call that rebuilds a tensor or parameter, whatever its kind.
    bool isTensor(PickleRef ref) const;
    /// The tensor of an object, or null if it is not a tensor. The same object gives the same pointer, and tensors with
    /// a common storage share it. Kinds without a strided form (nested tensors, subclasses with their own storage) get
    /// DType::Other and no storage. Throws Error{File} if the storage is missing or too short, or the geometry is
    /// invalid.
    TensorPtr tensor(PickleRef ref);

    /// The bytes of a storage by its key in the pickle; empty if the file lacks them.
    std::shared_ptr<const Storage> storageNamed(std::string_view key) { return storageOf(key, 0); }

private:
    TorchFile(ZipArchive archive, PickleArena arena);

    struct TypedStorage {
        std::shared_ptr<const Storage> storage;
        DType dtype = DType::UInt8;
        std::string device;
    };
    TensorRef build(PickleRef callable, const std::vector<PickleRef>& args);
    TensorRef inner(PickleRef wrapped);
    TensorRef subclass(const std::vector<PickleRef>& args);
    TensorRef wrapper(const std::vector<PickleRef>& args);
    TensorRef strided(const std::vector<PickleRef>& args, std::size_t dtypeAt, std::size_t metadataAt);
    TensorRef quantized(const std::vector<PickleRef>& args);
    TensorRef meta(const std::vector<PickleRef>& args);
    TensorRef sparse(const std::vector<PickleRef>& args);
    TensorRef scriptSparse(const std::vector<PickleRef>& args);
    TensorRef opaque(const std::string& name) const;
    TypedStorage typedStorage(PickleRef persistent);
    std::shared_ptr<const Storage> storageOf(std::string_view key, std::uint64_t leastBytes);
    /// A member of the folder "data", and its bytes once they were asked for.
    struct Stored {
        const ZipMember* member = nullptr;
        std::shared_ptr<const Storage> storage;
    };
    Stored& stored(std::string_view key);
    std::vector<std::int64_t> integers(PickleRef sequence) const;
    std::int64_t integer(PickleRef ref) const;
    void setDtype(TensorRef& tensor, PickleRef dtype) const;
    TensorPtr numbers(PickleRef list);
    [[noreturn]] void fail(const Message& what) const;

    std::uint64_t m_id;
    ZipArchive m_archive;
    PickleArena m_arena;
    std::unordered_map<PickleRef, TensorPtr> m_tensors;
    /// What a callable is called, and whether it rebuilds tensors: few callables, many calls.
    struct Rebuilder {
        std::string name;
        bool rebuildsTensors = false;
    };
    const Rebuilder& rebuilder(PickleRef callable) const;
    mutable std::unordered_map<PickleRef, Rebuilder> m_rebuilders;
    std::vector<Stored> m_numbered; ///< those that are called 0, 1, 2..., as torch.save calls them
    std::unordered_map<std::string, Stored> m_named;
    ZipArchive::HeaderWindow m_headers;
    int m_depth = 0;
};

} // namespace fx
