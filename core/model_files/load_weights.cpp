// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/load_weights.h"

#include "core/base/listed.h"
#include "core/base/text_hash.h"
#include "core/diag/error.h"
#include "core/io/tensors/tensor_file.h"
#include "core/model_files/open.h"
#include "core/module/module_paths.h"
#include "core/tensor/encode_elements.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

using NamedTensors = std::vector<std::pair<std::string, TensorPtr>>;

/// What is wrong with some names, for a message; empty without names.
std::string problem(const char* what, const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 8;
    return names.empty() ? std::string() : what + listed(names, kShown);
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

/// What `state_dict` of a module gives: modules under all of their paths. Throws Error{Refused} for too many.
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

/// The state dict in a file, or that of the GraphModule that was saved there.
NamedTensors stateDictOf(const std::string& file, const Progress& progress, const Readers& readers) {
    try {
        return readNamedTensors(file, progress);
    } catch (const Error& none) {
        if (!none.message().is("tensors.none") || kindOfModel(file) == FileKind::Source) throw;
        std::shared_ptr<GraphModule> model;
        try {
            OpenOptions options;
            options.readers = readers;
            model = openModel(file, options, progress);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
        }
        if (!model) throw;
        return stateDictOf(*model->root);
    }
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

/// The state dict of a file on its way into a model.
class WeightLoader {
public:
    WeightLoader(const NamedTensors& given, std::size_t prefix, SharedNames shared, bool inPlace,
                 const Progress& progress)
        : m_shared(shared), m_inPlace(inPlace), m_progress(progress) {
        for (const auto& [name, tensor] : given) m_given.insert_or_assign(name.substr(prefix), Given{tensor});
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

    std::string problems() const {
        std::string all;
        for (const std::string& each :
             {problem("Missing key(s) in state_dict: ", m_missing),
              problem("Unexpected key(s) in state_dict: ", m_unexpected), problem("other shape: ", m_mismatched)})
            if (!each.empty()) all += (all.empty() ? "" : "; ") + each;
        return all;
    }

private:
    struct Given {
        TensorPtr tensor;
        bool isUsed = false;
    };

    void give(Module::Slot& slot, const std::string& name, bool resizes = false) {
        if (!slot.tensor) return;
        // What is loaded twice through two names is one tensor: the last name wins, as in-place copies do.
        const TensorPtr old = m_before.contains(slot.tensor.get()) ? m_before[slot.tensor.get()] : slot.tensor;
        const auto found = m_given.find(name);
        if (found == m_given.end()) {
            m_absent.emplace_back(name, old.get());
            return;
        }
        found->second.isUsed = true;
        TensorPtr given = found->second.tensor;
        const bool fits = given->sizes == old->sizes || resizes;
        if (fits && given->dtype != old->dtype) given = convertedAs(*given, old->dtype, name);
        if (!fits || !given) {
            m_mismatched.push_back(quoted(name));
            return;
        }
        if (m_inPlace) return take(const_cast<TensorRef&>(*old), *given);
        auto& made = m_made[old.get()];
        if (!made) made = std::make_shared<TensorRef>(*old);
        take(*made, *given);
        m_before[made.get()] = old;
        slot.tensor = made;
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
        into = given;
        into.isParameter = isParameter, into.requiresGrad = requiresGrad;
    }

    std::unordered_map<std::string, Given, TextHash, std::equal_to<>> m_given;
    std::unordered_map<const TensorRef*, std::shared_ptr<TensorRef>> m_made; ///< by what it takes the place of
    std::unordered_map<const TensorRef*, TensorPtr> m_before;                ///< by what was made
    SharedNames m_shared;
    bool m_inPlace;
    const Progress& m_progress;
    std::vector<std::pair<std::string, const TensorRef*>> m_absent; ///< with what it is called for
    std::vector<std::string> m_left;
    std::vector<std::string> m_missing, m_unexpected, m_mismatched; ///< quoted
};

} // namespace

std::optional<std::string_view> observersMode(const std::string& file, const Progress& progress,
                                              const Readers& readers) {
    const NamedTensors named = stateDictOf(file, progress, readers);
    const auto has = [&](const auto& isOne) { return std::any_of(named.begin(), named.end(), isOne); };
    if (has([](const auto& each) {
            return each.first == "observer_enabled" || each.first.ends_with(".observer_enabled");
        }))
        return "qat";
    if (has([](const auto& each) {
            return each.first.find("activation_post_process") != std::string::npos && each.first.ends_with(".min_val");
        }))
        return "static";
    return std::nullopt;
}

namespace {
void load(GraphModule& model, const std::string& file, const Progress& progress, SharedNames shared, bool inPlace,
          const Readers& readers) {
    const NamedTensors named = stateDictOf(file, progress, readers);
    const std::string prefix = wrapperPrefix(named, stateDictOf(*model.root));
    WeightLoader loader(named, prefix.size(), shared, inPlace, progress);
    loader.load(*model.root);
    const std::string problems = loader.problems();
    if (!problems.empty())
        throw Error(ErrorKind::Refused, Message("make.state_dict", {{"name", model.className}, {"problems", problems}}))
            .in(file);
    if (!prefix.empty())
        model.warnings.push_back({Message("make.state_dict_prefix", {{"file", file}, {"prefix", prefix}}), {}, {}, {}});
}

} // namespace

void loadWeights(GraphModule& model, const std::string& file, const Progress& progress, SharedNames shared,
                 const Readers& readers) {
    load(model, file, progress, shared, false, readers);
}

void loadConstructed(GraphModule& model, const std::string& file, const Progress& progress, const Readers& readers) {
    load(model, file, progress, SharedNames::All, true, readers);
}

} // namespace fx
