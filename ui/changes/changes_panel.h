// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/diff_view.h"
#include "ui/document/document.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;

namespace ui {

class ChangeList;

/// Panel with the differences between the opened and the current version: a summary, the changed nodes, and the code
/// with its differences. Choosing a node or a line goes to the node.
class ChangesPanel final : public QWidget {
    Q_OBJECT
public:
    /// Creates a panel without a document.
    explicit ChangesPanel(QWidget* parent = nullptr);
    /// Shows the changes of `document`; null clears the panel. A hidden panel compares when it is shown.
    void setDocument(Document* document);
    /// The shown difference; null until it is computed.
    const std::shared_ptr<const VersionDifference>& difference() const { return m_difference; }
    ChangeList* list() const { return m_list; } ///< The list of changed nodes.

Q_SIGNALS:
    /// Emitted when the user wants to see both versions side by side.
    void compareRequested();

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// A difference and the lines of it that are shown.
    struct Compared {
        std::shared_ptr<const VersionDifference> difference;
        std::vector<VersionDifference::Line> lines;
    };
    void compare();
    void show(Compared compared);
    void lead(fx::NodeId node);

    QPointer<Document> m_document;
    bool m_outdated = false; ///< the version changed while the panel was hidden
    std::shared_ptr<const VersionDifference> m_difference;
    QLabel* m_about;
    QPushButton* m_sideBySide;
    QSplitter* m_parts; ///< the list and the code
    ChangeList* m_list;
    DiffView* m_view;
    TaskSlot<Compared> m_task{"changes.compare"};
};

/// Summarises a difference: "3 created · 2 erased · 1 changed", or a sentence if nothing differs.
QString summaryOf(const VersionDifference& difference);

} // namespace ui
