// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>

namespace ui {

StagesDialog::StagesDialog(int calls, bool hasParameters, const QString& noTimes, const QString& folder,
                           QWidget* parent)
    : QDialog(parent), m_count(new QSpinBox(this)), m_balance(new QComboBox(this)), m_folder(new QLineEdit(this)),
      m_note(new QLabel(this)) {
    setWindowTitle(tr("Export Stages"));
    m_count->setObjectName(QStringLiteral("stageCount"));
    m_count->setRange(1, std::max(1, calls));
    m_count->setValue(std::min(2, calls));
    m_count->setSuffix(tr(" (one process per stage, at most %1)").arg(m_count->maximum()));
    m_balance->setObjectName(QStringLiteral("stageBalance"));
    for (const auto& [text, balance, missing] :
         {std::tuple(tr("time, measured now"), fx::StageBalance::Time, noTimes),
          std::tuple(tr("parameters"), fx::StageBalance::Parameters,
                     hasParameters ? QString() : tr("the model has no parameters")),
          std::tuple(tr("number of calls"), fx::StageBalance::Nodes, QString())}) {
        m_balance->addItem(missing.isEmpty() ? text : tr("%1: %2").arg(text, missing), static_cast<int>(balance));
        qobject_cast<QStandardItemModel*>(m_balance->model())
            ->item(m_balance->count() - 1)
            ->setEnabled(missing.isEmpty());
    }
    m_balance->setCurrentIndex(noTimes.isEmpty() ? 0 : hasParameters ? 1 : 2);
    m_folder->setObjectName(QStringLiteral("stageFolder"));
    m_folder->setText(folder);
    m_folder->setPlaceholderText(tr("a new or empty folder"));
    m_folder->setMinimumWidth(360);
    auto* browse = new QPushButton(tr("Browse…"), this);
    connect(browse, &QPushButton::clicked, this, &StagesDialog::browse);
    auto* where = new QHBoxLayout;
    where->addWidget(m_folder, 1);
    where->addWidget(browse);
    m_note->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_folder, &QLineEdit::textChanged, this, &StagesDialog::update);
    auto* form = new QFormLayout(this);
    form->addRow(tr("&Stages"), m_count);
    form->addRow(tr("&Balanced by"), m_balance);
    form->addRow(tr("&Folder"), where);
    qobject_cast<QLabel*>(form->labelForField(where))->setBuddy(m_folder); // a row that is a layout has none
    form->addRow(m_note);
    form->addRow(buttons);
    update();
}

int StagesDialog::count() const { return m_count->value(); }
fx::StageBalance StagesDialog::balance() const {
    return static_cast<fx::StageBalance>(m_balance->currentData().toInt());
}
QString StagesDialog::folder() const { return m_folder->text().trimmed(); }

void StagesDialog::browse() {
    const QString chosen = QFileDialog::getExistingDirectory(this, tr("Folder for the stages"), folder());
    if (!chosen.isEmpty()) m_folder->setText(chosen);
}

void StagesDialog::update() {
    const bool hasPlan = !folder().isEmpty() && QDir(folder()).exists(QStringLiteral("pipeline.json"));
    m_note->setText(
        folder().isEmpty() ? tr("Choose a folder for the stages and the script.")
        : hasPlan
            ? tr("The folder already contains a pipeline; its files will be replaced.")
            : tr("Will write stage_0.pt, stage_1.pt and so on, pipeline.json, and run_pipeline.py for torchrun."));
    m_export->setEnabled(!folder().isEmpty());
    m_export->setToolTip(folder().isEmpty() ? tr("choose a folder first") : QString());
}

} // namespace ui
