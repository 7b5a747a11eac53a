// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/folder_modules.h"

namespace fx {

namespace {

/// The settings of a repr, positional ones under the names given; what is left out has its default.
class Settings {
public:
    Settings(const FolderSource::Entry& entry, std::initializer_list<const char*> positional) {
        std::size_t i = 0;
        for (const char* name : positional)
            if (i < entry.args.size()) m_values.emplace_back(name, entry.args[i++]);
        m_values.insert(m_values.end(), entry.kwargs.begin(), entry.kwargs.end());
    }
    Argument get(std::string_view name, Argument otherwise = {}) const {
        for (const auto& [key, value] : m_values)
            if (key == name) return value;
        return otherwise;
    }
    bool flag(std::string_view name, bool otherwise) const {
        const Argument value = get(name, otherwise);
        const bool* truth = value.as<bool>();
        return truth ? *truth : otherwise;
    }

private:
    Kwargs m_values;
};

void set(Module& module, const char* name, Argument value) { module.attributes.emplace_back(name, std::move(value)); }

Argument repeated(std::int64_t value, std::size_t count) {
    return Argument::tuple(std::vector<Argument>(count, Argument(value)));
}

void makeLinear(Module& module, const FolderSource::Entry& entry) {
    const Settings settings(entry, {"in_features", "out_features"});
    module.classModule = "torch.nn.modules.linear";
    set(module, "in_features", settings.get("in_features"));
    set(module, "out_features", settings.get("out_features"));
    module.parameters = {{"weight", nullptr}, {"bias", nullptr}};
}

/// `_reversed_padding_repeated_twice` as _ConvNd computes it.
Argument reversedPadding(const Argument& padding, const Argument& kernel, const Argument& dilation,
                         std::size_t dimensions) {
    std::vector<Argument> twice;
    const Sequence* sizes = padding.asTuple();
    const Sequence *kernels = kernel.asTuple(), *dilations = dilation.asTuple();
    for (std::size_t i = dimensions; i-- > 0;) {
        if (sizes && i < sizes->items.size()) {
            twice.insert(twice.end(), 2, sizes->items[i]);
            continue;
        }
        const auto number = [i](const Sequence* from) {
            const auto* value = from && i < from->items.size() ? from->items[i].as<std::int64_t>() : nullptr;
            return value ? *value : 1;
        };
        const std::string* mode = padding.as<std::string>();
        const std::int64_t total = mode && *mode == "same" ? number(dilations) * (number(kernels) - 1) : 0;
        twice.insert(twice.end(), {Argument(total / 2), Argument(total - total / 2)});
    }
    return padding.as<std::string>() ? Argument::list(std::move(twice)) : Argument::tuple(std::move(twice));
}

void makeConv(Module& module, const FolderSource::Entry& entry) {
    const Settings settings(entry, {"in_channels", "out_channels"});
    const auto dimensions = static_cast<std::size_t>(entry.className[4] - '0');
    module.classModule = "torch.nn.modules.conv";
    const Argument padding = settings.get("padding", repeated(0, dimensions));
    for (const char* name : {"in_channels", "out_channels", "kernel_size", "stride"})
        set(module, name, settings.get(name));
    const Argument dilation = settings.get("dilation", repeated(1, dimensions));
    set(module, "padding", padding);
    set(module, "dilation", dilation);
    set(module, "transposed", false);
    set(module, "output_padding", settings.get("output_padding", repeated(0, dimensions)));
    set(module, "groups", settings.get("groups", 1));
    set(module, "padding_mode", settings.get("padding_mode", "zeros"));
    set(module, "_reversed_padding_repeated_twice",
        reversedPadding(padding, settings.get("kernel_size"), dilation, dimensions));
    module.parameters = {{"weight", nullptr}, {"bias", nullptr}};
}

void makeBatchNorm(Module& module, const FolderSource::Entry& entry) {
    const Settings settings(entry, {"num_features"});
    module.classModule = "torch.nn.modules.batchnorm";
    set(module, "num_features", settings.get("num_features"));
    set(module, "eps", settings.get("eps", 1e-5));
    set(module, "momentum", settings.get("momentum", 0.1));
    set(module, "affine", settings.flag("affine", true));
    set(module, "track_running_stats", settings.flag("track_running_stats", true));
    module.parameters = {{"weight", nullptr}, {"bias", nullptr}};
    module.buffers = {{"running_mean", nullptr}, {"running_var", nullptr}, {"num_batches_tracked", nullptr}};
}

} // namespace

std::shared_ptr<Module> folderModule(const FolderSource::Entry& entry) {
    auto module = std::make_shared<Module>();
    module->className = entry.className;
    const std::string& name = entry.className;
    if (name == "Linear") makeLinear(*module, entry);
    else if (name == "Conv1d" || name == "Conv2d" || name == "Conv3d") makeConv(*module, entry);
    else if (name == "BatchNorm1d" || name == "BatchNorm2d" || name == "BatchNorm3d") makeBatchNorm(*module, entry);
    else return nullptr;
    return module;
}

} // namespace fx
