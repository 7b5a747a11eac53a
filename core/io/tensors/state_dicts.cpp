// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/state_dicts.h"

#include "core/base/joined_path.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/io/tensors/tensor_file.h"
#include "core/io/zip/file_inside.h"
#include "core/module/module_paths.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kMostDicts = 1000;         ///< of a file
constexpr std::size_t kLongestKey = 1000;        ///< of what leads to a state dict
constexpr std::size_t kMostKeyBytes = 256 << 20; ///< of what is still to be looked at; a list may have many items

/// Walks the objects of a pickle with a stack, each once.
class StateDictFinder {
public:
    StateDictFinder(TorchFile& file, const Progress& progress)
        : m_file(file), m_arena(file.arena()), m_progress(progress), m_open{{"", file.arena().root()}} {}

    std::vector<StateDict> find() {
        while (!m_open.empty()) {
            m_progress.check();
            const auto [key, ref] = std::move(m_open.back());
            m_open.pop_back();
            m_keyBytes -= key.size();
            if (m_met.insert(ref).second) look(key, ref);
        }
        std::erase_if(m_found, [&](const Found& each) { return each.isMixed && hasOneBelow(each); });
        std::vector<StateDict> out;
        for (const Found& each : m_found) out.push_back(read(each));
        return out;
    }

private:
    struct Found {
        std::string key;
        PickleRef ref;
        bool isModule, isMixed; ///< a mixed dict has other values than tensors
    };

    bool isDict(PickleRef ref) const {
        return m_arena.is(ref, PickleKind::Dict) || m_arena.isCallOf(ref, "collections.OrderedDict");
    }

    void add(Found found) {
        if (m_found.size() == kMostDicts) throw tooMany();
        m_found.push_back(std::move(found));
    }
    static Error tooMany() { return Error(ErrorKind::File, Message("tensors.too_many_dicts")); }

    void look(const std::string& key, PickleRef ref) {
        switch (m_arena.kind(ref)) {
        case PickleKind::Tuple:
        case PickleKind::List: return lookInItems(key, ref);
        case PickleKind::Dict: return lookInDict(key, ref);
        case PickleKind::Reduce:
        case PickleKind::NewObj:
        case PickleKind::NewObjEx: break;
        default: return;
        }
        if (m_file.isTensor(ref)) return;
        if (isDict(ref)) return lookInDict(key, ref);
        const PickleRef state = m_arena.state(ref);
        const bool isGraphModule = ModuleReader::isGraphModule(m_arena, ref);
        if (isGraphModule && key.empty()) return; // the file is a model
        if (isGraphModule || (state != kNoPickle && m_arena.find(state, "_parameters") != kNoPickle))
            return add({key, ref, true, false});
        if (state != kNoPickle && isDict(state)) lookInDict(key, state, false);
    }

    /// A list of tensors has no names, and one of numbers may be long.
    void lookInItems(const std::string& key, PickleRef list) {
        const std::vector<PickleRef> items = m_arena.items(list);
        for (std::size_t i = items.size(); i-- > 0;) push(key, std::to_string(i), items[i]);
    }

    void lookInDict(const std::string& key, PickleRef dict, bool mayBeOne = true) {
        const PickleEntries entries = textEntries(m_arena, dict);
        const auto has = [&](std::string_view name) {
            return std::any_of(entries.begin(), entries.end(), [&](const auto& each) { return each.first == name; });
        };
        if (has("param_groups")) return; // an optimizer
        std::size_t tensors = 0;
        for (const auto& [name, value] : entries) tensors += m_file.isTensor(value);
        if (mayBeOne && tensors > 0) add({key, dict, false, tensors < entries.size()});
        for (auto each = entries.rbegin(); each != entries.rend(); ++each)
            if (!each->first.ends_with("_extra_state")) push(key, each->first, each->second);
    }

    void push(const std::string& key, std::string_view name, PickleRef value) {
        const PickleKind kind = m_arena.kind(value);
        const bool holds = kind == PickleKind::Tuple || kind == PickleKind::List || kind == PickleKind::Dict ||
                           (isCall(kind) && !m_file.isTensor(value));
        if (!holds || key.size() + name.size() >= kLongestKey) return;
        m_open.emplace_back(joinedPath(key, name), value);
        m_keyBytes += m_open.back().first.size();
        if (m_keyBytes > kMostKeyBytes) throw tooMany();
    }

    bool hasOneBelow(const Found& mixed) const {
        return std::any_of(m_found.begin(), m_found.end(), [&](const Found& other) {
            return mixed.key.empty() ? !other.key.empty() : other.key.starts_with(mixed.key + ".");
        });
    }

    PickleRef metadata(PickleRef dict) const {
        const PickleRef state = isCall(m_arena.kind(dict)) ? m_arena.state(dict) : kNoPickle;
        return state == kNoPickle ? state : m_arena.find(state, "_metadata");
    }

    StateDict read(const Found& found) {
        StateDict out{found.key, {}, {}, {}};
        if (found.isModule) {
            const auto module = ModuleReader(m_file).read(found.ref);
            m_paths += countPaths(*module, kMostModulePaths); // modules of a list may share a large one
            if (m_paths > 2 * kMostModulePaths) throw tooMany();
            out.className = joinedPath(module->classModule, module->className);
            out.tensors = stateDictOf(*module);
            return out;
        }
        for (const auto& [path, facts] : textEntries(m_arena, metadata(found.ref)))
            if (const PickleRef version = facts == kNoPickle ? facts : m_arena.find(facts, "version");
                m_arena.is(version, PickleKind::Int))
                out.versions.emplace(path, m_arena.integer(version));
        for (const auto& [name, value] : textEntries(m_arena, found.ref))
            if (TensorPtr tensor = m_file.tensor(value)) out.tensors.emplace_back(name, std::move(tensor));
        return out;
    }

    TorchFile& m_file;
    const PickleArena& m_arena;
    const Progress& m_progress;
    std::vector<std::pair<std::string, PickleRef>> m_open;
    std::size_t m_keyBytes = 0; ///< in `m_open`
    std::unordered_set<PickleRef> m_met;
    std::vector<Found> m_found;
    std::size_t m_paths = 0; ///< of all modules
};

NamedTensors namedTensors(const DataFile& file, const Progress& progress) {
    try {
        return readNamedTensors(file.path(), progress);
    } catch (const Error& error) {
        char first = 0;
        if (file.size() > 0) file.read(0, std::as_writable_bytes(std::span(&first, 1)));
        if (error.kind() == ErrorKind::Cancelled || first != '\x80') throw;
        throw Error(ErrorKind::File, Message("tensors.pickle"));
    }
}

std::vector<StateDict> stateDictsOf(const std::string& path, const Progress& progress) {
    const auto file = openFileInside(path);
    if (TorchFile::looksOld(*file)) return StateDictFinder(*TorchFile::open(file, progress), progress).find();
    if (!ZipArchive::looksLikeZip(*file)) return {{"", {}, namedTensors(*file, progress), {}}};
    const auto archive = ZipArchive::open(file);
    if (archive.findInRoot("constants.pkl") || !archive.findInRoot("data.pkl")) return {}; // a script, an export …
    return StateDictFinder(*TorchFile::open(archive, progress), progress).find();
}

} // namespace

NamedTensors stateDictOf(const Module& root) {
    requireFewPaths(root);
    NamedTensors named;
    std::vector<std::pair<std::string, const Module*>> open{{"", &root}};
    while (!open.empty()) {
        const auto [prefix, module] = std::move(open.back());
        open.pop_back();
        for (const auto& slot : module->parameters)
            if (slot.tensor) named.emplace_back(prefix + slot.name, slot.tensor);
        for (const auto& slot : module->buffers)
            if (slot.tensor && slot.persistent) named.emplace_back(prefix + slot.name, slot.tensor);
        for (const Module::Child& child : module->children)
            if (child.module) open.emplace_back(prefix + child.name + ".", child.module.get());
    }
    return named;
}

WeightsFile splitWeightsFile(const std::string& name) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored)) return {name, {}};
    for (std::size_t at = name.rfind('#'); at != name.npos && at > 0; at = name.rfind('#', at - 1))
        if (std::filesystem::exists(name.substr(0, at), ignored)) return {name.substr(0, at), name.substr(at + 1)};
    return {name, {}};
}

std::vector<StateDict> readStateDicts(const std::string& path, const Progress& progress) {
    try {
        return stateDictsOf(path, progress);
    } catch (Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

Error notWeights(Error error) {
    if (!error.message().is("io.not_a_model")) return error;
    Error out(ErrorKind::File, Message("tensors.not_weights", {{"what", error.message().argument("what")}}));
    out.file = std::move(error.file), out.where = std::move(error.where);
    return out;
}

} // namespace fx
