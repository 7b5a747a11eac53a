// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/shape_notes.h"

#include <QObject>

#include <utility>

namespace ui {

/// The inferred shapes of the current version. Whoever infers them listens to `asked` and calls `set`. GUI thread only.
class DocumentShapes final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~DocumentShapes() override;

    /// The last known shapes, possibly of an earlier version; null if unknown.
    const std::shared_ptr<const ShapeNotes>& notes() const { return m_notes; }
    /// The current version with inferred shapes in its metadata, else the version itself; null before there is one.
    /// Only for display: edits are based on the version, and versions in the history lack these shapes.
    const std::shared_ptr<const fx::GraphModule>& shown() const { return m_shown ? m_shown : m_version; }
    /// The nodes of the current version that failed, each with its index in the failures of `notes`.
    const std::vector<std::pair<fx::NodeId, std::size_t>>& failures() const { return m_failures; }
    /// The reason why the shape of a node could not be inferred, or null.
    const fx::ShapeFailure* failureOf(fx::NodeId node) const;

    /// Requests all shapes, also those that need run-time values or code of the file.
    void ask() { Q_EMIT asked(); }
    /// Sets the shapes of the current version; ignored if they are of another version. Null: unknown.
    void set(std::shared_ptr<const ShapeNotes> notes);

    /// Forgets all shapes, before `follow` with another model.
    void forget() { m_notes.reset(); }
    /// Uses another version of the model. Its nodes show the shapes of the version before, until the new ones are set.
    void follow(std::shared_ptr<const fx::GraphModule> version);

Q_SIGNALS:
    /// Emitted by `ask`.
    void asked();
    /// Emitted when `set` has changed the shapes; `shown` has other shapes only if `differs`.
    void changed(bool differs);

private:
    std::shared_ptr<const fx::GraphModule> m_version, m_shown; ///< null `m_shown`: no notes for the version
    std::shared_ptr<const ShapeNotes> m_notes;
    std::vector<std::pair<fx::NodeId, std::size_t>> m_failures;
};

} // namespace ui
