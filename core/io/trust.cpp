// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/trust.h"

#include "core/io/bare_pickle.h"
#include "core/io/file_kind.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/pickle/weights_only.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>
#include <utility>

namespace fx {
namespace {

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

/// What is called, by its name in a pickle.
std::string calledName(const PickleArena& arena, PickleRef callee) {
    if (callee == kNoPickle) return "(…)";
    std::string name = arena.qualifiedName(callee);
    if (arena.is(callee, PickleKind::Persistent)) {
        // In files from before PyTorch 1.6, an id ("module", class, file, source) stands for the class.
        const PickleRef id = arena.callee(callee);
        if (arena.is(id, PickleKind::Tuple) && arena.itemCount(id) == 4) name = arena.qualifiedName(arena.items(id)[1]);
    } else if (isCall(arena.kind(callee))) {
        name = arena.qualifiedName(arena.callee(callee)) + "(…)";
    }
    return name.empty() ? "(…)" : name;
}

std::string_view methodName(PickleMethod method) {
    switch (method) {
    case PickleMethod::Extend: return ".extend or append";
    case PickleMethod::Add: return ".add";
    case PickleMethod::SetItem: return ".__setitem__";
    case PickleMethod::SetState: return ".__setstate__";
    case PickleMethod::SetAttr: return ".__setattr__";
    case PickleMethod::Hash: break;
    }
    return ".__hash__";
}

class CardWriter {
public:
    explicit CardWriter(const Progress& progress) : m_progress(progress) {}

    /// Adds the pickle that starts at `offset`. Returns the offset after it; nullopt if it could not be read whole.
    std::optional<std::size_t> add(const std::shared_ptr<const std::vector<std::byte>>& bytes, const std::string& name,
                                   std::size_t offset, std::size_t keyCount) {
        std::optional<Error> stop;
        const PickleArena arena = unpickleNoting(bytes, name, offset, m_progress, stop);
        for (PickleRef ref = 0; ref < arena.size(); ++ref) {
            if (ref % 65536 == 0) m_progress.check();
            if (arena.is(ref, PickleKind::Global)) addImport(arena, ref);
            else if (arena.kind(ref) != PickleKind::Persistent && isCall(arena.kind(ref))) addCall(arena, ref);
        }
        addMethods(arena);
        addInnerFiles();
        if (!card.refusal) card.refusal = checkWeightsOnly(*bytes, offset, keyCount, m_progress).refusal;
        if (!stop) return arena.end();
        if (card.unread.empty()) card.unread = stop->where + ": " + stop->message().argument("reason");
        return std::nullopt;
    }

    /// Files of torch.save inside pickles: storages that Python pickles by itself. torch.load loads them likewise.
    void addInnerFiles() {
        m_innerRefs.clear();
        for (const std::string& inner : std::exchange(m_inner, {})) {
            if (m_depth == kDeepest || inner.starts_with(kZipStart))
                throw Error(ErrorKind::File, Message("trust.inner"));
            ++m_depth;
            const auto raw = std::as_bytes(std::span(inner));
            addOldPickles(std::make_shared<const std::vector<std::byte>>(raw.begin(), raw.end()), false);
            --m_depth;
        }
    }

    /// Adds `data.pkl`, which is all that torch.load unpickles.
    void addSaved(const ZipArchive& archive) {
        const ZipMember* member = archive.findInRoot("data.pkl");
        if (!member) return;
        addName(member->name);
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
    void addOld(const DataFile& saved) { addOldPickles(TorchFile::oldPickles(saved, m_progress), true); }

    void addName(const std::string& name) {
        if (card.pickles.size() == kMostPickles) throw tooMany();
        card.pickles.push_back(file.empty() ? name : file + ": " + name);
    }

    TrustCard card;
    std::string file; ///< the one that is read, in a folder

private:
    static Error tooMany() { return Error(ErrorKind::File, Message("trust.too_many")); }

    void addOldPickles(const std::shared_ptr<const std::vector<std::byte>>& bytes, bool areNamed) {
        std::optional<std::size_t> at = 0;
        for (const char* name : kOldPickles) {
            if (areNamed) addName(name);
            at = add(bytes, name, *at, kOldKeys);
            if (!at) return;
        }
    }

    void addImport(const PickleArena& arena, PickleRef ref) {
        std::string name = arena.qualifiedName(ref);
        if (!isTorchs(arena.globalModule(ref), arena.globalName(ref)) && !isAllowedByWeightsOnly(name))
            note(card.outsideTorch, m_outside, name);
        note(card.imports, m_imports, std::move(name));
    }
    void addCall(const PickleArena& arena, PickleRef call) {
        std::string name = calledName(arena, arena.callee(call));
        card.texts += runsText(name);
        const PickleRef args = arena.args(call);
        if (name == "torch.storage._load_from_bytes" && arena.is(args, PickleKind::Tuple) && arena.itemCount(args) == 1)
            if (const PickleRef bytes = arena.items(args)[0];
                (arena.is(bytes, PickleKind::Bytes) || arena.is(bytes, PickleKind::String)) &&
                m_innerRefs.insert(bytes).second)
                m_inner.emplace_back(arena.text(bytes));
        note(card.calls, m_calls, std::move(name));
    }
    /// A tuple that is a key has its items hashed.
    void addMethods(const PickleArena& arena) {
        std::unordered_set<PickleRef> hashed;
        std::vector<PickleRef> open;
        for (std::size_t i = 0; i < arena.methodCalls().size(); ++i) {
            if (i % 65536 == 0) m_progress.check();
            const auto [object, method] = arena.methodCalls()[i];
            if (method != PickleMethod::Hash) {
                addMethod(arena, object, method);
                continue;
            }
            for (open = {object}; !open.empty();) {
                const PickleRef key = open.back();
                open.pop_back();
                if (!hashed.insert(key).second) continue;
                const PickleKind kind = arena.kind(key);
                if (kind == PickleKind::Tuple)
                    for (const PickleRef item : arena.items(key)) open.push_back(item);
                else if (isCall(kind) || kind == PickleKind::Global || kind == PickleKind::Persistent)
                    addMethod(arena, key, method);
            }
        }
    }
    /// An object that is imported may be any object, such as a list.
    void addMethod(const PickleArena& arena, PickleRef object, PickleMethod method) {
        const PickleKind kind = arena.kind(object);
        std::string owner = kind == PickleKind::Global       ? arena.qualifiedName(object)
                            : kind == PickleKind::Persistent ? "persistent_load(…)"
                                                             : calledName(arena, arena.callee(object)) + "(…)";
        if (kind == PickleKind::Global && method == PickleMethod::Hash)
            return; // mostly a class or a dtype: that of its type
        note(card.calls, m_calls, std::move(owner.append(methodName(method))));
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
    writer.addName("pickle");
    writer.add(startOf(file, kMostPickle), "pickle", 0, kOldKeys);
    if (!writer.card.refusal) writer.card.refusal = Message("trust.bare_pickle");
}

void addArchive(CardWriter& writer, const std::shared_ptr<const DataFile>& file) {
    const ZipArchive archive = ZipArchive::open(file);
    const FileKind kind = fileKind(*file, &archive);
    if (archive.findInRoot("constants.pkl")) { // by which torch.load recognises it
        if (!archive.findInRoot("data.pkl")) throw describeOther(*file, &archive);
        writer.card.refusal = Message("trust.torchscript");
        return;
    }
    const bool isSaved = archive.findInRoot("data.pkl");
    if (isSaved) writer.addSaved(archive);
    if (kind == FileKind::Pt2) return writer.addPayloads(archive);
    if (isSaved) return;
    if (kind == FileKind::Project) throw Error(ErrorKind::File, Message("trust.not_loaded"));
    throw describeOther(*file, &archive);
}

void addFile(CardWriter& writer, const std::shared_ptr<const DataFile>& file, const Progress& progress) {
    if (ZipArchive::looksLikeZip(*file)) return addArchive(writer, file);
    if (looksLikeTar(*file)) throw Error(ErrorKind::File, Message("trust.tar"));
    if (TorchFile::looksOld(*file)) return writer.addOld(*file);
    if (file->path().ends_with(".safetensors")) return; // torch.load reads such files by name
    char first = 0;
    if (file->size() > 0) file->read(0, std::as_writable_bytes(std::span(&first, 1)));
    if (first == '\x80' || file->path().ends_with(".pkl") || mayBePickle(*file, progress))
        return addBare(writer, *file);
    if (fileKind(*file, nullptr) == FileKind::Other) throw describeOther(*file, nullptr);
    throw Error(ErrorKind::File, Message("trust.not_loaded"));
}

/// The folder of a GraphModule is a Python module, which loads the files of torch.save beside it.
void addFolder(CardWriter& writer, const std::string& folder, const Progress& progress) {
    namespace fs = std::filesystem;
    if (!fs::exists(fs::path(folder) / "module.py")) throw Error(ErrorKind::File, Message("open.no_module_py"));
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".pt") files.push_back(entry.path().filename().string());
    std::sort(files.begin(), files.end());
    writer.card.texts = 1;
    for (const std::string& name : files) {
        writer.file = name;
        try {
            addFile(writer, DataFile::open((fs::path(folder) / name).string()), progress);
        } catch (Error& error) {
            if (error.file.empty()) error.in((fs::path(folder) / name).string());
            throw;
        }
    }
    writer.card.refusal = Message("trust.folder");
}

} // namespace

TrustCard trustCard(const std::string& path, const Progress& progress) {
    try {
        CardWriter writer(progress);
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) addFolder(writer, path, progress);
        else addFile(writer, DataFile::open(path), progress);
        return std::move(writer.card);
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace fx
