// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>

namespace ui {

struct SourceChoices;

/// A source as the user's own Python traced it.
struct PythonTrace {
    std::shared_ptr<fx::GraphModule> module; ///< the files of its weights live as long as it does
    QString versions;                        ///< "Python 3.11.2, torch 2.13.0"
};

/// Traces the file of a source with the interpreter that the user has allowed for its folder, in the sandbox, and only
/// if the file holds `text`. `name` is that of the class or function. Reports to `progress` when an interpreter starts.
///
/// Returns nullopt if no interpreter is allowed, if the kernel has no sandbox, if the file holds another text, or if
/// `choices` follow leaf modules, which only Lancet does. Throws what Python refuses, and Error{Cancelled}.
std::optional<PythonTrace> traceAllowed(const QString& path, const QByteArray& text, const std::string& name,
                                        const SourceChoices& choices, const fx::Progress& progress);

} // namespace ui
