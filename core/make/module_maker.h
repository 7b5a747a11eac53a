// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/make/module_factory.h"
#include "core/ops/nn_modules.h"

#include <string_view>

namespace fx::make {

using Sizes = std::vector<std::int64_t>;

/// Returns an Error{Refused}.
Error refused(const Message& what);

/// The construction of one module: its class, the arguments of its constructor including defaults, and the result.
/// Weights are drawn in the order of PyTorch's constructor.
class ModuleMaker {
public:
    ModuleMaker(const ops::NnModule& type, const ModuleSettings& settings, TorchGenerator& random);

    /// Releases the finished module.
    std::shared_ptr<Module> done() { return std::move(m_module); }

    // ── settings ──
    /// The class being constructed.
    const ops::NnModule& type() const { return m_type; }
    /// Returns the value of a setting, passed or default; None if it has no value.
    const Argument& setting(std::string_view name) const;
    /// Returns true if the setting has a value, passed or default.
    bool has(std::string_view name) const;
    /// Returns a module that was passed as a setting, or null.
    std::shared_ptr<Module> module(std::string_view name) const;
    /// Returns an integer setting; refuses negative values.
    std::int64_t integer(std::string_view name) const;
    /// Returns an integer setting; refuses values below 1.
    std::int64_t positive(std::string_view name) const;
    /// Returns the number of modules or layers to create; refuses values above 10,000.
    std::int64_t layers(std::string_view name) const;
    /// Returns a number as a double; refuses other values.
    double real(std::string_view name) const;
    /// Returns a string setting; refuses other values.
    std::string text(std::string_view name) const;
    /// Returns a bool setting; refuses other values.
    bool flag(std::string_view name) const;
    /// Returns a setting that is one number for all dimensions or a list of `count` numbers (0 allows any length).
    Sizes sizes(std::string_view name, std::size_t count, bool maybeOne = false) const;
    /// Throws Error{Refused} with the class and the reason.
    [[noreturn]] void cannotMake(const Message& why = Message("make.computed_constructor")) const;
    /// Refuses a setting whose value is a tensor or an object. Accepts None.
    void needNone(std::string_view name) const;

    // ── result ──
    TorchGenerator& random() { return m_random; } ///< the generator for weights
    Module& made() { return *m_module; }          ///< the module being constructed
    /// Stores a setting as an attribute of the same name.
    void keep(std::string_view name) { keep(name, setting(name)); }
    /// Stores an attribute.
    void keep(std::string_view name, Argument value) {
        m_module->attributes.emplace_back(std::string(name), std::move(value));
    }
    /// Registers a parameter.
    void parameter(const std::string& name, TensorPtr tensor) {
        m_module->parameters.push_back({name, std::move(tensor), true});
    }
    /// Registers a buffer.
    void buffer(const std::string& name, TensorPtr tensor) {
        m_module->buffers.push_back({name, std::move(tensor), true});
    }
    /// Registers a child.
    void child(const std::string& name, std::shared_ptr<Module> module) {
        m_module->children.push_back({name, std::move(module)});
    }
    /// Creates a module of another class with the same generator.
    std::shared_ptr<Module> make(std::string_view type, const ModuleSettings& settings) {
        return makeModule(type, settings, m_random);
    }
    /// Draws uniform weights between -bound and bound.
    TensorPtr within(const Sizes& sizes, double bound) { return m_random.uniform(sizes, -bound, bound); }
    /// Draws nn.init.xavier_uniform_ for a new parameter with at least two dimensions.
    TensorPtr xavierUniform(const Sizes& sizes);
    /// Draws nn.init.xavier_normal_ for a new parameter with at least two dimensions.
    TensorPtr xavierNormal(const Sizes& sizes);

private:
    Argument valueOf(const ops::Parameter& parameter, const ModuleSettings& settings) const;

    ops::NnModule m_type;
    TorchGenerator& m_random;
    ModuleSettings m_settings;
    std::shared_ptr<Module> m_module = std::make_shared<Module>();
};

/// Converts sizes to a tuple.
inline Argument tupleOf(const Sizes& values) { return Argument::tuple({values.begin(), values.end()}); }
/// Returns the number of dimensions in a class name: 2 for "Conv2d".
inline std::size_t dimensionsOf(std::string_view name) { return static_cast<std::size_t>(name[name.size() - 2] - '0'); }

/// The constructor of a set of classes.
struct Recipe {
    std::string_view names; ///< names of torch.nn classes: "LSTM GRU RNN"; a final `*` stands for 1d, 2d and 3d
    void (*make)(ModuleMaker& maker); ///< fills `maker.made()`
};
/// Layers with weights, such as Linear and Conv2d.
const std::vector<Recipe>& weightedRecipes();
/// Recurrent layers.
const std::vector<Recipe>& recurrentRecipes();
/// Attention and transformer layers.
const std::vector<Recipe>& transformerRecipes();
/// Pooling, padding, losses and similar layers.
const std::vector<Recipe>& plainRecipes();
/// The constructor of classes that only store their arguments.
void keepSettings(ModuleMaker& maker);

} // namespace fx::make
