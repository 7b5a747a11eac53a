// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compilation/text_window.h"

#include "ui/code/code_view.h"

#include <QLineEdit>
#include <QShortcut>
#include <QVBoxLayout>

namespace ui {

TextWindow::TextWindow(const QString& title, const QByteArray& text, QWidget* parent)
    : QDialog(parent, Qt::Window), m_view(new CodeView(this)) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(parent ? parent->window()->size() * 3 / 4 : QSize(960, 640));
    m_view->setAccessibleName(title);
    m_view->setLines(text, 0);
    auto* find = new QLineEdit(this);
    find->setPlaceholderText(tr("Find"));
    find->setAccessibleName(tr("Find in this text"));
    find->setClearButtonEnabled(true);
    find->setMaximumWidth(320);
    connect(find, &QLineEdit::textEdited, m_view,
            [this](const QString& typed) { m_view->findText(typed, CodeView::Search::Here); });
    connect(find, &QLineEdit::returnPressed, m_view,
            [this, find] { m_view->findText(find->text(), CodeView::Search::Next); });
    auto* focus = new QShortcut(QKeySequence::Find, this);
    connect(focus, &QShortcut::activated, find, [find] { find->setFocus(), find->selectAll(); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(find);
    column->addWidget(m_view, 1);
    m_view->setFocus();
}

void TextWindow::showLine(std::optional<std::size_t> line) {
    if (line) m_view->markLines({static_cast<int>(*line)});
}

} // namespace ui
