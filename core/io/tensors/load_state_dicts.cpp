// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/load_state_dicts.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/base/text_hash.h"
#include "core/diag/error.h"
#include "core/io/tensors/choose_state_dict.h"
#include "core/module/module_editor.h"
#include "core/module/module_paths.h"
#include "core/module/read_only.h"
#include "core/module/script_object.h"
#include "core/tensor/encode_elements.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kNamesInMessage = 8; ///< in a message
constexpr std::size_t kNamesListed = 100;  ///< in a warning

/// What is wrong with some names, for a message; empty without names.
std::string problem(const char* what, const std::vector<std::string>& names) {
    return names.empty() ? std::string() : what + listed(names, kNamesInMessage);
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

/// A tensor of a file on its way into a model.
struct Given {
    TensorPtr tensor;
    bool isUsed = false;
};
using GivenTensors = std::unordered_map<std::string, Given, TextHash, std::equal_to<>>;

/// The state dicts of files on their way into a model.
class WeightLoader {
public:
    WeightLoader(const LoadSettings& settings, const Progress& progress) : m_settings(settings), m_progress(progress) {}

    /// Adds a file; its tensors replace those of the same name.
    void add(const ChosenDict& chosen) {
        for (const auto& [name, tensor] : chosen.dict->tensors)
            m_given.insert_or_assign(chosen.nameOf(name), Given{tensor});
        for (const auto& [path, version] : chosen.dict->versions)
            if (path.size() >= chosen.prefix.size())
                m_versions.insert_or_assign(path.substr(chosen.prefix.size()), version);
    }

    /// All modules under all of their paths, as `state_dict` names them.
    void match(const Module& root) {
        requireFewPaths(root);
        std::vector<std::pair<std::string, const Module*>> open{{"", &root}};
        while (!open.empty()) {
            const auto [prefix, module] = std::move(open.back());
            open.pop_back();
            // What they have seen decides their sizes: torch.ao's classes take them over.
            const bool resizes = module->classModule == "torch.ao.quantization.observer" ||
                                 module->classModule == "torch.ao.quantization.fake_quantize";
            for (const auto& slot : module->parameters) give(slot, prefix + slot.name);
            for (const auto& slot : module->buffers)
                if (slot.persistent) give(slot, prefix + slot.name, resizes);
            for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
                if (child->module) open.emplace_back(prefix + child->name + ".", child->module.get());
        }
        for (const auto& [name, given] : m_given)
            if (!given.isUsed) m_left.push_back(quoted(name));
        for (const auto& [name, tensor] : m_absent)
            if (m_settings.shared == SharedNames::All || !m_made.contains(tensor)) m_missing.push_back(quoted(name));
        std::sort(m_left.begin(), m_left.end());
    }

    /// What `load_state_dict` refuses, also with strict=False.
    std::string problems() const {
        const std::vector<std::string> none;
        std::string all;
        for (const std::string& each :
             {problem("Missing key(s) in state_dict: ", m_settings.strict ? m_missing : none),
              problem("Unexpected key(s) in state_dict: ", m_settings.strict ? m_left : none),
              problem("other shape: ", m_mismatched), problem("other kind of values: ", m_unconverted),
              problem("no values: ", m_empty)})
            if (!each.empty()) all += (all.empty() ? "" : "; ") + each;
        return all;
    }
    /// Whether some tensors cannot be loaded at all, also with strict=False.
    bool misfits() const { return !m_mismatched.empty() || !m_unconverted.empty() || !m_empty.empty(); }
    const std::vector<std::string>& missing() const { return m_missing; }
    const std::vector<std::string>& left() const { return m_left; }

    /// Gives the modules what `match` found, also those whose tensors it found under another name.
    void replaceTensors(GraphModule& model) const {
        std::vector<std::string> changed;
        forEachModule(*model.root, [&](const std::string& path, const Module& module) {
            const auto isReplaced = [&](const auto& slot) { return m_made.contains(slot.tensor.get()); };
            if (std::any_of(module.parameters.begin(), module.parameters.end(), isReplaced) ||
                std::any_of(module.buffers.begin(), module.buffers.end(), isReplaced))
                changed.push_back(path);
        });
        ModuleEditor editor(model);
        for (const std::string& path : changed) {
            Module& module = *editor.writable(path);
            for (auto* slots : {&module.parameters, &module.buffers})
                for (auto& slot : *slots)
                    if (const auto made = m_made.find(slot.tensor.get()); made != m_made.end())
                        slot.tensor = made->second;
        }
    }

private:
    /// State dicts from before PyTorch 0.4.1 lack these counters.
    bool isOldCounter(const std::string& name) const {
        if (lastAtom(name) != "num_batches_tracked") return false;
        const auto version = m_versions.find(std::string(parentPath(name)));
        return version == m_versions.end() || version->second < 2;
    }

    /// What is loaded twice through two names is one tensor: the last name wins, as in-place copies do.
    void give(const Module::Slot& slot, const std::string& name, bool resizes = false) {
        if (!slot.tensor) return;
        const TensorRef& old = *slot.tensor;
        const auto found = m_given.find(name);
        if (found == m_given.end()) {
            if (!isOldCounter(name)) m_absent.emplace_back(name, &old);
            return;
        }
        found->second.isUsed = true;
        TensorPtr given = found->second.tensor;
        if (!given->storage && given->dtype != DType::Other) return void(m_empty.push_back(quoted(name)));
        const bool fits = given->sizes == old.sizes || resizes;
        if (!fits) return void(m_mismatched.push_back(quoted(name)));
        if (given->dtype != old.dtype) given = convertedAs(*given, old.dtype, name);
        if (!given) return void(m_unconverted.push_back(quoted(name)));
        given = apart(given, old);
        auto& made = m_made[&old];
        if (m_settings.inPlace) return take(const_cast<TensorRef&>(old), *given);
        made = std::make_shared<TensorRef>(old);
        take(*made, *given);
    }

    /// Tensors of the model that share no memory do not share that of the file: PyTorch copies.
    TensorPtr apart(const TensorPtr& given, const TensorRef& old) {
        if (!given->storage) return given;
        // Noted before the first file takes its place: a tensor may be loaded again under another name.
        const void* own = old.storage ? static_cast<const void*>(old.storage.get()) : &old;
        const void* memory = m_memory.try_emplace(&old, own).first->second;
        const auto [taken, isFirst] = m_taken.emplace(given->storage.get(), memory);
        if (isFirst || taken->second == memory) return given;
        const auto copy = std::make_shared<TensorRef>(*given);
        copy->storage = Storage::through(
            given->storage->byteCount(),
            [storage = given->storage](std::uint64_t at, std::span<std::byte> out) { storage->read(at, out); });
        return copy;
    }

    TensorPtr convertedAs(const TensorRef& given, DType dtype, const std::string& name) const {
        try {
            return converted(given, dtype, m_progress);
        } catch (Error& error) {
            if (error.kind() != ErrorKind::Cancelled) error.onModule(name);
            throw;
        }
    }

    static void take(TensorRef& into, const TensorRef& given) {
        const bool isParameter = into.isParameter, requiresGrad = into.requiresGrad;
        std::string device = std::move(into.device); // of the model: the file may come from a machine with another
        into = given;
        into.isParameter = isParameter, into.requiresGrad = requiresGrad, into.device = std::move(device);
    }

    GivenTensors m_given;
    std::unordered_map<std::string, std::int64_t> m_versions; ///< of modules, by path
    /// By the tensor whose place it takes; null if that was changed itself.
    std::unordered_map<const TensorRef*, std::shared_ptr<TensorRef>> m_made;
    std::unordered_map<const TensorRef*, const void*> m_memory; ///< the storage that each tensor had
    std::unordered_map<const Storage*, const void*> m_taken;    ///< of the file, with the model's
    const LoadSettings& m_settings;
    const Progress& m_progress;
    std::vector<std::pair<std::string, const TensorRef*>> m_absent;                   ///< with what it is called for
    std::vector<std::string> m_left, m_missing, m_mismatched, m_unconverted, m_empty; ///< quoted
};

/// Throws for a model whose numbers do not come from tensors that it holds.
void requireOwnTensors(const GraphModule& model, bool hasTensors) {
    requireChangeable(model);
    forEachModule(*model.root, [](const std::string& path, const Module& module) {
        if (module.classModule == kScriptParts && module.className == script::kFileClass)
            throw Error(ErrorKind::Refused, Message("make.script_keeps_weights", {{"path", path}})).onModule(path);
    });
    if (!hasTensors) throw Error(ErrorKind::Refused, Message("make.no_own_tensors", {{"name", model.className}}));
}

std::string namesOf(const std::vector<FoundDicts>& files) {
    std::vector<std::string> names;
    for (const FoundDicts& each : files)
        names.push_back(each.file.path + (each.file.key.empty() ? "" : '#' + each.file.key));
    return listed(names, kNamesInMessage);
}

} // namespace

Warnings loadStateDicts(GraphModule& model, const std::vector<FoundDicts>& files, const LoadSettings& settings,
                        const Progress& progress) {
    const NamedTensors wanted = stateDictOf(*model.root);
    requireOwnTensors(model, !wanted.empty() || !settings.strict);
    WeightLoader loader(settings, progress);
    Warnings warnings;
    const auto warn = [&](const Message& what) { warnings.push_back({what, {}, {}, {}}); };
    for (const auto& [file, found] : files) {
        const ChosenDict chosen = chooseStateDict(found, file, wanted);
        loader.add(chosen);
        if (chosen.othersFit && file.key.empty())
            warn(
                Message("make.dict_chosen", {{"key", chosen.dict->key}, {"file", file.path}, {"keys", chosen.others}}));
        if (!chosen.prefix.empty())
            warn(Message("make.state_dict_prefix", {{"file", file.path}, {"prefix", chosen.prefix}}));
    }
    loader.match(*model.root);
    if (const std::string problems = loader.problems(); !problems.empty())
        throw Error(ErrorKind::Refused,
                    Message(loader.misfits() ? MessageCode("make.state_dict_misfits") : MessageCode("make.state_dict"),
                            {{"name", model.className}, {"problems", problems}}))
            .in(namesOf(files));
    if (!settings.inPlace) loader.replaceTensors(model);
    if (settings.strict) return warnings;
    if (const auto& names = loader.missing(); !names.empty())
        warn(Message("make.weights_missing", {{"count", names.size()}, {"names", listed(names, kNamesListed)}}));
    if (const auto& names = loader.left(); !names.empty())
        warn(Message("make.weights_left", {{"count", names.size()}, {"names", listed(names, kNamesListed)}}));
    return warnings;
}

} // namespace fx
