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
/// the text that repr() shows. The data is core/ops/nn_modules.tsv, written by tools/nn_modules.py and compared there
/// with what PyTorch prints.
namespace fx::ops {

/// A module class; a handle, cheap to copy. Every text lives as long as the program.
class NnModule {
public:
    /// What a new instance holds under a name.
    struct Attribute {
        enum class Kind { Parameter, Buffer, Setting, Module };
        std::string_view name;
        Kind kind = Kind::Setting;
    };
    /// How an instance shows a parameter of the constructor.
    struct Setting {
        std::string_view parameter;
        std::string_view attribute;
        bool isPresence = false; ///< the value is `attribute is not None` (`bias` of a Linear)
    };
    /// A value as the text of repr() needs it.
    struct Value {
        std::string text; ///< Python's str()
        std::string repr; ///< Python's repr()
        bool isNone = false;
        bool isTrue = true; ///< its truth
    };
    /// Gives the attribute of an instance by its path (`padding`, `activation_post_process.quant_min`), or nothing.
    using Lookup = std::function<std::optional<Value>(std::string_view path)>;

    explicit NnModule(std::uint32_t row) : m_row(row) {}

    std::string_view path() const;       ///< `torch.nn.modules.linear.Linear`
    std::string_view publicPath() const; ///< `torch.nn.Linear`
    std::string_view name() const { return path().substr(path().rfind('.') + 1); }
    /// The name in repr(): `QuantizedLinear` for torch.ao.nn.quantized's Linear.
    std::string_view reprName() const;
    std::vector<std::string_view> constants() const; ///< `__constants__`, in their order
    /// Parameters of the constructor; annotations() has as many texts, empty ones where there is none.
    std::vector<Parameter> parameters() const;
    std::vector<std::string_view> annotations() const;
    /// Parameters of forward(), without self.
    std::vector<Parameter> forwardParameters() const;
    /// Of an instance with plain settings, in the order of its state; empty also when PyTorch makes none so easily.
    std::vector<Attribute> attributes() const;
    /// In the order of the constructor's parameters; those that an instance does not show are left out.
    std::vector<Setting> settings() const;
    /// What stands between the parentheses of repr() (`extra_repr()`); nothing when it takes more than attributes to
    /// tell, e.g. for quantised weights. Attributes that `lookup` does not have print as `?`.
    std::optional<std::string> extraRepr(const Lookup& lookup) const;

    bool operator==(const NnModule&) const = default;

private:
    std::string_view cell(std::size_t column) const;
    std::uint32_t m_row;
};

/// The class that a dotted path leads to, by any of the paths that do: `torch.nn.Linear`. O(log n).
std::optional<NnModule> findModule(std::string_view dottedPath);

/// How many classes there are, and each of them, in the order of their paths.
std::uint32_t moduleCount();
inline NnModule moduleAt(std::uint32_t index) { return NnModule(index); }

} // namespace fx::ops
