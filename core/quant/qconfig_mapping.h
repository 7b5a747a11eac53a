// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/qconfig.h"

#include <string>
#include <utility>

namespace fx::quant {

/// Rules that assign QConfigs to nodes. Mirrors torch.ao's QConfigMapping. Its five kinds of rules, in rising
/// precedence: global, object type, regular expression of module names, module name (or the nearest parent's), module
/// name + object type + order.
///
/// An object type is a module class by its path (`torch.nn.modules.linear.Linear`), a function by torch.fx's qualified
/// name (`torch._C._nn.linear`) or the name of a method (`reshape`). The setters accept any PyTorch path of the
/// object.
class QConfigMapping {
public:
    /// The rule for the call with this index among the calls of `objectType` in `module`.
    struct Order {
        std::string module, objectType;
        std::int64_t index = 0; ///< counts calls of `objectType` in `module` from 0
        QConfigPtr qconfig;     ///< null: the call is not quantised
    };
    using Rules = std::vector<std::pair<std::string, QConfigPtr>>; ///< in the order of their setters' calls

    /// The setters mirror torch.ao's and return this object. A rule with an existing key replaces it.
    QConfigMapping& setGlobal(QConfigPtr qconfig);
    QConfigMapping& setObjectType(std::string_view objectType, QConfigPtr qconfig);
    QConfigMapping& setModuleNameRegex(std::string_view regex, QConfigPtr qconfig);
    QConfigMapping& setModuleName(std::string_view name, QConfigPtr qconfig);
    QConfigMapping& setModuleNameObjectTypeOrder(std::string_view name, std::string_view objectType, std::int64_t index,
                                                 QConfigPtr qconfig);

    /// The QConfig of the global rule; null if there is no such rule.
    const QConfigPtr& global() const { return m_global; }
    /// The rules for object types, by canonical name. The other kinds of rules are keyed as in their setters.
    const Rules& objectTypes() const { return m_objectTypes; }
    const Rules& regexes() const { return m_regexes; }
    const Rules& names() const { return m_names; }
    const std::vector<Order>& orders() const { return m_orders; }

private:
    QConfigPtr m_global;
    Rules m_objectTypes, m_regexes, m_names;
    std::vector<Order> m_orders;
};

/// Returns the path under which an object type is stored: `torch.nn.modules.linear.Linear` for `torch.nn.Linear`,
/// `torch._C._nn.linear` for `torch.nn.functional.linear`. Returns names unknown to PyTorch unchanged.
std::string canonicalObjectType(std::string_view name);

/// The torch.ao backends with default mappings.
enum class Backend : std::uint8_t { X86, OneDnn, Fbgemm, Qnnpack };
std::string_view backendName(Backend backend); ///< "x86"
/// The inverse of `backendName`; nullopt for unknown names.
std::optional<Backend> backendFromName(std::string_view name);

/// Mirrors torch.ao's `get_default_qconfig_mapping(backend)` or, for QAT, `get_default_qat_qconfig_mapping(backend)`.
QConfigMapping defaultMapping(Backend backend, bool isQat);

} // namespace fx::quant
