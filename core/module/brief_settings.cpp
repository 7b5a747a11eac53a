// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/brief_settings.h"

#include "core/base/listed.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"

#include <algorithm>
#include <utility>

namespace fx {
namespace {

/// How a setting is written.
enum class Form : std::uint8_t {
    Hidden,  ///< not at all
    Padding, ///< as it is, if the constructor requires it: that of a padding layer
    From,    ///< the left side of "3→32"
    To,      ///< the right side
    Rows,    ///< the left side of "1000×64"
    Columns, ///< the right side
    Plain,   ///< as it is: "512"
    Factor,  ///< "×2"
    Kernel,  ///< "3×3", as many as the class has dimensions
    Output,  ///< "→7×7"
    Stride,  ///< "/2", unless it is 1
    Counted, ///< "8 heads"
    Named,   ///< "p=0.1"; "bidirectional" for True
};
struct Rule {
    std::string_view setting;
    Form form;
    std::string_view word{}; ///< of Counted
};
/// Settings that are not listed are written by name where they differ from their defaults.
constexpr Rule kRules[] = {
    {"in_channels", Form::From},
    {"in_features", Form::From},
    {"in1_features", Form::From},
    {"in2_features", Form::From},
    {"input_size", Form::From},
    {"out_channels", Form::To},
    {"out_features", Form::To},
    {"hidden_size", Form::To},
    {"n_classes", Form::To},
    {"num_embeddings", Form::Rows},
    {"embedding_dim", Form::Columns},
    {"kernel_size", Form::Kernel},
    {"output_size", Form::Output},
    {"stride", Form::Stride},
    {"upscale_factor", Form::Factor},
    {"downscale_factor", Form::Factor},
    {"embed_dim", Form::Plain},
    {"d_model", Form::Plain},
    {"normalized_shape", Form::Plain},
    {"num_heads", Form::Counted, "heads"},
    {"nhead", Form::Counted, "heads"},
    {"num_groups", Form::Counted, "groups"},
    {"num_layers", Form::Counted, "layers"},
    {"p", Form::Named},
    {"padding", Form::Padding},
    {"output_padding", Form::Hidden},
    {"bias", Form::Hidden},
    {"inplace", Form::Hidden},
    {"momentum", Form::Hidden},
    {"affine", Form::Hidden},
    {"elementwise_affine", Form::Hidden},
    {"track_running_stats", Form::Hidden},
    {"num_features", Form::Hidden},
    {"num_channels", Form::Hidden},
    {"ceil_mode", Form::Hidden},
    {"count_include_pad", Form::Hidden},
    {"return_indices", Form::Hidden},
    {"sparse", Form::Hidden},
    {"batch_first", Form::Hidden},
    {"reduce", Form::Hidden},
    {"size_average", Form::Hidden},
    {"qconfig", Form::Hidden},
};

const Rule* ruleOf(std::string_view setting) {
    const auto* found =
        std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return rule.setting == setting; });
    return found == std::end(kRules) ? nullptr : found;
}

/// Numbers, texts, truth values and what names a type, and sequences of these; nothing that prints at length.
bool isShort(const Argument& value) {
    if (const auto* sequence = value.as<Sequence>())
        return sequence->items.size() <= 4 && std::none_of(sequence->items.begin(), sequence->items.end(),
                                                           [](const Argument& item) { return item.as<Sequence>(); });
    return value.as<bool>() || value.as<std::int64_t>() || value.as<double>() || value.as<TorchConstant>() ||
           (value.as<std::string>() && value.as<std::string>()->size() <= 24);
}

std::string printed(const Argument& value) {
    static const Graph noNodes;
    if (const auto* constant = value.as<TorchConstant>(); constant && constant->name.starts_with("torch."))
        return constant->name.substr(6);
    return reprOf(noNodes, value);
}

/// The dimensions of "Conv2d", "AdaptiveAvgPool1d"; 1 for other classes.
std::size_t dimensionsOf(std::string_view className) {
    for (std::size_t i = 0; i + 1 < className.size(); ++i)
        if (className[i] >= '1' && className[i] <= '3' && className[i + 1] == 'd')
            return static_cast<std::size_t>(className[i] - '0');
    return 1;
}

/// "3×3"; a single number as many times as there are dimensions.
std::string sizeText(const Argument& value, std::size_t dimensions) {
    const auto* sequence = value.as<Sequence>();
    std::string text;
    for (std::size_t i = 0; i < (sequence ? sequence->items.size() : dimensions); ++i)
        text += (i > 0 ? "×" : "") + printed(sequence ? sequence->items[i] : value);
    return text;
}

bool isOne(const Argument& value) {
    const auto* sequence = value.as<Sequence>();
    return sequence ? std::all_of(sequence->items.begin(), sequence->items.end(),
                                  [](const Argument& item) { return item == Argument(1); })
                    : value == Argument(1);
}

/// A number for all dimensions is written once.
std::string strideText(const Argument& value) {
    const auto* sequence = value.as<Sequence>();
    const bool even = sequence && !sequence->items.empty() &&
                      std::all_of(sequence->items.begin(), sequence->items.end(),
                                  [&](const Argument& item) { return item == sequence->items[0]; });
    return "/" + (even ? printed(sequence->items[0]) : sizeText(value, 1));
}

/// What the classes of torch.utils.mkldnn took from the dense module that they were made of: sizes are those of the
/// weight, and what equals its default there is not told.
std::vector<Setting> mkldnnSettings(const Module& module) {
    std::vector<Setting> settings;
    std::int64_t groups = 1;
    for (Setting& setting : constructorSettings(module)) {
        if (const auto* count = setting.value.as<std::int64_t>(); count && setting.name == "groups") groups = *count;
        if (ruleOf(setting.name)) settings.push_back(std::move(setting));
        else if ((setting.name == "dilation" || setting.name == "groups") && !isOne(setting.value))
            settings.push_back(std::move(setting));
    }
    const Module::Slot* slot = module.buffer("weight");
    const bool isConvolution = module.className.starts_with("MkldnnConv");
    if (!slot || !slot->tensor || (!isConvolution && module.className != "MkldnnLinear")) return settings;
    const auto& sizes = slot->tensor->sizes;
    if (sizes.size() < 2) return settings;
    std::vector<Setting> out{{"in_features", sizes[1] * groups}, {"out_features", sizes[0]}};
    if (sizes.size() > 2)
        out.push_back({"kernel_size", Argument::tuple(std::vector<Argument>(sizes.begin() + 2, sizes.end()))});
    out.insert(out.end(), std::make_move_iterator(settings.begin()), std::make_move_iterator(settings.end()));
    return out;
}

class Brief {
public:
    explicit Brief(const Module& module)
        : m_className(module.className), m_isTorch(module.classModule.starts_with("torch.")) {
        const bool isMkldnn = module.classModule == "torch.utils.mkldnn";
        for (const Setting& setting : isMkldnn ? mkldnnSettings(module) : constructorSettings(module))
            if (isShort(setting.value)) add(setting);
    }
    std::string text() const { return joined(m_parts, " "); }

private:
    void add(const Setting& setting) {
        const Rule* rule = ruleOf(setting.name);
        const Argument& value = setting.value;
        switch (rule ? rule->form : Form::Named) {
        case Form::Hidden: return;
        case Form::Padding:
            if (setting.required) put(sizeText(value, 1));
            return;
        case Form::From:
        case Form::Rows: m_left += (m_left.empty() ? "" : ",") + printed(value); return;
        case Form::To:
            if (!m_left.empty()) put(std::exchange(m_left, {}) + "→" + printed(value));
            else if (m_isTorch) put("→" + printed(value));
            return;
        case Form::Columns:
            if (!m_left.empty()) put(std::exchange(m_left, {}) + "×" + printed(value));
            return;
        case Form::Plain: return put(sizeText(value, 1));
        case Form::Factor: return put("×" + printed(value));
        case Form::Kernel: return put(sizeText(value, dimensionsOf(m_className)));
        case Form::Output: return put("→" + sizeText(value, dimensionsOf(m_className)));
        case Form::Stride:
            if (!isOne(value)) put(strideText(value));
            return;
        case Form::Counted:
            if (!isOne(value)) put(printed(value) + " " + std::string(rule->word));
            return;
        case Form::Named: return addNamed(setting, rule);
        }
    }
    void addNamed(const Setting& setting, const Rule* rule) {
        if (!m_isTorch || isDefault(setting, rule)) return;
        const auto* flag = setting.value.as<bool>();
        if (flag && *flag) return put(setting.name);
        const auto* sequence = setting.value.as<Sequence>();
        put(setting.name + "=" +
            (sequence && !sequence->items.empty() ? sizeText(setting.value, 1) : printed(setting.value)));
    }
    static bool isDefault(const Setting& setting, const Rule* rule) {
        return rule == nullptr && (setting.isDefault || setting.value.isNone());
    }
    void put(std::string part) { m_parts.push_back(std::move(part)); }

    const std::string& m_className;
    bool m_isTorch;
    std::string m_left; ///< of a pair whose right side comes later
    std::vector<std::string> m_parts;
};

} // namespace

std::string briefSettings(const Module& module) { return module.graphModule ? std::string() : Brief(module).text(); }

} // namespace fx
