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

/// A pass in the list of a document: a built-in pass with its settings, or a pass in Python text.
struct PassChoice {
    QString name;                   ///< a built-in pass; or the function or class in a file, or empty
    QString file;                   ///< the path of a pass in Python text, or only a name while it is not saved
    std::optional<QByteArray> text; ///< text that was not saved to the file
    QJsonObject settings;           ///< those that differ from the defaults
    bool untilUnchanged = false;    ///< run again until nothing changes
    bool ticked = true;             ///< run with the list

    bool isText() const { return !file.isEmpty(); } ///< True for a pass in Python text.
    /// True if the text was never saved to a file.
    bool isUnsaved() const { return isText() && !file.contains(u'/'); }
    /// The label of the row: "cse", "my_pass.py", "my_pass.py:ReluToGelu".
    QString label() const;
    /// Returns the pass as an entry of a pipeline.
    QJsonObject toPipeline() const;
    bool operator==(const PassChoice&) const = default;
};

/// The choices of the Passes panel for one document; stored in its view.
struct PassChoices {
    std::vector<PassChoice> passes; ///< in the order of the list
    QJsonObject rest;               ///< constraints and steps of the pipeline that was opened
    /// Run on the selected nodes only; compare the outputs after each pass.
    bool onSelection = false, verifies = false;

    QJsonObject toJson() const; ///< Returns the choices as JSON.
    /// The counterpart of `toJson`; missing keys get defaults.
    static PassChoices fromJson(const QJsonObject& json);
    /// Returns the ticked passes as a pipeline of core/passes/manager/pass_pipeline.h. `nodes` is the selection if it
    /// runs on that.
    QJsonObject pipeline(const std::optional<QStringList>& nodes = {}) const;
    /// Returns the pipeline for a file at `path`. Refers to pass files in its folder or below by name and embeds the
    /// text of other files, because reading the pipeline reads nothing else. Throws fx::Error if a text cannot be read.
    QJsonObject pipelineAt(const QString& path) const;
    /// Reads the pipeline at `path`, with passes in the order in which they run. Their files are in its folder or
    /// below. Throws fx::Error.
    static PassChoices fromPipeline(const QByteArray& json, const QString& path);
    /// Returns the rows of the ticked passes.
    std::vector<std::size_t> ticked() const;
    bool operator==(const PassChoices&) const = default;
};

} // namespace ui
