// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/qconfig.h"

#include <string>
#include <utility>

namespace fx::quant {

/// Which nodes get which QConfig. Mirrors torch.ao's QConfigMapping; its five kinds of rules, in rising precedence:
/// global, object type, regular expression of module names, module name (or the nearest parent's), module name + object
/// type + order.
///
/// An object type is a module class by its path (`torch.nn.modules.linear.Linear`), a function by torch.fx's qualified
/// name (`torch._C._nn.linear`) or the name of a method (`reshape`). The setters take any path of PyTorch that leads
/// there.
class QConfigMapping {
public:
    struct Order {
        std::string module, objectType;
        std::int64_t index = 0;
        QConfigPtr qconfig;
    };
    using Rules = std::vector<std::pair<std::string, QConfigPtr>>; ///< in the order in which they were set

    QConfigMapping& setGlobal(QConfigPtr qconfig);
    QConfigMapping& setObjectType(std::string_view objectType, QConfigPtr qconfig);
    QConfigMapping& setModuleNameRegex(std::string_view regex, QConfigPtr qconfig);
    QConfigMapping& setModuleName(std::string_view name, QConfigPtr qconfig);
    QConfigMapping& setModuleNameObjectTypeOrder(std::string_view name, std::string_view objectType, std::int64_t index,
                                                 QConfigPtr qconfig);

    const QConfigPtr& global() const { return m_global; }
    const Rules& objectTypes() const { return m_objectTypes; }
    const Rules& regexes() const { return m_regexes; }
    const Rules& names() const { return m_names; }
    const std::vector<Order>& orders() const { return m_orders; }

private:
    QConfigPtr m_global;
    Rules m_objectTypes, m_regexes, m_names;
    std::vector<Order> m_orders;
};

/// The path under which an object type is kept: `torch.nn.Linear` is `torch.nn.modules.linear.Linear`,
/// `torch.nn.functional.linear` is `torch._C._nn.linear`; what PyTorch does not have stays as it is.
std::string canonicalObjectType(std::string_view name);

/// The backends of torch.ao that have default mappings.
enum class Backend : std::uint8_t { X86, OneDnn, Fbgemm, Qnnpack };
std::string_view backendName(Backend backend); ///< "x86"
std::optional<Backend> backendFromName(std::string_view name);

/// torch.ao `get_default_qconfig_mapping(backend)` or, for QAT, `get_default_qat_qconfig_mapping(backend)`.
QConfigMapping defaultMapping(Backend backend, bool isQat);

} // namespace fx::quant
