// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/unsaved_question.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

UnsavedAnswer askAboutChanges(QWidget* window, const QString& question) {
    QMessageBox box(QMessageBox::Warning, UnsavedSheet::tr("Unsaved Changes"), question,
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(UnsavedSheet::tr("Discarded changes cannot be restored."));
    box.button(QMessageBox::Save)->setText(UnsavedSheet::tr("Save")); // some desktops have words of their own
    box.button(QMessageBox::Discard)->setText(UnsavedSheet::tr("Discard"));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save: return UnsavedAnswer::Save;
    case QMessageBox::Discard: return UnsavedAnswer::Discard;
    default: return UnsavedAnswer::Cancel;
    }
}

UnsavedSheet::UnsavedSheet(const QList<QPointer<Document>>& documents, QWidget* window)
    : QDialog(window), m_list(new QListWidget(this)) {
    setWindowTitle(tr("Unsaved Changes"));
    auto* intro = new QLabel(tr("Save the changes to these files before closing?"), this);
    auto* about = new QLabel(tr("Checked files are saved. Discarded changes cannot be restored."), this);
    about->setProperty("role", "muted");
    about->setWordWrap(true);
    m_list->setAccessibleName(tr("Files with unsaved changes"));
    for (const auto& document : documents) {
        auto* item = new QListWidgetItem(document->title(), m_list);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
        item->setToolTip(document->file());
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(tr("Save All"), QDialogButtonBox::AcceptRole);
    m_discard = buttons->addButton(tr("Discard All"), QDialogButtonBox::DestructiveRole);
    m_save->setDefault(true);
    connect(m_save, &QPushButton::clicked, this, [this] { choose(UnsavedAnswer::Save); });
    connect(m_discard, &QPushButton::clicked, this, [this] { choose(UnsavedAnswer::Discard); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_list, &QListWidget::itemChanged, this, &UnsavedSheet::showCount);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(10);
    for (QWidget* widget : std::initializer_list<QWidget*>{intro, m_list, about, buttons}) column->addWidget(widget);
    resize(440, 300);
}

bool UnsavedSheet::isChecked(qsizetype place) const {
    return m_list->item(static_cast<int>(place))->checkState() == Qt::Checked;
}

void UnsavedSheet::showCount() {
    int checked = 0;
    for (int i = 0; i < m_list->count(); ++i) checked += isChecked(i) ? 1 : 0;
    m_save->setEnabled(checked > 0);
    m_save->setText(checked == m_list->count() ? tr("Save All") : tr("Save Checked, Discard Others"));
}

void UnsavedSheet::choose(UnsavedAnswer answer) {
    m_answer = answer;
    accept();
}

} // namespace ui
