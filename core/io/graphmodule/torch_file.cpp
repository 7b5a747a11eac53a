// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/torch_file.h"

#include "core/io/graphmodule/tensor_pickle.h"

#include <atomic>
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
    const std::vector<PickleRef> pairs = arena.pairs(dict);
    entries.reserve(pairs.size() / 2);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (!arena.is(pairs[i], PickleKind::String)) continue;
        const std::string_view key = arena.text(pairs[i]);
        std::size_t place = entries.size();
        if (pairs.size() > 2 * kSmall) {
            place = index.emplace(key, place).first->second;
        } else {
            for (std::size_t k = 0; k < entries.size(); ++k)
                if (entries[k].first == key) place = k;
        }
        if (place == entries.size()) entries.emplace_back(key, pairs[i + 1]);
        else entries[place].second = pairs[i + 1];
    }
    return entries;
}

TorchFile::TorchFile(ZipArchive archive, PickleArena arena)
    : m_id(nextFile()), m_archive(std::move(archive)), m_arena(std::move(arena)) {}

std::shared_ptr<TorchFile> TorchFile::open(ZipArchive archive, const Progress& progress) {
    const std::string& path = archive.file()->path();
    const ZipMember* pickle = archive.findInRoot("data.pkl");
    if (!pickle) throw Error(ErrorKind::File, Message("graphmodule.no_data_pkl")).in(path);
    if (const ZipMember* order = archive.findInRoot("byteorder"); order && archive.readText(*order, 64) == "big")
        throw Error(ErrorKind::File, Message("graphmodule.big_endian")).in(path);
    auto bytes = std::make_shared<const std::vector<std::byte>>(archive.read(*pickle, kMaxPickleBytes));
    const bool damaged = !ZipArchive::checksumMatches(*pickle, *bytes);
    try {
        std::shared_ptr<TorchFile> file(new TorchFile(archive, unpickle(std::move(bytes), pickle->name, 0, progress)));
        if (damaged)
            file->warnings.push_back({Message("graphmodule.checksum", {{"name", pickle->name}}), {}, {}, pickle->name});
        return file;
    } catch (Error& error) { throw error.in(path); }
}

void TorchFile::fail(const Message& what) const {
    throw Error(ErrorKind::File, what).in(path()).at(m_archive.root() + "data.pkl");
}

std::int64_t TorchFile::integer(PickleRef ref) const {
    if (!m_arena.is(ref, PickleKind::Int)) fail(Message("graphmodule.expected_integer"));
    return m_arena.integer(ref);
}

std::vector<std::int64_t> TorchFile::integers(PickleRef sequence) const {
    // torch.Size is a call around the tuple.
    if (m_arena.isCallOf(sequence, "torch.Size")) {
        const std::vector<PickleRef> args = m_arena.items(m_arena.args(sequence));
        if (args.size() == 1) sequence = args[0];
    }
    if (!m_arena.is(sequence, PickleKind::Tuple) && !m_arena.is(sequence, PickleKind::List))
        fail(Message("graphmodule.expected_sizes"));
    std::vector<std::int64_t> values;
    for (const PickleRef item : m_arena.items(sequence)) values.push_back(integer(item));
    return values;
}

TorchFile::TypedStorage TorchFile::typedStorage(PickleRef persistent) {
    const std::vector<PickleRef> id = m_arena.is(persistent, PickleKind::Persistent)
                                          ? m_arena.items(m_arena.callee(persistent))
                                          : std::vector<PickleRef>{};
    const bool good = id.size() >= 5 && m_arena.is(id[0], PickleKind::String) && m_arena.text(id[0]) == "storage" &&
                      m_arena.is(id[1], PickleKind::Global) && m_arena.is(id[2], PickleKind::String) &&
                      m_arena.is(id[3], PickleKind::String);
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
    result.storage = storageOf(std::string(m_arena.text(id[2])), bytes);
    return result;
}

std::shared_ptr<const Storage> TorchFile::storageOf(const std::string& key, std::uint64_t leastBytes) {
    std::shared_ptr<const Storage>& storage = m_storages[key];
    const auto name = [&] { return m_archive.root() + "data/" + key; };
    if (!storage) {
        const ZipMember* member = m_archive.find(name());
        if (!member && leastBytes > 0)
            throw Error(ErrorKind::File, Message("graphmodule.no_values")).in(path()).at(name());
        storage = member ? m_archive.storage(*member) : Storage::inMemory({});
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
