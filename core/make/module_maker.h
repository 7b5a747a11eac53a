// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/make/module_factory.h"
#include "core/ops/nn_modules.h"

#include <string_view>

namespace fx::make {

using Sizes = std::vector<std::int64_t>;

Error refused(const std::string& what);

/// The construction of one module: its class, the arguments of its constructor including defaults, and the result.
/// Weights are drawn in the order in which PyTorch's constructor draws them.
class ModuleMaker {
public:
    ModuleMaker(const ops::NnModule& type, const ModuleSettings& settings, TorchGenerator& random);

    std::shared_ptr<Module> done() { return std::move(m_module); }

    // ── settings ──
    const ops::NnModule& type() const { return m_type; }
    const Argument& setting(std::string_view name) const;
    bool has(std::string_view name) const;
    /// A module that was passed as a setting, or null.
    std::shared_ptr<Module> module(std::string_view name) const;
    /// A number that is not negative.
    std::int64_t integer(std::string_view name) const;
    std::int64_t positive(std::string_view name) const;
    double real(std::string_view name) const;
    std::string text(std::string_view name) const;
    bool flag(std::string_view name) const;
    /// A number for all dimensions, or a list of that length (0: any length).
    Sizes sizes(std::string_view name, std::size_t count) const;
    [[noreturn]] void cannotMake(const std::string& why = "its constructor computes more than is known") const;
    /// Refuses a setting whose value is a tensor or an object; accepts None.
    void needNone(std::string_view name) const;

    // ── result ──
    TorchGenerator& random() { return m_random; }
    Module& made() { return *m_module; }
    void keep(std::string_view name) { keep(name, setting(name)); }
    void keep(std::string_view name, Argument value) {
        m_module->attributes.emplace_back(std::string(name), std::move(value));
    }
    void parameter(const std::string& name, TensorPtr tensor) {
        m_module->parameters.push_back({name, std::move(tensor), true});
    }
    void buffer(const std::string& name, TensorPtr tensor) {
        m_module->buffers.push_back({name, std::move(tensor), true});
    }
    void child(const std::string& name, std::shared_ptr<Module> module) {
        m_module->children.push_back({name, std::move(module)});
    }
    /// Creates a module of another class with the same generator.
    std::shared_ptr<Module> make(std::string_view type, const ModuleSettings& settings) {
        return makeModule(type, settings, m_random);
    }
    /// Uniform weights between -bound and bound, drawn in order.
    TensorPtr within(const Sizes& sizes, double bound) { return m_random.uniform(sizes, -bound, bound); }
    /// nn.init.xavier_uniform_ and xavier_normal_ of a new parameter with at least two dimensions.
    TensorPtr xavierUniform(const Sizes& sizes);
    TensorPtr xavierNormal(const Sizes& sizes);

private:
    Argument valueOf(const ops::Parameter& parameter, const ModuleSettings& settings) const;

    ops::NnModule m_type;
    TorchGenerator& m_random;
    ModuleSettings m_settings;
    std::shared_ptr<Module> m_module = std::make_shared<Module>();
};

inline Argument tupleOf(const Sizes& values) { return Argument::tuple({values.begin(), values.end()}); }
/// 2 for "Conv2d".
inline std::size_t dimensionsOf(std::string_view name) { return static_cast<std::size_t>(name[name.size() - 2] - '0'); }

/// The constructor for a set of classes.
struct Recipe {
    std::string_view names; ///< of torch.nn classes: "LSTM GRU RNN"; a final `*` stands for 1d, 2d and 3d
    void (*make)(ModuleMaker& maker);
};
const std::vector<Recipe>& weightedRecipes();
const std::vector<Recipe>& recurrentRecipes();
const std::vector<Recipe>& transformerRecipes();
const std::vector<Recipe>& plainRecipes();
/// For classes that only store their arguments.
void keepSettings(ModuleMaker& maker);

} // namespace fx::make
