// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module_fields.h"

#include "core/module/module.h"

#include <algorithm>
#include <array>

namespace fx {

namespace {

constexpr std::array<std::string_view, 17> kModuleFields{
    "training",
    "_parameters",
    "_buffers",
    "_non_persistent_buffers_set",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
    "_modules",
};

constexpr std::array<std::string_view, 15> kGraphModuleFields{
    "_code",
    "code",
    "_graph",
    "graph",
    "_lineno_map",
    "_prologue_start",
    "_tracer_cls",
    "_tracer_extras",
    "meta",
    "_replace_hooks",
    "_create_node_hooks",
    "_erase_node_hooks",
    "_deepcopy_hooks",
    "shape_env",
    "_graphmodule_graph_node_meta_stack_trace",
};

/// Folders that moved (torch 1.13 to 2.0), old prefix first.
constexpr std::array<std::array<std::string_view, 2>, 6> kMoved{{
    {"torch.nn.quantized.", "torch.ao.nn.quantized."},
    {"torch.nn.intrinsic.", "torch.ao.nn.intrinsic."},
    {"torch.nn.quantizable.", "torch.ao.nn.quantizable."},
    {"torch.nn.qat.", "torch.ao.nn.qat."},
    {"torch.nn.sparse.", "torch.ao.nn.sparse."},
    {"torch.quantization.", "torch.ao.quantization."},
}};

} // namespace

std::span<const std::string_view> moduleFields() { return kModuleFields; }

bool isHookField(std::string_view name) {
    if (name.size() < 14) return false; // of most fields: cheaper than the list
    const bool isField = std::find(kModuleFields.begin(), kModuleFields.end(), name) != kModuleFields.end();
    return (isField && name.find("_hooks") != std::string_view::npos) || name == "_deepcopy_hooks";
}

bool isTensorHook(std::string_view type) {
    constexpr std::string_view kPruning = "torch.nn.utils.prune.";
    return type == "torch.nn.utils.weight_norm.WeightNorm" || type == "torch.nn.utils.spectral_norm.SpectralNorm" ||
           (type.starts_with(kPruning) && type.find('.', kPruning.size()) == type.npos);
}

const Argument* newHooksOf(const Module& module, std::string_view field) {
    if (field != "_forward_pre_hooks") return nullptr;
    const Argument* value = module.setting(field);
    const auto* hooks = value ? value->as<Dict>() : nullptr;
    const auto isHook = [](const auto& entry) {
        const auto* parts = entry.second.asTuple();
        const auto* type = parts && parts->items.size() == 2 ? parts->items[0].template as<std::string>() : nullptr;
        return type && isTensorHook(*type) && parts->items[1].template as<Dict>();
    };
    return hooks && std::all_of(hooks->items.begin(), hooks->items.end(), isHook) ? value : nullptr;
}

bool isGraphModuleField(std::string_view name) {
    return std::find(kGraphModuleFields.begin(), kGraphModuleFields.end(), name) != kGraphModuleFields.end();
}

bool isOwnField(std::string_view name, bool ofGraphModule) {
    constexpr std::string_view kCalled[] = {"forward", "_call_impl", "_wrapped_call_impl", "_compiled_call_impl",
                                            "_slow_forward"};
    if (isHookField(name)) return false;
    if (std::find(std::begin(kCalled), std::end(kCalled), name) != std::end(kCalled)) return true;
    return (ofGraphModule && isGraphModuleField(name)) ||
           std::find(kModuleFields.begin(), kModuleFields.end(), name) != kModuleFields.end();
}

std::string currentModule(std::string_view module) {
    for (const auto& [old, current] : kMoved)
        if (module.starts_with(old)) return std::string(current) + std::string(module.substr(old.size()));
    return std::string(module);
}

} // namespace fx
