// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/training_mode.h"

#include "core/base/one_of.h"
#include "core/module/script_object.h"
#include "core/ops/catalogue.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace fx {

namespace {

// ── copies ──

/// Copies modules level by level, each once.
class ModeCopy {
public:
    explicit ModeCopy(bool training) : m_training(training) {}

    std::shared_ptr<GraphModule> of(const GraphModule& model) {
        auto out = std::make_shared<GraphModule>(model);
        out->root = copy(model.root);
        while (!m_open.empty()) {
            Module& module = *m_open.back();
            m_open.pop_back();
            for (Module::Child& child : module.children)
                if (child.module) child.module = copy(child.module);
            if (!module.graphModule) continue;
            module.graphModule = std::make_shared<GraphModule>(*module.graphModule);
            module.graphModule->root = copy(module.graphModule->root);
        }
        return out;
    }

private:
    std::shared_ptr<Module> copy(const std::shared_ptr<Module>& module) {
        auto& known = m_copies[module.get()];
        if (!known) {
            known = std::make_shared<Module>(*module);
            known->training = m_training;
            m_open.push_back(known.get());
        }
        return known;
    }

    bool m_training;
    std::unordered_map<const Module*, std::shared_ptr<Module>> m_copies;
    std::vector<Module*> m_open;
};

// ── what depends on the mode ──

bool isPositive(const Argument* number) {
    if (!number) return false;
    const auto* real = number->as<double>();
    const auto* integer = number->as<std::int64_t>();
    return (real && *real > 0) || (integer && *integer > 0);
}

bool hasSpectralHook(const Module& module) {
    const auto* hooks = module.setting<Dict>("_forward_pre_hooks");
    return hooks && std::any_of(hooks->items.begin(), hooks->items.end(), [](const auto& hook) {
               const auto* parts = hook.second.asTuple();
               const auto* type = parts && !parts->items.empty() ? parts->items[0].template as<std::string>() : nullptr;
               return type && type->ends_with(".SpectralNorm");
           });
}

/// Whether the module itself computes different values in training mode.
bool dependsOnMode(const Module& module) {
    const std::string_view name = module.className;
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (has("Dropout")) return isPositive(module.setting("p"));
    if (has("BatchNorm") || has("InstanceNorm")) return module.tensor("running_mean") != nullptr;
    if (name == "RReLU" || name == "_SpectralNorm" || hasSpectralHook(module)) return true;
    const auto* layers = module.setting<std::int64_t>("num_layers"); // an LSTM drops between them
    return isPositive(module.setting("dropout")) && (!layers || *layers > 1);
}

struct ModeArgument {
    std::string_view function; ///< of torch or torch.nn.functional
    std::size_t place;
    std::string_view name;
    bool value; ///< where it is not given
};
constexpr std::array kModeArguments{
    ModeArgument{"dropout", 2, "training", true},        ModeArgument{"dropout1d", 2, "training", true},
    ModeArgument{"dropout2d", 2, "training", true},      ModeArgument{"dropout3d", 2, "training", true},
    ModeArgument{"alpha_dropout", 2, "training", false}, ModeArgument{"feature_alpha_dropout", 2, "training", false},
    ModeArgument{"rrelu", 3, "training", false},         ModeArgument{"batch_norm", 5, "training", false}};

/// The training mode that a call of an operator takes as an argument.
std::optional<bool> modeOfOperator(const Node& node) {
    constexpr std::string_view kNames[] = {"train", "training", "use_input_stats"};
    const auto known = ops::findOperator(node.target());
    if (!known) return std::nullopt;
    const auto arguments = known->arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!isOneOf(arguments[i].name(), kNames)) continue;
        const Argument* given = node.argument(i, arguments[i].name());
        if (const bool* value = given ? given->as<bool>() : nullptr) return *value;
    }
    return std::nullopt;
}

std::optional<bool> modeOfCall(const Node& node) {
    if (node.op() != Op::CallFunction) return std::nullopt;
    const std::string_view target = node.target();
    const std::size_t dot = target.rfind('.');
    const std::string_view space = target.substr(0, dot), name = target.substr(dot == target.npos ? 0 : dot + 1);
    if (space != "torch.nn.functional" && space != "torch") return modeOfOperator(node);
    const auto found = std::find_if(kModeArguments.begin(), kModeArguments.end(),
                                    [&](const ModeArgument& each) { return each.function == name; });
    if (found == kModeArguments.end()) return std::nullopt;
    const Argument* rate = name.find("dropout") == name.npos ? nullptr : node.argument(1, "p");
    if (rate && !isPositive(rate) && (rate->as<double>() || rate->as<std::int64_t>())) return std::nullopt;
    const std::string_view parameter = space == "torch" && found->place == 2 ? "train" : found->name;
    const Argument* given = node.argument(found->place, parameter);
    if (!given) return found->value;
    const bool* value = given->as<bool>();
    return value ? std::optional(*value) : std::nullopt;
}

struct Uses {
    std::size_t count = 0;
    std::string first; ///< "bn (BatchNorm2d)", or the name of a node
    void add(const std::string& what) {
        if (count++ == 0) first = what;
    }
};

} // namespace

std::shared_ptr<GraphModule> inMode(const GraphModule& model, bool training) { return ModeCopy(training).of(model); }

const char* modeName(const GraphModule& model) { return model.root->training ? "train" : "eval"; }

Warnings modeWarnings(const GraphModule& model, RunMode mode) {
    const bool asked = mode != RunMode::AsSaved, training = mode != RunMode::Eval;
    Uses uses;
    PathResolver paths(*model.root);
    std::unordered_map<const Module*, std::string> inside; // the first that depends on the mode, or nothing
    for (const Node& node : model.graph.nodes()) {
        if (const auto fixed = modeOfCall(node); fixed && (asked ? *fixed != training : *fixed)) uses.add(node.name());
        if (node.op() != Op::CallModule) continue;
        const Module* called = paths.resolve(node.target()).module;
        if (!called) continue;
        if (asked && isScriptPart(*called)) uses.add(node.target());
        if (asked) continue;
        const auto [known, isNew] = inside.emplace(called, std::string());
        if (isNew)
            forEachModule(*called, [&, first = &known->second](const std::string&, const Module& each) {
                if (first->empty() && each.training && dependsOnMode(each)) *first = each.className;
            });
        if (!known->second.empty()) uses.add(node.target() + " (" + known->second + ")");
    }
    if (uses.count == 0) return {};
    const MessageCode code = !asked     ? MessageCode("worker.training_mode")
                             : training ? MessageCode("worker.keeps_evaluation")
                                        : MessageCode("worker.keeps_training");
    return {{Message(code, {{"count", uses.count}, {"first", uses.first}}), {}, {}, {}}};
}

bool trainingChanges(const GraphModule& model) {
    const Warnings after = modeWarnings(*inMode(model, true), RunMode::AsSaved),
                   before = modeWarnings(model, RunMode::AsSaved);
    return !after.empty() && (before.empty() || !(after[0].what == before[0].what));
}

bool isModeWarning(const Message& message) {
    return message.is("worker.training_mode") || message.is("worker.keeps_training") ||
           message.is("worker.keeps_evaluation");
}

} // namespace fx
