// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace ui {

/// A function, tensor method, module class or module that a node can call.
struct CallableChoice {
    fx::Op op = fx::Op::CallFunction; ///< the kind of the node that calls it
    QString
        target; ///< "torch.relu", "view" (of a tensor), "torch.nn.Conv2d" (a new module), "torch.ops.aten.add.Tensor"
    QString signature; ///< "(input, dim=-1)"; empty if unknown
};

/// True if both call the same target; signatures are ignored.
inline bool isSameCall(const CallableChoice& a, const CallableChoice& b) {
    return a.op == b.op && a.target == b.target;
}

/// One parameter of a callable, as a row of the form.
struct ParameterRow {
    QString name, type, defaultText; ///< `defaultText` is Python text; empty without a default
    bool required = false;           ///< it has no default
    bool keywordOnly = false;        ///< it can only be passed by keyword
    bool isTensor = false;           ///< it takes a tensor
};

/// Returns functions, tensor methods, module classes and registered operators whose name contains every word of `text`.
/// Those whose last name equals the text come first, and among them those in `preferred`. Takes a few milliseconds.
std::vector<CallableChoice> searchCallables(const QString& text, bool modulesOnly, std::size_t limit = 200,
                                            const std::vector<CallableChoice>& preferred = {});

/// Returns the closest name to a misspelt one: "torch.relu" for "torch.reluu". Takes a few milliseconds.
std::optional<CallableChoice> nearestCallable(const QString& text, bool modulesOnly);

/// Returns the choice for the target of a node, with its signature. Functions get their public name.
CallableChoice describedChoice(fx::Op op, const QString& target);

/// Returns the parameters of a callable, for module classes those of the constructor. Empty if unknown. C functions
/// have those of the underlying operator; `overload` selects one of its overloads.
std::vector<ParameterRow> parametersOf(fx::Op op, const QString& target, int overload = 0);
/// Returns the signatures that `overload` of `parametersOf` selects from; most callables have at most one.
QStringList overloadsOf(fx::Op op, const QString& target);

} // namespace ui
