// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pickle/unpickler.h"
#include "core/io/zip/zip_archive.h"
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <unordered_map>

namespace fx {

/// A dict of the pickle with string keys: each key once (the last value wins), in order of first appearance.
using PickleEntries = std::vector<std::pair<std::string_view, PickleRef>>;

/// Returns the entries of a dict or OrderedDict whose keys are strings; skips other keys. Empty for other objects.
PickleEntries textEntries(const PickleArena& arena, PickleRef dict);

/// A file that `torch.save` wrote: its pickle as data, and its tensors, whose bytes stay in the file. Since PyTorch 1.6
/// it is a zip archive with `data.pkl`; older ones are a series of pickles with the bytes of tensors after them.
class TorchFile {
public:
    /// Reads the archive's directory and `data.pkl`. Throws Error{File}.
    static std::shared_ptr<TorchFile> open(ZipArchive archive, const Progress& progress);

    /// Reads either form. Throws Error{File}, also for other files.
    static std::shared_ptr<TorchFile> open(std::shared_ptr<const DataFile> file, const Progress& progress);
    /// Returns true if the file starts as those of PyTorch before 1.6 do.
    static bool looksOld(const DataFile& file);
    /// Returns bytes from the start of such a file that contain all of its pickles. Throws Error{File}.
    static std::shared_ptr<const std::vector<std::byte>> oldPickles(const DataFile& file, const Progress& progress);

    /// Null for the form before PyTorch 1.6.
    const ZipArchive* archive() const { return m_archive ? &*m_archive : nullptr; }
    /// The name of the pickle, for messages; empty for the form before PyTorch 1.6.
    std::string pickleName() const { return m_archive ? m_archive->root() + "data.pkl" : std::string(); }
    /// The objects of the pickle.
    const PickleArena& arena() const { return m_arena; }
    /// Path of the file.
    const std::string& path() const { return m_file->path(); }
    /// Unique among the files that this process has opened.
    std::uint64_t id() const { return m_id; }
    /// Returns the reference to an object of this file.
    FileObject placeOf(PickleRef ref) const { return {m_id, ref}; }
    /// Returns the object of this file that `place` refers to; kNoPickle for other files.
    PickleRef objectAt(const FileObject& place) const {
        return place.file == m_id && place.index >= 0 ? static_cast<PickleRef>(place.index) : kNoPickle;
    }
    /// Warnings from reading, for the caller to move.
    Warnings warnings;

    /// Returns true for a call that rebuilds a tensor or parameter of any kind.
    bool isTensor(PickleRef ref) const;
    /// Returns the tensor of an object, or null if it is not a tensor. The same object gives the same pointer, and
    /// tensors with a common storage share it. Kinds without a strided form (nested tensors, subclasses with a separate
    /// storage) get DType::Other and no storage. Throws Error{File} if the storage is missing or too short, or the
    /// geometry is invalid.
    TensorPtr tensor(PickleRef ref);

    /// Returns the bytes of a storage by its key in the pickle; an empty storage if the file lacks them.
    std::shared_ptr<const Storage> storageNamed(std::string_view key) { return storageOf(key, 0); }

private:
    static constexpr std::size_t kMostParts = 64; ///< of what describes a tensor: sizes, arguments, an id

    TorchFile(std::shared_ptr<const DataFile> file, std::optional<ZipArchive> archive, PickleArena arena);
    static std::shared_ptr<TorchFile> openOld(const std::shared_ptr<const DataFile>& file, const Progress& progress);
    void findOldStorages(std::uint64_t at, const PickleArena& keys, const Progress& progress);
    void standForClasses();

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
    std::shared_ptr<const Storage> viewOf(const TypedStorage& whole, PickleRef view);
    /// A member of the folder "data", and its bytes after the first use.
    struct Stored {
        const ZipMember* member = nullptr;
        std::shared_ptr<const Storage> storage;
    };
    Stored& stored(std::string_view key);
    std::vector<PickleRef> few(PickleRef ref) const;
    std::vector<std::int64_t> integers(PickleRef sequence) const;
    std::int64_t integer(PickleRef ref) const;
    void setDtype(TensorRef& tensor, PickleRef dtype) const;
    TensorPtr numbers(PickleRef list);
    [[noreturn]] void fail(const Message& what) const;

    std::uint64_t m_id;
    std::shared_ptr<const DataFile> m_file;
    std::optional<ZipArchive> m_archive; ///< of the form since PyTorch 1.6
    PickleArena m_arena;
    std::unordered_map<PickleRef, TensorPtr> m_tensors;
    /// The name of a callable, and whether it rebuilds tensors; there are few callables and many calls.
    struct Rebuilder {
        std::string name;
        bool rebuildsTensors = false;
    };
    const Rebuilder& rebuilder(PickleRef callable) const;
    mutable std::unordered_map<PickleRef, Rebuilder> m_rebuilders;
    std::vector<Stored> m_numbered; ///< members called 0, 1, 2..., as torch.save names them
    std::unordered_map<std::string, Stored> m_named;
    ZipArchive::HeaderWindow m_headers;
    int m_depth = 0;
};

} // namespace fx
