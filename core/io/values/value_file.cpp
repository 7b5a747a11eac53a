// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/values/value_file.h"

#include "core/files/replaced_file.h"
#include "core/io/graphmodule/tensor_pickle.h"
#include "core/io/graphmodule/value_reader.h"
#include "core/io/pickle/pickler.h"
#include "core/io/zip/zip_writer.h"

#include <filesystem>
#include <unordered_map>

namespace fx {
namespace {

constexpr std::string_view kOrderedDict = "collections.OrderedDict";

// ── reading ──

class TreeReader {
public:
    explicit TreeReader(TorchFile& file) : m_file(file), m_arena(file.arena()), m_values(file) {}

    ValueTree read(PickleRef ref, int depth) {
        if (depth > kMaxArgumentDepth || ++m_count > 1'000'000) fail(Message("values.too_deep"));
        if (m_file.isTensor(ref)) return ValueTree::of(m_file.tensor(ref));
        switch (m_arena.kind(ref)) {
        case PickleKind::Tuple: return sequence(ValueTree::Kind::Tuple, ref, depth);
        case PickleKind::List: return sequence(ValueTree::Kind::List, ref, depth);
        case PickleKind::Dict: return dict(ref, depth);
        case PickleKind::Reduce: return call(ref, depth);
        default: return plain(ref);
        }
    }

private:
    [[noreturn]] void fail(const Message& what) const {
        throw Error(ErrorKind::File, Message("values.unsupported", {{"reason", what.text()}, {"cause", what.code()}}))
            .in(m_file.path());
    }
    ValueTree sequence(ValueTree::Kind kind, PickleRef ref, int depth) {
        ValueTree out;
        out.kind = kind;
        for (const PickleRef item : m_arena.items(ref)) out.items.push_back(read(item, depth + 1));
        return out;
    }
    ValueTree dict(PickleRef ref, int depth) {
        ValueTree out;
        out.kind = ValueTree::Kind::Dict;
        for (const PickleRef item : m_arena.pairs(ref)) out.items.push_back(read(item, depth + 1));
        return out;
    }
    ValueTree call(PickleRef ref, int depth) {
        const std::string name = m_arena.qualifiedName(m_arena.callee(ref));
        if (name == kOrderedDict) {
            ValueTree out = dict(ref, depth);
            out.typeName = name;
            return out;
        }
        const std::vector<PickleRef> args = m_arena.items(m_arena.args(ref));
        if (name == "torch.Size" && args.size() == 1) return sequence(ValueTree::Kind::Size, args[0], depth);
        if (!name.starts_with("torch.return_types.") || args.empty()) return plain(ref);
        ValueTree out = sequence(ValueTree::Kind::Named, args[0], depth);
        out.typeName = name;
        return out;
    }
    ValueTree plain(PickleRef ref) {
        Argument value = m_values.value(ref);
        if (const auto* opaque = value.as<OpaqueObject>()) fail(Message("values.object", {{"type", opaque->typeName}}));
        return ValueTree::of(std::move(value));
    }

    TorchFile& m_file;
    const PickleArena& m_arena;
    ValueReader m_values;
    std::size_t m_count = 0;
};

// ── writing ──

class TreeWriter {
public:
    std::string run(const ValueTree& tree) {
        write(tree);
        return m_pickler.finish();
    }
    const std::vector<std::shared_ptr<const Storage>>& storages() const { return m_storages; }

private:
    void write(const ValueTree& tree) {
        switch (tree.kind) {
        case ValueTree::Kind::Tensor: return tensor(tree.tensor);
        case ValueTree::Kind::Plain: return plain(tree.plain);
        case ValueTree::Kind::List: m_pickler.emptyList(); [[fallthrough]];
        case ValueTree::Kind::Tuple:
            all(tree.items);
            return tree.kind == ValueTree::Kind::List ? m_pickler.appends() : m_pickler.tuple();
        case ValueTree::Kind::Size:
            m_pickler.global("torch", "Size");
            m_pickler.mark();
            all(tree.items);
            m_pickler.tuple();
            m_pickler.tuple();
            return m_pickler.reduce();
        case ValueTree::Kind::Named: return named(tree);
        case ValueTree::Kind::Dict:
            tree.typeName == kOrderedDict ? pickleEmptyOrderedDict(m_pickler) : m_pickler.emptyDict();
            all(tree.items);
            return m_pickler.setItems();
        }
    }
    void all(const std::vector<ValueTree>& items) {
        m_pickler.mark();
        for (const ValueTree& item : items) write(item);
    }
    /// torch.return_types.max((values, indices), {}); other NamedTuples are tuples in the file.
    void named(const ValueTree& tree) {
        const bool known = tree.typeName.starts_with("torch.return_types.");
        if (!known) return all(tree.items), m_pickler.tuple();
        m_pickler.global("torch.return_types", tree.typeName.substr(19));
        m_pickler.mark();
        all(tree.items);
        m_pickler.tuple();
        m_pickler.emptyDict();
        m_pickler.tuple();
        m_pickler.reduce();
    }
    void tensor(const TensorPtr& tensor) {
        const auto [known, isNew] = m_tensors.try_emplace(tensor.get(), 0);
        if (!isNew) return m_pickler.get(known->second);
        if (!tensor->storage || tensor->storage->isExpression())
            throw Error(ErrorKind::Refused, Message("values.no_values"));
        const auto [storage, isNewStorage] = m_storageKeys.emplace(tensor->storage.get(), m_storages.size());
        if (isNewStorage) m_storages.push_back(tensor->storage);
        pickleTensor(m_pickler, *tensor, storage->second, "cpu", false);
        m_tensors[tensor.get()] = m_pickler.put();
    }
    void plain(const Argument& value) {
        if (value.isNone()) return m_pickler.none();
        if (const auto* flag = value.as<bool>()) return m_pickler.boolean(*flag);
        if (const auto* number = value.as<std::int64_t>()) return m_pickler.integer(*number);
        if (const auto* number = value.as<double>()) return m_pickler.real(*number);
        if (const auto* number = value.as<BigInt>()) return m_pickler.bigInteger(number->digits);
        if (const auto* text = value.as<std::string>()) return m_pickler.text(*text);
        if (const auto* type = value.as<TorchConstant>(); type && type->kind == TorchConstant::Kind::Dtype)
            return m_pickler.global("torch", type->name.substr(6));
        if (const auto* device = value.as<Device>()) {
            m_pickler.global("torch", "device");
            m_pickler.mark();
            m_pickler.text(device->type);
            if (device->index >= 0) m_pickler.integer(device->index);
            m_pickler.tuple();
            return m_pickler.reduce();
        }
        if (const auto* complex = value.as<Complex>()) {
            m_pickler.global("builtins", "complex");
            m_pickler.mark();
            m_pickler.real(complex->re);
            m_pickler.real(complex->im);
            m_pickler.tuple();
            return m_pickler.reduce();
        }
        throw Error(ErrorKind::Refused, Message("values.unwritable"));
    }

    Pickler m_pickler;
    std::unordered_map<const TensorRef*, std::uint32_t> m_tensors;
    std::unordered_map<const Storage*, std::size_t> m_storageKeys;
    std::vector<std::shared_ptr<const Storage>> m_storages;
};

} // namespace

ValueTree readValueFile(const std::string& path, const Progress& progress) {
    const auto data = DataFile::open(path);
    if (!ZipArchive::looksLikeZip(*data) && !TorchFile::looksOld(*data))
        throw Error(ErrorKind::File, Message("values.not_torch_save")).in(path);
    const auto file = TorchFile::open(data, progress);
    return TreeReader(*file).read(file->arena().root(), 0);
}

void writeValueFile(const ValueTree& tree, const std::string& path, const Progress& progress) {
    TreeWriter writer;
    const std::string pickle = writer.run(tree);
    const std::string root = std::filesystem::path(path).stem().string() + "/";
    ReplacedFile file(path);
    ZipWriter zip([&file](std::string_view bytes) { file.write(bytes); });
    zip.add(root + "data.pkl", pickle);
    zip.add(root + "byteorder", "little");
    for (std::size_t i = 0; i < writer.storages().size(); ++i) {
        progress.check();
        zip.add(root + "data/" + std::to_string(i), *writer.storages()[i], writer.storages()[i]->byteCount());
    }
    zip.add(root + "version", "3\n");
    zip.finish();
    file.commit();
}

} // namespace fx
