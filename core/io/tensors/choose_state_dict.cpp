// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensors/choose_state_dict.h"

#include "core/base/listed.h"
#include "core/diag/error.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kKeysShown = 8;    ///< in a message
constexpr std::size_t kMostWrappers = 8; ///< components that wrappers add

/// What stands before the names of the model, in whole components: "module._orig_mod." of DistributedDataParallel and
/// torch.compile, "model." of a LightningModule, beside which there may be other names. Empty where one of `named` is
/// one of `wanted`, and where several prefixes fit equally often.
std::string wrapperPrefix(const NamedTensors& named, const NamedTensors& wanted) {
    std::unordered_set<std::string_view> names;
    for (const auto& [name, tensor] : wanted) names.insert(name);
    std::unordered_map<std::string_view, std::size_t> fitting;
    for (const auto& [name, tensor] : named) {
        if (names.contains(name)) return {};
        std::size_t dot = name.find('.');
        for (std::size_t depth = 0; dot != name.npos && depth < kMostWrappers; dot = name.find('.', dot + 1), ++depth)
            if (names.contains(std::string_view(name).substr(dot + 1)))
                ++fitting[std::string_view(name).substr(0, dot + 1)];
    }
    std::string_view best;
    std::size_t most = 0, equal = 0;
    for (const auto& [prefix, count] : fitting) {
        if (count > most) best = prefix, most = count, equal = 1;
        else equal += count == most;
    }
    return equal == 1 ? std::string(best) : std::string();
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
        byName.insert_or_assign(std::string_view(name).substr(name.starts_with(fit.prefix) ? fit.prefix.size() : 0),
                                &tensor);
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
    return listed(keys, kKeysShown);
}

[[noreturn]] void refuseKeys(MessageCode code, const WeightsFile& file, const std::vector<const StateDict*>& keys) {
    throw Error(
        ErrorKind::Refused,
        Message(code, {{"key", file.key}, {"keys", keysOf(keys)}, {"file", file.path}, {"first", keys.front()->key}}))
        .in(file.path);
}

} // namespace

ChosenDict chooseStateDict(const std::vector<StateDict>& found, const WeightsFile& file, const NamedTensors& wanted) {
    ChosenDict chosen;
    Fit fit;
    std::vector<const StateDict*> all, best;
    for (const StateDict& each : found) all.push_back(&each);
    for (const StateDict& each : found) {
        if (!file.key.empty() && each.key != file.key) continue;
        Fit other = fitOf(each, wanted);
        const bool isFirst = !chosen.dict;
        const bool isBetter =
            isFirst || other.fitting > fit.fitting || (other.fitting == fit.fitting && other.left < fit.left);
        const bool isEqual = !isFirst && other.fitting == fit.fitting && other.left == fit.left;
        const bool isSame = !isFirst && areSame(other, fit);
        chosen.othersFit |= !isFirst && !isSame && (isBetter ? fit.fitting : other.fitting) > 0;
        if (isBetter) chosen.dict = &each, fit = std::move(other), best = {&each};
        else if (isEqual && !isSame) best.push_back(&each);
    }
    if (!chosen.dict) refuseKeys("make.unknown_dict", file, all);
    if (best.size() > 1)
        refuseKeys(fit.fitting > 0 ? MessageCode("make.several_dicts") : MessageCode("make.no_dict_fits"), file, best);
    chosen.prefix = std::move(fit.prefix);
    chosen.others = keysOf(all);
    return chosen;
}

} // namespace fx
