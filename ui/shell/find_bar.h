// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QToolButton;

namespace ui {

/// Ctrl+F: finds nodes by name, target, module, type, dtype and shape while typing; next, previous, select all.
class FindBar final : public QFrame {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr);

    void setDocument(Document* document);
    void open();
    void next();
    void previous();
    const std::vector<fx::NodeId>& found() const { return m_found; }

Q_SIGNALS:
    void searched(); ///< `found` is up to date
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void search();
    void goTo(std::size_t at);
    void showCount();

    QPointer<Document> m_document;
    QLineEdit* m_text;
    QToolButton *m_regex, *m_case, *m_previous, *m_next, *m_selectAll, *m_close;
    QLabel* m_count;
    std::vector<fx::NodeId> m_found;
    std::size_t m_at = 0;   ///< index of the current node, or m_found.size()
    std::size_t m_best = 0; ///< index of the node to go to first
    bool m_goesOn = false;  ///< Enter was pressed before the nodes were found
    QString m_error;
    TaskSlot<FindResult> m_task{"find.search"};
};

} // namespace ui
