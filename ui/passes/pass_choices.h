// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/widgets/core_text.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace ui {

/// A pass in the list of a document: a built-in one with its settings, or one in Python text.
struct PassChoice {
    QString name;                   ///< of a built-in pass; of the function or class in a file, or empty
    QString file;                   ///< of a pass in Python text: its path, or only a name while it is not saved
    std::optional<QByteArray> text; ///< what was typed and not saved to the file
    QJsonObject settings;           ///< those that differ from the defaults
    bool untilUnchanged = false;    ///< it runs again until it changes nothing more
    bool ticked = true;

    bool isText() const { return !file.isEmpty(); }
    /// Whether the file exists only here.
    bool isUnsaved() const { return isText() && !file.contains(u'/'); }
    /// "cse", "my_pass.py", "my_pass.py:ReluToGelu"
    QString label() const;
    /// As an entry of a pipeline.
    QJsonObject toPipeline() const;
    bool operator==(const PassChoice&) const = default;
};

/// What was chosen in the Passes panel for one document; kept with its view.
struct PassChoices {
    std::vector<PassChoice> passes;
    QJsonObject rest; ///< constraints and steps of the pipeline that was opened
    bool onSelection = false, verifies = false;

    QJsonObject toJson() const;
    static PassChoices fromJson(const QJsonObject& json);
    /// The ticked passes as a pipeline of core/passes/manager/pass_pipeline.h. `nodes`: the selection, if it runs on
    /// that.
    QJsonObject pipeline(const std::optional<QStringList>& nodes = {}) const;
    /// Takes the passes of a pipeline, in the order in which they run. Files are relative to `folder`. Throws
    /// fx::Error.
    static PassChoices fromPipeline(const QByteArray& json, const QString& folder);
    /// The rows of the ticked passes.
    std::vector<std::size_t> ticked() const;
    bool operator==(const PassChoices&) const = default;
};

} // namespace ui
