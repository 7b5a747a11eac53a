// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/load_weights.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/base/text_hash.h"
#include "core/diag/error.h"
#include "core/io/tensors/state_dicts.h"
#include "core/model_files/open.h"
#include "core/module/module_paths.h"
#include "core/tensor/encode_elements.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

using namespace std::string_view_literals;
constexpr std::size_t kShown = 8; ///< names in a message

/// What is wrong with some names, for a message; empty without names.
std::string problem(const char* what, const std::vector<std::string>& names) {
    return names.empty() ? std::string() : what + listed(names, kShown);
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

/// The state dicts in a file: those of a file of torch.save or safetensors, or that of a model in another format.
std::vector<StateDict> stateDictsIn(const std::string& file, const Progress& progress, const Readers& readers) {
    const FileKind kind = kindOfModel(file);
    if (kind == FileKind::TorchSave || kind == FileKind::Other) {
        std::vector<StateDict> found = readStateDicts(file, progress);
        if (!found.empty()) return found;
        if (kind == FileKind::Other) throw Error(ErrorKind::File, Message("tensors.none")).in(file);
    }
    if (kind == FileKind::Source) throw Error(ErrorKind::File, Message("tensors.unreadable")).in(file);
    OpenOptions options;
    options.readers = readers;
    StateDict whole;
    whole.tensors = stateDictOf(*openModel(file, options, progress)->root);
    std::vector<StateDict> out;
    out.push_back(std::move(whole));
    return out;
}

/// What all names begin with, in whole components: "module._orig_mod." of DistributedDataParallel and torch.compile,
/// "model." of a LightningModule. Empty where one of `named` is one of `wanted`, or none would be without it.
std::string wrapperPrefix(const NamedTensors& named, const NamedTensors& wanted) {
    std::unordered_set<std::string_view> names;
    for (const auto& [name, tensor] : wanted) names.insert(name);
    const auto fits = [&](std::size_t cut) {
        return std::any_of(named.begin(), named.end(),
                           [&](const auto& each) { return names.contains(std::string_view(each.first).substr(cut)); });
    };
    if (named.empty() || fits(0)) return {};
    const std::string& first = named.front().first;
    for (std::size_t dot = first.find('.'); dot != first.npos; dot = first.find('.', dot + 1)) {
        const std::string prefix = first.substr(0, dot + 1);
        if (!std::all_of(named.begin(), named.end(), [&](const auto& each) { return each.first.starts_with(prefix); }))
            return {};
        if (fits(prefix.size())) return prefix;
    }
    return {};
}

/// How a state dict fits a model.
struct Fit {
    std::string prefix; ///< that its names have beside the model's
    std::size_t fitting = 0, left = 0;
    std::vector<TensorPtr> tensors; ///< those that fit, in the order of the model
};

Fit fitOf(const StateDict& given, const NamedTensors& wanted) {
    Fit fit{wrapperPrefix(given.tensors, wanted), 0, 0, {}};
    std::unordered_map<std::string_view, const TensorPtr*> byName;
    for (const auto& [name, tensor] : given.tensors)
        byName.insert_or_assign(std::string_view(name).substr(fit.prefix.size()), &tensor);
    for (const auto& [name, tensor] : wanted)
        if (const auto found = byName.find(name); found != byName.end() && (*found->second)->sizes == tensor->sizes)
            fit.tensors.push_back(*found->second);
    fit.fitting = fit.tensors.size(), fit.left = byName.size() - std::min(byName.size(), fit.fitting);
    return fit;
}

/// Whether both are the same tensors, as in a checkpoint with a module and its state dict.
bool areSame(const Fit& a, const Fit& b) {
    return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                      [](const TensorPtr& x, const TensorPtr& y) {
                          return x == y || (x->storage == y->storage && x->offset == y->offset && x->dtype == y->dtype);
                      });
}

std::string keysOf(const std::vector<const StateDict*>& dicts) {
    std::vector<std::string> keys;
    for (const StateDict* each : dicts) keys.push_back("'" + each->key + "'");
    return listed(keys, kShown);
}

/// Which state dict of `file` is meant: the one with the key, or that which fits the model best. Throws
/// Error{Refused} where several do.
class Choice {
public:
    Choice(const std::vector<StateDict>& found, const WeightsFile& file, const NamedTensors& wanted) {
        std::vector<const StateDict*> all, best;
        for (const StateDict& each : found) all.push_back(&each);
        for (const StateDict& each : found) {
            if (!file.key.empty() && each.key != file.key) continue;
            Fit fit = fitOf(each, wanted);
            const bool isBetter =
                !chosen || fit.fitting > m_fit.fitting || (fit.fitting == m_fit.fitting && fit.left < m_fit.left);
            const bool isEqual = chosen && fit.fitting == m_fit.fitting && fit.left == m_fit.left;
            const bool isSame = chosen && areSame(fit, m_fit);
            othersFit |= chosen && !isSame && (isBetter ? m_fit.fitting : fit.fitting) > 0;
            if (isBetter) chosen = &each, m_fit = std::move(fit), best = {&each};
            else if (isEqual && !isSame) best.push_back(&each);
        }
        const auto refuse = [&](MessageCode code, const std::vector<const StateDict*>& keys) {
            throw Error(
                ErrorKind::Refused,
                Message(code,
                        {{"key", file.key}, {"keys", keysOf(keys)}, {"file", file.path}, {"first", keys.front()->key}}))
                .in(file.path);
        };
        if (!chosen) refuse("make.unknown_dict", all);
        if (best.size() > 1) refuse(m_fit.fitting > 0 ? MessageCode("make.several_dicts") : "make.no_dict_fits", best);
        others = keysOf(all);
    }

    const StateDict* chosen = nullptr;
    bool othersFit = false; ///< in part
    std::string others;     ///< the keys of all
    const std::string& prefix() const { return m_fit.prefix; }

private:
    Fit m_fit;
};

/// A tensor of a file on its way into a model.
struct Given {
    TensorPtr tensor;
    bool isUsed = false;
};
using GivenTensors = std::unordered_map<std::string, Given, TextHash, std::equal_to<>>;

/// The state dicts of files on their way into a model.
class WeightLoader {
public:
    WeightLoader(SharedNames shared, bool inPlace, const Progress& progress)
        : m_shared(shared), m_inPlace(inPlace), m_progress(progress) {}

    /// Adds a file; its tensors replace those of the same name.
    void add(const StateDict& dict, std::size_t prefix) {
        for (const auto& [name, tensor] : dict.tensors) m_given.insert_or_assign(name.substr(prefix), Given{tensor});
        for (const auto& [path, version] : dict.versions)
            if (path.size() >= prefix) m_versions.insert_or_assign(path.substr(prefix), version);
    }

    /// All modules under all of their paths, as `state_dict` names them.
    void load(Module& root) {
        requireFewPaths(root);
        std::vector<std::pair<std::string, Module*>> open{{"", &root}};
        while (!open.empty()) {
            const auto [prefix, module] = std::move(open.back());
            open.pop_back();
            // What they have seen decides their sizes: torch.ao's classes take them over.
            const bool resizes = module->classModule == "torch.ao.quantization.observer" ||
                                 module->classModule == "torch.ao.quantization.fake_quantize";
            for (auto& slot : module->parameters) give(slot, prefix + slot.name);
            for (auto& slot : module->buffers)
                if (slot.persistent) give(slot, prefix + slot.name, resizes);
            for (auto child = module->children.rbegin(); child != module->children.rend(); ++child)
                if (child->module) open.emplace_back(prefix + child->name + ".", child->module.get());
        }
        for (const auto& [name, given] : m_given)
            if (!given.isUsed) m_left.push_back(name);
        for (const auto& [name, tensor] : m_absent)
            if (m_shared == SharedNames::All || !m_made.contains(tensor)) m_missing.push_back(quoted(name));
        std::sort(m_left.begin(), m_left.end());
        for (const std::string& name : m_left) m_unexpected.push_back(quoted(name));
    }

    /// What `load_state_dict` refuses, also with strict=False.
    std::string problems(bool strict) const {
        std::string all;
        for (const std::string& each :
             {problem("Missing key(s) in state_dict: ", strict ? m_missing : std::vector<std::string>()),
              problem("Unexpected key(s) in state_dict: ", strict ? m_unexpected : std::vector<std::string>()),
              problem("other shape: ", m_mismatched), problem("no values: ", m_empty)})
            if (!each.empty()) all += (all.empty() ? "" : "; ") + each;
        return all;
    }
    const std::vector<std::string>& missing() const { return m_missing; }
    const std::vector<std::string>& unexpected() const { return m_unexpected; }

private:
    /// State dicts from before PyTorch 0.4.1 lack these counters.
    bool isOldCounter(const std::string& name) const {
        if (lastAtom(name) != "num_batches_tracked") return false;
        const auto version = m_versions.find(std::string(parentPath(name)));
        return version == m_versions.end() || version->second < 2;
    }

    void give(Module::Slot& slot, const std::string& name, bool resizes = false) {
        if (!slot.tensor) return;
        // What is loaded twice through two names is one tensor: the last name wins, as in-place copies do.
        const TensorPtr old = m_before.contains(slot.tensor.get()) ? m_before[slot.tensor.get()] : slot.tensor;
        const auto found = m_given.find(name);
        if (found == m_given.end()) {
            if (!isOldCounter(name)) m_absent.emplace_back(name, old.get());
            return;
        }
        found->second.isUsed = true;
        TensorPtr given = found->second.tensor;
        if (!given->storage && given->dtype != DType::Other) return void(m_empty.push_back(quoted(name)));
        const bool fits = given->sizes == old->sizes || resizes;
        if (fits && given->dtype != old->dtype) given = convertedAs(*given, old->dtype, name);
        if (!fits || !given) {
            m_mismatched.push_back(quoted(name));
            return;
        }
        given = apart(given, *old);
        if (m_inPlace) return take(const_cast<TensorRef&>(*old), *given);
        auto& made = m_made[old.get()];
        if (!made) made = std::make_shared<TensorRef>(*old);
        take(*made, *given);
        m_before[made.get()] = old;
        slot.tensor = made;
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
    std::unordered_map<std::string, std::int64_t> m_versions;                ///< of modules, by path
    std::unordered_map<const TensorRef*, std::shared_ptr<TensorRef>> m_made; ///< by what it takes the place of
    std::unordered_map<const TensorRef*, TensorPtr> m_before;                ///< by what was made
    std::unordered_map<const TensorRef*, const void*> m_memory;              ///< the storage that each tensor had
    std::unordered_map<const Storage*, const void*> m_taken;                 ///< of the file, with the model's
    SharedNames m_shared;
    bool m_inPlace;
    const Progress& m_progress;
    std::vector<std::pair<std::string, const TensorRef*>> m_absent; ///< with what it is called for
    std::vector<std::string> m_left;
    std::vector<std::string> m_missing, m_unexpected, m_mismatched, m_empty; ///< quoted
};

} // namespace

std::optional<std::string_view> observersMode(const std::vector<std::string>& files, const Progress& progress,
                                              const Readers& readers) {
    bool isObserved = false, isTrained = false;
    for (const std::string& file : files)
        for (const StateDict& dict : stateDictsIn(splitWeightsFile(file).path, progress, readers))
            for (const auto& [name, tensor] : dict.tensors) {
                isTrained |= lastAtom(name) == "observer_enabled";
                isObserved |= name.find("activation_post_process") != name.npos && name.ends_with(".min_val");
            }
    return isTrained ? std::optional("qat"sv) : isObserved ? std::optional("static"sv) : std::nullopt;
}

namespace {

void warn(GraphModule& model, const Message& what) { model.warnings.push_back({what, {}, {}, {}}); }

void addFile(WeightLoader& loader, GraphModule& model, const NamedTensors& wanted, const std::string& name,
             const Progress& progress, const Readers& readers) {
    const WeightsFile file = splitWeightsFile(name);
    const std::vector<StateDict> found = stateDictsIn(file.path, progress, readers);
    const Choice choice(found, file, wanted);
    loader.add(*choice.chosen, choice.prefix().size());
    if (choice.othersFit && file.key.empty())
        warn(model,
             Message("make.dict_chosen", {{"key", choice.chosen->key}, {"file", file.path}, {"keys", choice.others}}));
    if (!choice.prefix().empty())
        warn(model, Message("make.state_dict_prefix", {{"file", file.path}, {"prefix", choice.prefix()}}));
}

void load(GraphModule& model, const WeightsFiles& weights, const Progress& progress, SharedNames shared, bool inPlace,
          const Readers& readers) {
    const NamedTensors wanted = stateDictOf(*model.root);
    WeightLoader loader(shared, inPlace, progress);
    for (const std::string& file : weights.files) addFile(loader, model, wanted, file, progress, readers);
    loader.load(*model.root);
    const std::string problems = loader.problems(weights.strict);
    if (!problems.empty())
        throw Error(ErrorKind::Refused, Message("make.state_dict", {{"name", model.className}, {"problems", problems}}))
            .in(listed(weights.files, kShown));
    if (weights.strict) return;
    constexpr std::size_t kListed = 100;
    if (const auto& names = loader.missing(); !names.empty())
        warn(model, Message("make.weights_missing", {{"count", names.size()}, {"names", listed(names, kListed)}}));
    if (const auto& names = loader.unexpected(); !names.empty())
        warn(model, Message("make.weights_left", {{"count", names.size()}, {"names", listed(names, kListed)}}));
}

} // namespace

void loadWeights(GraphModule& model, const WeightsFiles& weights, const Progress& progress, SharedNames shared,
                 const Readers& readers) {
    load(model, weights, progress, shared, false, readers);
}

void loadConstructed(GraphModule& model, const WeightsFiles& weights, const Progress& progress,
                     const Readers& readers) {
    load(model, weights, progress, SharedNames::All, true, readers);
}

} // namespace fx
