// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace ui {

/// Something that a node can call.
struct CallableChoice {
    fx::Op op = fx::Op::CallFunction;
    QString
        target; ///< "torch.relu", "view" (of a tensor), "torch.nn.Conv2d" (a new module), "torch.ops.aten.add.Tensor"
    QString signature; ///< "(input, dim=-1)"; empty if unknown
};

inline bool isSameCall(const CallableChoice& a, const CallableChoice& b) {
    return a.op == b.op && a.target == b.target;
}

/// One argument in a form.
struct ParameterRow {
    QString name, type, defaultText;
    bool required = false;
    bool keywordOnly = false;
    bool isTensor = false;
};

/// Functions, tensor methods, module classes and registered operators whose name has every word of the text; those
/// whose last name equals the text come first, and of those `preferred`. Takes a few milliseconds.
std::vector<CallableChoice> searchCallables(const QString& text, bool modulesOnly, std::size_t limit = 200,
                                            const std::vector<CallableChoice>& preferred = {});

/// What may have been meant by a name that nothing has: "torch.relu" for "torch.reluu". Milliseconds.
std::optional<CallableChoice> nearestCallable(const QString& text, bool modulesOnly);

/// A choice by what a node calls: functions under their public name, with their signature.
CallableChoice describedChoice(fx::Op op, const QString& target);

/// The parameters of a choice; for module classes those of the constructor. Empty if unknown. For C functions, those of
/// the underlying operator; `overload` selects one of its overloads.
std::vector<ParameterRow> parametersOf(fx::Op op, const QString& target, int overload = 0);
/// The signatures to choose from for `parametersOf`; at most one for most callables.
QStringList overloadsOf(fx::Op op, const QString& target);

} // namespace ui
