// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/parameter_list.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The module classes of PyTorch 2.13.0 (torch.nn, torch.ao.nn, torch.ao.quantization): constructors, attributes, and
/// the text of repr(). tools/nn_modules.py writes the data, core/ops/nn_modules.tsv, and compares it with the output of
/// PyTorch.
namespace fx::ops {

/// A module class: a handle, cheap to copy. All texts have static lifetime.
class NnModule {
public:
    /// An attribute of a new instance.
    struct Attribute {
        enum class Kind { Parameter, Buffer, Setting, Module };
        std::string_view name; ///< name in the instance
        Kind kind = Kind::Setting;
    };
    /// A parameter of the constructor and the attribute that shows its value.
    struct Setting {
        std::string_view parameter; ///< name in the constructor
        std::string_view attribute; ///< path of the attribute with its value
        bool isPresence = false;    ///< the value is `attribute is not None` (`bias` of a Linear)
    };
    /// A value in the forms that the text of repr() needs.
    struct Value {
        std::string text; ///< Python's str()
        std::string repr; ///< Python's repr()
        bool isNone = false;
        bool isTrue = true; ///< its truth value
    };
    /// Returns the attribute of an instance by its path (`padding`, `activation_post_process.quant_min`), or nullopt.
    using Lookup = std::function<std::optional<Value>(std::string_view path)>;

    explicit NnModule(std::uint32_t row) : m_row(row) {}

    std::string_view path() const;       ///< `torch.nn.modules.linear.Linear`
    std::string_view publicPath() const; ///< `torch.nn.Linear`
    /// The last atom of the path: `Linear`.
    std::string_view name() const { return path().substr(path().rfind('.') + 1); }
    std::vector<std::string_view> constants() const; ///< `__constants__`, in order
    /// The parameters of the constructor.
    std::vector<Parameter> parameters() const;
    /// The parameters that `inspect.signature` shows: `*args, **kwargs` for classes like LSTM that hand them on.
    std::vector<Parameter> signature() const;
    /// The paths of `__bases__` that are modules, in order; empty for nn.Module.
    std::vector<std::string_view> bases() const;
    /// The annotations of `parameters()`, one per parameter; empty without annotation.
    std::vector<std::string_view> annotations() const;
    /// The parameters of forward(), without self.
    std::vector<Parameter> forwardParameters() const;
    /// The text after `def forward` of a class of torch.nn whose forward is one call, or returns its input, after
    /// checks:
    /// "(self, input: Tensor) -> Tensor:\n    return F.relu(input, inplace=self.inplace)". Empty for others.
    std::string_view forwardText() const;
    /// The attributes of an instance with plain settings, in state order. Empty if plain settings do not suffice to
    /// construct one.
    std::vector<Attribute> attributes() const;
    /// The settings that an instance shows, in the order of the constructor's parameters.
    std::vector<Setting> settings() const;
    /// Returns the text between the parentheses of repr() (`extra_repr()`); nullopt if it depends on more than
    /// attributes, as with quantised weights. Attributes that `lookup` lacks print as `?`.
    std::optional<std::string> extraRepr(const Lookup& lookup) const;

    bool operator==(const NnModule&) const = default;

private:
    std::string_view cell(std::size_t column) const;
    std::uint32_t m_row;
};

/// Finds a class by any dotted path that leads to it: `torch.nn.Linear`. O(log n).
std::optional<NnModule> findModule(std::string_view dottedPath);

/// Finds a class of `torch.nn.modules` by its name: `Linear`, `_ConvNd`. O(log n).
std::optional<NnModule> findModuleNamed(std::string_view name);

/// The number of classes.
std::uint32_t moduleCount();
/// Returns the class at an index below moduleCount(); classes are sorted by path.
inline NnModule moduleAt(std::uint32_t index) { return NnModule(index); }

} // namespace fx::ops
