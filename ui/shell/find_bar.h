// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QToolButton;

namespace ui {

/// Bar on Ctrl+F that finds nodes by name, target, module, type, dtype and shape as the user types, with buttons for
/// next, previous and select all.
class FindBar final : public QFrame {
    Q_OBJECT
public:
    explicit FindBar(QWidget* parent = nullptr); ///< Creates a bar without a document.

    void setDocument(Document* document);                            ///< Searches another document; null: none.
    void open();                                                     ///< Shows the bar and focuses the field.
    void next();                                                     ///< Goes to the next node, wrapping around.
    void previous();                                                 ///< Goes to the previous node, wrapping around.
    const std::vector<fx::NodeId>& found() const { return m_found; } ///< The nodes found, in graph order.

Q_SIGNALS:
    void searched(); ///< Emitted when `found` is up to date.
    void closed();   ///< Emitted when the user closes the bar.

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
    bool m_goesOn = false;  ///< enter was pressed before the search ended
    QString m_error;
    TaskSlot<FindResult> m_task{"find.search"};
};

} // namespace ui
