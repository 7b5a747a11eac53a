// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/torch_file.h"

#include "core/base/plain_number.h"
#include "core/io/graphmodule/tensor_pickle.h"

#include <atomic>
#include <bitset>
#include <unordered_map>

namespace fx {

namespace {

constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{1} << 30;

std::uint64_t nextFile() {
    static std::atomic<std::uint64_t> count = 0;
    return ++count;
}

} // namespace

PickleEntries textEntries(const PickleArena& arena, PickleRef dict) {
    PickleEntries entries;
    if (dict == kNoPickle) return entries;
    constexpr std::size_t kSmall = 32; // dicts below are searched, larger ones carry an index
    std::unordered_map<std::string_view, std::size_t> index;
    std::bitset<256> seen; // kinds of keys: a key of a new kind cannot be a duplicate
    const std::size_t count = arena.itemCount(dict);
    entries.reserve(count);
    arena.forEachPair(dict, [&](PickleRef name, PickleRef value) {
        if (!arena.is(name, PickleKind::String)) return;
        const std::string_view key = arena.text(name);
        std::size_t place = entries.size();
        const auto letter = [&](std::size_t at) { return key.empty() ? 0u : static_cast<unsigned char>(key[at]); };
        const std::size_t kind = key.size() * 11 + letter(key.size() - 1) + 31 * letter(key.size() / 2);
        if (count > kSmall) {
            place = index.emplace(key, place).first->second;
        } else if (seen[kind % seen.size()]) {
            for (std::size_t k = 0; k < entries.size(); ++k)
                if (entries[k].first == key) place = k;
        }
        seen.set(kind % seen.size());
        if (place == entries.size()) entries.emplace_back(key, value);
        else entries[place].second = value;
    });
    return entries;
}

/// The number that `key` is written as, below `limit`.
static std::optional<std::size_t> numberBelow(std::size_t limit, std::string_view key) {
    const auto number = plainNumber<std::size_t>(key);
    return number && *number < limit && (key[0] != '0' || key.size() == 1) ? number : std::nullopt;
}

TorchFile::TorchFile(std::shared_ptr<const DataFile> file, std::optional<ZipArchive> archive, PickleArena arena)
    : m_id(nextFile()), m_file(std::move(file)), m_archive(std::move(archive)), m_arena(std::move(arena)) {
    if (!m_archive) return;
    const std::string folder = m_archive->root() + "data/";
    m_numbered.resize(m_archive->members().size());
    for (const ZipMember& member : m_archive->members())
        if (member.name.starts_with(folder))
            if (const auto number = numberBelow(m_numbered.size(), std::string_view(member.name).substr(folder.size())))
                m_numbered[*number].member = &member;
}

std::shared_ptr<TorchFile> TorchFile::open(ZipArchive archive, const Progress& progress) {
    const std::string& path = archive.file()->path();
    const ZipMember* pickle = archive.findInRoot("data.pkl");
    if (!pickle) throw Error(ErrorKind::File, Message("graphmodule.no_data_pkl")).in(path);
    if (const ZipMember* order = archive.findInRoot("byteorder"); order && archive.readText(*order, 64) == "big")
        throw Error(ErrorKind::File, Message("graphmodule.big_endian")).in(path);
    auto bytes = std::make_shared<const std::vector<std::byte>>(archive.read(*pickle, kMaxPickleBytes));
    const bool damaged = !ZipArchive::checksumMatches(*pickle, *bytes);
    try {
        std::shared_ptr<TorchFile> file(
            new TorchFile(archive.file(), archive, unpickle(std::move(bytes), pickle->name, 0, progress)));
        if (damaged)
            file->warnings.push_back({Message("graphmodule.checksum", {{"name", pickle->name}}), {}, {}, pickle->name});
        return file;
    } catch (Error& error) { throw error.in(path); }
}

std::shared_ptr<TorchFile> TorchFile::open(std::shared_ptr<const DataFile> file, const Progress& progress) {
    return looksOld(*file) ? openOld(file, progress) : open(ZipArchive::open(std::move(file)), progress);
}

void TorchFile::fail(const Message& what) const { throw Error(ErrorKind::File, what).in(path()).at(pickleName()); }

std::int64_t TorchFile::integer(PickleRef ref) const {
    if (!m_arena.is(ref, PickleKind::Int)) fail(Message("graphmodule.expected_integer"));
    return m_arena.integer(ref);
}

/// The parts of what describes a tensor. Thousands of tensors may share one, so a long one is not read for each.
std::vector<PickleRef> TorchFile::few(PickleRef ref) const {
    if (m_arena.itemCount(ref) > kMostParts) fail(Message("graphmodule.too_many_parts"));
    return m_arena.items(ref);
}

std::vector<std::int64_t> TorchFile::integers(PickleRef sequence) const {
    // torch.Size is a call around the tuple.
    if (m_arena.isCallOf(sequence, "torch.Size")) {
        const std::vector<PickleRef> args = few(m_arena.args(sequence));
        if (args.size() == 1) sequence = args[0];
    }
    if (!m_arena.is(sequence, PickleKind::Tuple) && !m_arena.is(sequence, PickleKind::List))
        fail(Message("graphmodule.expected_sizes"));
    std::vector<std::int64_t> values;
    for (const PickleRef item : few(sequence)) values.push_back(integer(item));
    return values;
}

TorchFile::TypedStorage TorchFile::typedStorage(PickleRef persistent) {
    const std::vector<PickleRef> id =
        m_arena.is(persistent, PickleKind::Persistent) ? few(m_arena.callee(persistent)) : std::vector<PickleRef>{};
    const bool good = id.size() >= 5 && m_arena.is(id[0], PickleKind::String) && m_arena.text(id[0]) == "storage" &&
                      m_arena.is(id[1], PickleKind::Global) && m_arena.is(id[2], PickleKind::String) &&
                      m_arena.is(id[3], PickleKind::String) && m_arena.text(id[3]).size() <= kMostParts;
    if (!good) fail(Message("graphmodule.bad_storage"));
    TypedStorage result;
    const std::string_view type = m_arena.globalName(id[1]);
    const auto dtype = dtypeOfStorageClass(type);
    if (!dtype) fail(Message("graphmodule.unknown_storage", {{"type", type}}));
    result.dtype = *dtype;
    std::uint64_t bytes = 0;
    const std::int64_t count = integer(id[4]);
    if (count < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(count), elementSize(result.dtype), &bytes))
        fail(Message("graphmodule.storage_length"));
    result.device = m_arena.text(id[3]);
    result.storage = storageOf(m_arena.text(id[2]), bytes);
    if (!m_archive && id.size() > 5 && m_arena.is(id[5], PickleKind::Tuple)) result.storage = viewOf(result, id[5]);
    return result;
}

TorchFile::Stored& TorchFile::stored(std::string_view key) {
    if (const auto number = numberBelow(m_numbered.size(), key)) return m_numbered[*number];
    Stored& named = m_named[std::string(key)];
    if (!named.member && m_archive) named.member = m_archive->find(m_archive->root() + "data/" + std::string(key));
    return named;
}

std::shared_ptr<const Storage> TorchFile::storageOf(std::string_view key, std::uint64_t leastBytes) {
    auto& [member, storage] = stored(key);
    const auto name = [&] { return (m_archive ? m_archive->root() + "data/" : "storage ") + std::string(key); };
    if (!storage) {
        if (!member && leastBytes > 0)
            throw Error(ErrorKind::File, Message("graphmodule.no_values")).in(path()).at(name());
        storage = member ? m_archive->storage(*member, &m_headers) : Storage::inMemory({});
    }
    if (storage->byteCount() < leastBytes)
        throw Error(ErrorKind::File,
                    Message("graphmodule.values_cut", {{"got", storage->byteCount()}, {"expected", leastBytes}}))
            .in(path())
            .at(name());
    return storage;
}

void TorchFile::setDtype(TensorRef& tensor, PickleRef dtype) const {
    const std::string name = m_arena.qualifiedName(dtype);
    const auto known = dtypeFromName(name);
    tensor.dtype = known.value_or(DType::Other);
    if (!known) tensor.dtypeText = name.empty() ? "unknown dtype" : name;
}

} // namespace fx
