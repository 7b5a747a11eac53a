// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/trust.h"

#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/pickle/weights_only.h"

#include <array>
#include <unordered_set>
#include <utility>

namespace fx {
namespace {

constexpr std::uint64_t kMostPickle = std::uint64_t{1} << 30;
constexpr std::size_t kMostNames = 10'000, kMostPickles = 1000, kZipKeys = 5, kOldKeys = 6;
constexpr std::string_view kZipStart{"PK\3\4", 4};

constexpr const char* kOldPickles[] = {"magic number", "protocol", "machine", "objects", "keys of storages"};

/// `name` is what the module `space` is asked for. With a dot it may lead out again: torch.serialization, "os.system".
bool isTorchs(std::string_view space, std::string_view name) {
    return (space == "torch" || space.starts_with("torch.")) && name.find('.') == name.npos;
}

/// Functions of torch.fx that run a text of the file.
bool runsText(std::string_view function) {
    return function == "torch.fx.graph_module.reduce_graph_module" ||
           function == "torch.fx.graph_module.reduce_package_graph_module" ||
           function == "torch.fx.graph_module.reduce_deploy_graph_module";
}

class CardWriter {
public:
    explicit CardWriter(const Progress& progress) : m_progress(progress) {}

    /// Adds the pickle that starts at `offset`. Returns the offset after it.
    std::size_t add(const std::shared_ptr<const std::vector<std::byte>>& bytes, const std::string& name,
                    std::size_t offset, std::size_t keyCount) {
        const PickleArena arena = unpickle(bytes, name, offset, m_progress);
        for (PickleRef ref = 0; ref < arena.size(); ++ref) {
            if (ref % 65536 == 0) m_progress.check();
            if (arena.is(ref, PickleKind::Global)) addImport(arena, ref);
            else if (arena.kind(ref) != PickleKind::Persistent && isCall(arena.kind(ref))) addCall(arena, ref);
        }
        addInnerFiles();
        if (!card.refusal) card.refusal = checkWeightsOnly(*bytes, offset, keyCount, m_progress).refusal;
        return arena.end();
    }

    /// Files of torch.save inside pickles: storages that Python pickles by itself. torch.load loads them likewise.
    void addInnerFiles() {
        m_innerRefs.clear();
        for (const std::string& file : std::exchange(m_inner, {})) {
            if (m_depth == kDeepest || file.starts_with(kZipStart))
                throw Error(ErrorKind::File, Message("trust.inner"));
            ++m_depth;
            const auto raw = std::as_bytes(std::span(file));
            const auto bytes = std::make_shared<const std::vector<std::byte>>(raw.begin(), raw.end());
            std::size_t at = 0;
            for (const char* name : kOldPickles) at = add(bytes, name, at, kOldKeys);
            --m_depth;
        }
    }

    /// Adds `data.pkl`, which is all that torch.load unpickles.
    void addSaved(const ZipArchive& archive) {
        if (card.pickles.size() == kMostPickles) throw tooMany();
        const ZipMember* member = archive.findInRoot("data.pkl");
        if (!member) return;
        card.pickles.push_back(member->name);
        add(std::make_shared<const std::vector<std::byte>>(archive.read(*member, kMostPickle)), member->name, 0,
            kZipKeys);
    }

    /// Adds the payloads of an exported program, which are files of torch.save.
    void addPayloads(const ZipArchive& archive) {
        for (const ZipMember& member : archive.members()) {
            m_progress.check();
            std::array<char, 4> head{};
            if (member.size >= head.size()) archive.storage(member)->read(0, std::as_writable_bytes(std::span(head)));
            if (std::string_view(head.data(), head.size()) != kZipStart) {
                // torch.load also reads the form before PyTorch 1.6, and bare pickles.
                if (member.name.ends_with(".pt"))
                    throw Error(ErrorKind::File, Message("trust.payload")).at(member.name);
                continue;
            }
            if (!member.stored) throw Error(ErrorKind::File, Message("trust.compressed")).at(member.name);
            addSaved(ZipArchive::open(archive.file(), archive.dataOffset(member), member.size));
        }
    }

    /// Adds the pickles of the form before PyTorch 1.6.
    void addOld(const DataFile& file) {
        const auto bytes = TorchFile::oldPickles(file, m_progress);
        std::size_t at = 0;
        for (const char* name : kOldPickles) {
            card.pickles.emplace_back(name);
            at = add(bytes, name, at, kOldKeys);
        }
    }

    TrustCard card;

private:
    static Error tooMany() { return Error(ErrorKind::File, Message("trust.too_many")); }

    void addImport(const PickleArena& arena, PickleRef ref) {
        std::string name = arena.qualifiedName(ref);
        if (!isTorchs(arena.globalModule(ref), arena.globalName(ref)) && !isAllowedByWeightsOnly(name))
            note(card.outsideTorch, m_outside, name);
        note(card.imports, m_imports, std::move(name));
    }
    /// The name of what is called; in files from before PyTorch 1.6, an id ("module", class, file, source) stands for
    /// the class.
    static std::string calledName(const PickleArena& arena, PickleRef callee) {
        if (!arena.is(callee, PickleKind::Persistent)) return arena.qualifiedName(callee);
        const PickleRef id = arena.callee(callee);
        if (!arena.is(id, PickleKind::Tuple) || arena.itemCount(id) != 4) return {};
        return arena.qualifiedName(arena.items(id)[1]);
    }
    void addCall(const PickleArena& arena, PickleRef call) {
        const PickleRef callee = arena.callee(call);
        std::string name = calledName(arena, callee);
        if (name.empty() && callee != kNoPickle && isCall(arena.kind(callee)))
            name = arena.qualifiedName(arena.callee(callee)) + "(…)";
        if (name.empty()) name = "(…)";
        card.texts += runsText(name);
        const PickleRef args = arena.args(call);
        if (name == "torch.storage._load_from_bytes" && arena.is(args, PickleKind::Tuple) && arena.itemCount(args) == 1)
            if (const PickleRef bytes = arena.items(args)[0];
                (arena.is(bytes, PickleKind::Bytes) || arena.is(bytes, PickleKind::String)) &&
                m_innerRefs.insert(bytes).second)
                m_inner.emplace_back(arena.text(bytes));
        note(card.calls, m_calls, std::move(name));
    }
    static void note(std::vector<std::string>& list, std::unordered_set<std::string>& met, std::string name) {
        if (!met.insert(name).second) return;
        if (list.size() == kMostNames) throw tooMany();
        list.push_back(std::move(name));
    }

    static constexpr int kDeepest = 20;
    const Progress& m_progress;
    std::vector<std::string> m_inner; ///< files inside the pickle that is being read
    std::unordered_set<PickleRef> m_innerRefs;
    int m_depth = 0;
    std::unordered_set<std::string> m_imports, m_calls, m_outside;
};

/// torch.load unpickles the first pickle of any file that is no archive, and only then refuses it.
void addBare(CardWriter& writer, const DataFile& file) {
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(std::min(file.size(), kMostPickle)));
    file.read(0, *bytes);
    writer.card.pickles.emplace_back("pickle");
    writer.add(std::move(bytes), "pickle", 0, kOldKeys);
    if (!writer.card.refusal) writer.card.refusal = Message("trust.bare_pickle");
}

void addArchive(CardWriter& writer, const std::shared_ptr<const DataFile>& file) {
    const ZipArchive archive = ZipArchive::open(file);
    switch (fileKind(*file, &archive)) {
    case FileKind::TorchSave: return writer.addSaved(archive);
    case FileKind::Pt2: return writer.addPayloads(archive);
    case FileKind::TorchScript: writer.card.refusal = Message("trust.torchscript"); return;
    case FileKind::Project: throw Error(ErrorKind::File, Message("trust.not_loaded"));
    default: throw describeOther(*file, &archive);
    }
}

void addFile(CardWriter& writer, const std::shared_ptr<const DataFile>& file) {
    if (ZipArchive::looksLikeZip(*file)) return addArchive(writer, file);
    if (TorchFile::looksOld(*file)) return writer.addOld(*file);
    if (file->path().ends_with(".safetensors")) return; // torch.load reads such files by name
    char first = 0;
    if (file->size() > 0) file->read(0, std::as_writable_bytes(std::span(&first, 1)));
    if (first == '\x80' || file->path().ends_with(".pkl")) return addBare(writer, *file);
    if (fileKind(*file, nullptr) == FileKind::Other) throw describeOther(*file, nullptr);
    throw Error(ErrorKind::File, Message("trust.not_loaded"));
}

} // namespace

TrustCard trustCard(const std::string& path, const Progress& progress) {
    try {
        CardWriter writer(progress);
        addFile(writer, DataFile::open(path));
        return std::move(writer.card);
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx
