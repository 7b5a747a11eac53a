// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/tensor_pickle.h"
#include "core/io/graphmodule/torch_file.h"

#include <bit>

// What torch.save wrote before PyTorch 1.6, and still writes with _use_new_zipfile_serialization=False:
//
//   pickles, one after the other: magic number | 1001 | machine | the objects | [keys of storages]
//   for each key:                 number of elements (8 bytes) | elements
//
// A persistent id is ("storage", type, key, device, elements, view), where a view is None or (key, offset, elements),
// or ("module", class, file, source) for the first use of a class of modules.

namespace fx {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view kMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv; // a LONG1
constexpr std::int64_t kProtocol = 1001;
constexpr std::uint64_t kFirstBytes = 1 << 20, kMostBytes = std::uint64_t{1} << 30; ///< of all pickles

std::string_view textOf(const PickleArena& arena, PickleRef ref) {
    return arena.is(ref, PickleKind::String) ? arena.text(ref) : std::string_view();
}

struct OldPickles {
    std::shared_ptr<const std::vector<std::byte>> bytes;
    PickleArena protocol, machine, objects, keys;
};

/// The pickles in the first `count` bytes of the file.
OldPickles picklesIn(const DataFile& file, std::uint64_t count, const Progress& progress) {
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(count));
    file.read(0, *bytes);
    const auto after = [&](std::size_t at, std::string_view name) { return unpickle(bytes, name, at, progress); };
    OldPickles out;
    out.bytes = bytes;
    out.protocol = after(after(0, "magic number").end(), "protocol");
    out.machine = after(out.protocol.end(), "machine");
    out.objects = after(out.machine.end(), "objects");
    out.keys = after(out.objects.end(), "keys of storages");
    return out;
}

/// Nothing says how long the pickles are: reads four times as much until they are whole.
OldPickles picklesOf(const DataFile& file, const Progress& progress) {
    for (std::uint64_t count = kFirstBytes;; count *= 4) {
        const std::uint64_t taken = std::min({count, file.size(), kMostBytes});
        try {
            return picklesIn(file, taken, progress);
        } catch (const Error& error) {
            if (error.message().argument("cause") != "pickle.truncated" || taken < count) throw;
        }
    }
}

} // namespace

bool TorchFile::looksOld(const DataFile& file) {
    std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 32)), '\0');
    file.read(0, std::as_writable_bytes(std::span(head)));
    return head.starts_with('\x80') && head.find(kMagic) <= 2 + 9; // protocol 4 begins a frame before it
}

std::shared_ptr<const std::vector<std::byte>> TorchFile::oldPickles(const DataFile& file, const Progress& progress) {
    return picklesOf(file, progress).bytes;
}

std::shared_ptr<TorchFile> TorchFile::openOld(const std::shared_ptr<const DataFile>& file, const Progress& progress) {
    try {
        OldPickles pickles = picklesOf(*file, progress);
        const PickleArena& protocol = pickles.protocol;
        if (!protocol.is(protocol.root(), PickleKind::Int) || protocol.integer(protocol.root()) != kProtocol)
            throw Error(ErrorKind::File, Message("graphmodule.old_protocol"));
        const PickleArena& machine = pickles.machine;
        const PickleRef little = machine.find(machine.root(), "little_endian");
        if (machine.is(little, PickleKind::Bool) && !machine.boolean(little))
            throw Error(ErrorKind::File, Message("graphmodule.big_endian"));
        std::shared_ptr<TorchFile> out(new TorchFile(file, std::nullopt, std::move(pickles.objects)));
        out->standForClasses();
        out->findOldStorages(pickles.keys.end(), pickles.keys, progress);
        return out;
    } catch (Error& error) {
        if (error.file.empty()) error.in(file->path());
        throw;
    }
}

/// A class of modules that comes with its source is that class.
void TorchFile::standForClasses() {
    for (PickleRef ref = 0; ref < m_arena.size(); ++ref) {
        if (!m_arena.is(ref, PickleKind::Persistent)) continue;
        const PickleRef id = m_arena.callee(ref);
        if (!m_arena.is(id, PickleKind::Tuple) || m_arena.itemCount(id) != 4) continue;
        const std::vector<PickleRef> parts = m_arena.items(id);
        if (textOf(m_arena, parts[0]) == "module" && m_arena.is(parts[1], PickleKind::Global))
            m_arena.become(ref, parts[1]);
    }
}

void TorchFile::findOldStorages(std::uint64_t at, const PickleArena& keys, const Progress& progress) {
    std::unordered_map<std::string_view, std::size_t> elementBytes; // by key
    for (PickleRef ref = 0; ref < m_arena.size(); ++ref) {
        if (!m_arena.is(ref, PickleKind::Persistent)) continue;
        const PickleRef tuple = m_arena.callee(ref);
        if (!m_arena.is(tuple, PickleKind::Tuple) || m_arena.itemCount(tuple) > kMostParts) continue;
        const std::vector<PickleRef> id = m_arena.items(tuple);
        if (id.size() < 5 || textOf(m_arena, id[0]) != "storage" || !m_arena.is(id[1], PickleKind::Global)) continue;
        if (const auto dtype = dtypeOfStorageClass(m_arena.globalName(id[1])))
            elementBytes.emplace(textOf(m_arena, id[2]), elementSize(*dtype));
    }
    for (const PickleRef key : keys.items(keys.root())) {
        progress.check();
        const std::string name(textOf(keys, key));
        const auto known = elementBytes.find(name);
        if (known == elementBytes.end()) fail(Message("graphmodule.bad_storage"));
        std::uint64_t count = 0, bytes = 0;
        if (m_file->size() - at < sizeof count) fail(Message("pickle.truncated"));
        m_file->read(at, std::as_writable_bytes(std::span(&count, 1)));
        at += sizeof count;
        if (__builtin_mul_overflow(count, known->second, &bytes)) fail(Message("graphmodule.storage_length"));
        if (bytes > m_file->size() - at)
            throw Error(ErrorKind::File,
                        Message("graphmodule.values_cut", {{"got", m_file->size() - at}, {"expected", bytes}}))
                .in(path())
                .at("storage " + name);
        m_named[name].storage = Storage::inFile(m_file, at, bytes);
        at += bytes;
    }
}

/// A part of a storage, which has its own key in files from before PyTorch 0.4.
std::shared_ptr<const Storage> TorchFile::viewOf(const TypedStorage& whole, PickleRef view) {
    const std::vector<PickleRef> parts = few(view);
    if (parts.size() != 3 || !m_arena.is(parts[0], PickleKind::String)) fail(Message("graphmodule.bad_storage"));
    std::shared_ptr<const Storage>& made = m_named["view " + std::string(m_arena.text(parts[0]))].storage;
    if (made) return made;
    std::uint64_t start = 0, bytes = 0;
    const std::int64_t offset = integer(parts[1]), count = integer(parts[2]);
    if (offset < 0 || count < 0 ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(offset), elementSize(whole.dtype), &start) ||
        __builtin_mul_overflow(static_cast<std::uint64_t>(count), elementSize(whole.dtype), &bytes) ||
        start > whole.storage->byteCount() || bytes > whole.storage->byteCount() - start || !whole.storage->file())
        fail(Message("graphmodule.storage_length"));
    return made = Storage::inFile(m_file, whole.storage->fileOffset() + start, bytes);
}

} // namespace fx
