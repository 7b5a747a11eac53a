// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/module_factory.h"

#include "core/diag/error.h"
#include "core/make/initial_weights.h"
#include "core/ops/nn_modules.h"
#include "core/trace/value_source.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx {
namespace {

using Settings = std::vector<std::pair<std::string, Argument>>;
using Sizes = std::vector<std::int64_t>;

Error refused(const std::string& what) { return Error(ErrorKind::Refused, what); }

/// The making of one module: its class, the arguments of its constructor with defaults filled in, and what is made.
class Maker {
public:
    Maker(const ops::NnModule& type, const Settings& settings, TorchGenerator& random) : m_type(type), m_random(random) {
        m_module->className = type.name();
        m_module->classModule = std::string(type.path().substr(0, type.path().rfind('.')));
        const auto parameters = type.parameters();
        for (const auto& [name, value] : settings)
            if (std::none_of(parameters.begin(), parameters.end(), [&, wanted = std::string_view(name)](const auto& p) { return p.name == wanted; }))
                throw refused(std::string(type.publicPath()) + " has no setting '" + name + "'").hinting("it has " + listed(parameters));
        for (const auto& parameter : parameters) m_settings.emplace_back(parameter.name, valueOf(parameter, settings));
    }

    std::shared_ptr<Module> make() {
        const std::string_view name = m_type.name();
        if (name == "Linear") linear();
        else if (name.starts_with("Conv") && name.ends_with("d")) convolution(name.starts_with("ConvTranspose"), dimensionsOf(name));
        else if (name.starts_with("BatchNorm") || name.starts_with("InstanceNorm")) batchNorm();
        else if (name == "LayerNorm") layerNorm();
        else if (name == "GroupNorm") groupNorm();
        else if (name == "PReLU") prelu();
        else if (name == "Embedding") embedding();
        else withoutWeights();
        return std::move(m_module);
    }

private:
    static std::string listed(const std::vector<ops::Parameter>& parameters) {
        std::string text;
        for (const auto& parameter : parameters) text += (text.empty() ? "" : ", ") + std::string(parameter.name);
        return text;
    }

    Argument valueOf(const ops::Parameter& parameter, const Settings& settings) const {
        for (const auto& [name, value] : settings)
            if (name == parameter.name) return value;
        if (parameter.defaultValue.empty() && parameter.kind != ops::Parameter::Kind::VarPositional && parameter.kind != ops::Parameter::Kind::VarKeyword)
            throw refused(std::string(m_type.publicPath()) + " needs the setting '" + std::string(parameter.name) + "'");
        return parameter.defaultValue.empty() ? Argument() : valueFromSource(parameter.defaultValue);
    }

    const Argument& setting(std::string_view name) const {
        static const Argument kNone;
        for (const auto& [key, value] : m_settings)
            if (key == name) return value;
        return kNone;
    }
    std::int64_t integer(std::string_view name) const {
        const auto* value = setting(name).as<std::int64_t>();
        if (!value || *value < 0) throw refused("the setting '" + std::string(name) + "' of " + std::string(m_type.publicPath()) + " is to be a number that is not negative");
        return *value;
    }
    bool flag(std::string_view name) const {
        const auto* value = setting(name).as<bool>();
        return value ? *value : !setting(name).isNone();
    }
    /// A number as often as there are dimensions, or a list of that length.
    Sizes sizes(std::string_view name, std::size_t count) const {
        if (const auto* one = setting(name).as<std::int64_t>()) return Sizes(count, *one);
        const auto* several = setting(name).as<Sequence>();
        Sizes out;
        if (several)
            for (const auto& item : several->items)
                if (const auto* number = item.as<std::int64_t>()) out.push_back(*number);
        if (!several || out.size() != several->items.size() || (count && out.size() != count))
            throw refused("the setting '" + std::string(name) + "' of " + std::string(m_type.publicPath()) + " is to be a number or " + std::to_string(count) + " of them");
        return out;
    }
    static Argument tupleOf(const Sizes& values) { return Argument::tuple({values.begin(), values.end()}); }
    static std::size_t dimensionsOf(std::string_view name) { return static_cast<std::size_t>(name[name.size() - 2] - '0'); }

    void keep(std::string_view name) { keep(name, setting(name)); }
    void keep(std::string_view name, Argument value) { m_module->attributes.emplace_back(std::string(name), std::move(value)); }
    void parameter(const char* name, TensorPtr tensor) { m_module->parameters.push_back({name, std::move(tensor), true}); }

    /// kaiming_uniform_(a=sqrt(5)) and the bias that goes with it.
    void kaiming(const Sizes& weight, std::int64_t fanIn, std::int64_t biasSize) {
        const double slope = std::sqrt(5.0), gain = std::sqrt(2.0 / (1 + slope * slope)); // rounded as PyTorch's own
        const double bound = fanIn > 0 ? std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fanIn))) : 0;
        parameter("weight", m_random.uniform(weight, -bound, bound));
        const double biasBound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
        parameter("bias", flag("bias") ? m_random.uniform({biasSize}, -biasBound, biasBound) : nullptr);
    }

    void linear() {
        keep("in_features");
        keep("out_features");
        kaiming({integer("out_features"), integer("in_features")}, integer("in_features"), integer("out_features"));
    }

    void convolution(bool transposed, std::size_t dimensions) {
        const std::int64_t in = integer("in_channels"), out = integer("out_channels"), groups = integer("groups");
        if (groups == 0 || in % groups || out % groups) throw refused("in_channels and out_channels are to be divisible by groups");
        const Sizes kernel = sizes("kernel_size", dimensions), dilation = sizes("dilation", dimensions);
        const auto* named = setting("padding").as<std::string>();
        const Sizes padding = named ? Sizes(dimensions, 0) : sizes("padding", dimensions);
        keep("in_channels");
        keep("out_channels");
        keep("kernel_size", tupleOf(kernel));
        keep("stride", tupleOf(sizes("stride", dimensions)));
        keep("padding", named ? Argument(*named) : tupleOf(padding));
        keep("dilation", tupleOf(dilation));
        keep("transposed", transposed);
        keep("output_padding", transposed ? tupleOf(sizes("output_padding", dimensions)) : tupleOf(Sizes(dimensions, 0)));
        keep("groups");
        keep("padding_mode");
        keep("_reversed_padding_repeated_twice", reversedPadding(named, padding, kernel, dilation));
        Sizes weight = transposed ? Sizes{in, out / groups} : Sizes{out, in / groups};
        weight.insert(weight.end(), kernel.begin(), kernel.end());
        std::int64_t fanIn = weight[1];
        for (const auto size : kernel) fanIn *= size;
        kaiming(weight, fanIn, out);
    }

    /// What F.pad takes for padding modes other than zeros: last dimension first, each twice.
    static Argument reversedPadding(const std::string* named, const Sizes& padding, const Sizes& kernel, const Sizes& dilation) {
        std::vector<Argument> out;
        for (std::size_t i = padding.size(); i-- > 0;) {
            const std::int64_t total = named && *named == "same" ? dilation[i] * (kernel[i] - 1) : 0;
            out.push_back(named ? total / 2 : padding[i]);
            out.push_back(named ? total - total / 2 : padding[i]);
        }
        return named ? Argument::list(std::move(out)) : Argument::tuple(std::move(out));
    }

    void batchNorm() {
        const Sizes size{integer("num_features")};
        for (const char* name : {"num_features", "eps", "momentum", "affine", "track_running_stats"}) keep(name);
        const bool affine = flag("affine");
        parameter("weight", affine ? filledTensor(size, 1, true) : nullptr);
        parameter("bias", affine && (setting("bias").isNone() || flag("bias")) ? filledTensor(size, 0, true) : nullptr);
        const bool tracks = flag("track_running_stats");
        m_module->buffers.push_back({"running_mean", tracks ? filledTensor(size, 0, false) : nullptr, true});
        m_module->buffers.push_back({"running_var", tracks ? filledTensor(size, 1, false) : nullptr, true});
        m_module->buffers.push_back({"num_batches_tracked", tracks ? zeroCounter() : nullptr, true});
    }

    void layerNorm() {
        const Sizes shape = setting("normalized_shape").as<std::int64_t>() ? Sizes{integer("normalized_shape")} : sizes("normalized_shape", 0);
        keep("normalized_shape", tupleOf(shape));
        keep("eps");
        keep("elementwise_affine");
        const bool affine = flag("elementwise_affine");
        parameter("weight", affine ? filledTensor(shape, 1, true) : nullptr);
        parameter("bias", affine && flag("bias") ? filledTensor(shape, 0, true) : nullptr);
    }

    void groupNorm() {
        for (const char* name : {"num_groups", "num_channels", "eps", "affine"}) keep(name);
        const Sizes size{integer("num_channels")};
        parameter("weight", flag("affine") ? filledTensor(size, 1, true) : nullptr);
        parameter("bias", flag("affine") ? filledTensor(size, 0, true) : nullptr);
    }

    void prelu() {
        keep("num_parameters");
        const auto* init = setting("init").as<double>();
        parameter("weight", filledTensor({integer("num_parameters")}, init ? static_cast<float>(*init) : 0.25f, true));
    }

    void embedding() {
        if (!setting("padding_idx").isNone() || !setting("_weight").isNone()) cannotMake();
        for (const char* name : {"num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq"}) keep(name);
        parameter("weight", m_random.normal({integer("num_embeddings"), integer("embedding_dim")}, 0, 1));
        keep("sparse");
    }

    /// Classes that keep what they are given.
    void withoutWeights() {
        const std::string_view name = m_type.name();
        const bool pools = name.starts_with("MaxPool") || name.starts_with("AvgPool");
        const bool pads = name.find("Pad") != std::string_view::npos && name.ends_with("d");
        for (const auto& attribute : m_type.attributes()) {
            if (attribute.kind != ops::NnModule::Attribute::Kind::Setting || name.starts_with("MaxUnpool")) cannotMake();
            const bool isParameter = std::any_of(m_settings.begin(), m_settings.end(), [&](const auto& item) { return item.first == attribute.name; });
            if (pools && attribute.name == "stride" && setting("stride").isNone()) keep("stride", setting("kernel_size"));
            else if (pads && attribute.name == "padding") keep("padding", tupleOf(sizes("padding", setting("padding").as<std::int64_t>() ? 2 * dimensionsOf(name) : 0)));
            else if (name.starts_with("ZeroPad") && attribute.name == "value") keep("value", 0.0);
            else if (name == "ReLU6" && attribute.name != "inplace") keep(attribute.name, attribute.name == "min_val" ? 0.0 : 6.0);
            else if (isParameter) keep(attribute.name);
            else cannotMake();
        }
        if (name == "AvgPool1d")
            for (auto& [key, value] : m_module->attributes)
                if (const auto* number = std::get<Argument>(value).as<std::int64_t>()) value = Argument::tuple({*number});
    }

    [[noreturn]] void cannotMake() const {
        throw refused("a new " + std::string(m_type.publicPath()) + " cannot be made here: its constructor computes more than is known")
            .hinting("save one with torch.save and take it as a replacement model");
    }

    ops::NnModule m_type;
    TorchGenerator& m_random;
    Settings m_settings;
    std::shared_ptr<Module> m_module = std::make_shared<Module>();
};

} // namespace

std::shared_ptr<Module> makeModule(std::string_view type, const Settings& settings, std::uint64_t seed) {
    TorchGenerator random(seed);
    return makeModule(type, settings, random);
}

std::shared_ptr<Module> makeModule(std::string_view type, const Settings& settings, TorchGenerator& random) {
    const auto known = ops::findModule(type);
    if (!known) throw refused("'" + std::string(type) + "' is no module class of PyTorch").hinting("write it as torch.nn.Conv2d");
    return Maker(*known, settings, random).make();
}

} // namespace fx
