// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/preferences.h"

#include "core/own/allowed_pythons.h"
#include "ui/shell/settings.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <array>

namespace ui {

PreferencesDialog::PreferencesDialog(Settings& settings, const WindowActions& actions, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(tr("Preferences"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* times = new QCheckBox(tr("Time each edit in the background"), this);
    times->setToolTip(tr("The result card then says how much faster or slower each edit is"));
    times->setChecked(actions.timeEdits->isChecked());
    connect(times, &QCheckBox::toggled, actions.timeEdits, &QAction::setChecked);
    connect(actions.timeEdits, &QAction::toggled, times, &QCheckBox::setChecked);
    auto* worker = new QPushButton(tr("Worker Settings…"), this);
    worker->setAutoDefault(false);
    worker->setToolTip(tr("Where models run, and their limits of memory and time"));
    connect(worker, &QPushButton::clicked, actions.workerSettings, &QAction::trigger);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(16, 16, 16, 12);
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(10);
    form->addRow(tr("Theme"), themeChoice(settings, actions));
    form->addRow(tr("Graph direction"), directionChoice(settings));
    form->addRow(tr("Edits"), times);
    form->addRow(tr("Running models"), worker);
    form->addRow(tr("Recent files"), recentFiles(settings));
    form->addRow(tr("Python"), pythonEnvironments());
    form->addRow(buttons);
}

/// Through the actions of the menu, so that both always show the same.
QWidget* PreferencesDialog::themeChoice(const Settings& settings, const WindowActions& actions) {
    auto* box = new QComboBox(this);
    box->setAccessibleName(tr("Theme"));
    box->addItems({tr("Follow System"), tr("Light"), tr("Dark")});
    box->setCurrentIndex(static_cast<int>(settings.theme()));
    connect(box, &QComboBox::activated, this,
            [all = std::array{actions.themeSystem, actions.themeLight, actions.themeDark}](int index) {
                all[static_cast<std::size_t>(index)]->trigger();
            });
    return box;
}

QWidget* PreferencesDialog::directionChoice(const Settings& settings) {
    auto* box = new QComboBox(this);
    box->setAccessibleName(tr("Graph direction"));
    box->addItem(tr("Top to Bottom"), static_cast<int>(fx::Direction::TopDown));
    box->addItem(tr("Left to Right"), static_cast<int>(fx::Direction::LeftRight));
    box->setCurrentIndex(box->findData(static_cast<int>(settings.direction())));
    connect(box, &QComboBox::activated, this,
            [this, box] { Q_EMIT directionChosen(static_cast<fx::Direction>(box->currentData().toInt())); });
    return box;
}

QWidget* PreferencesDialog::recentFiles(Settings& settings) {
    auto* clear = new QPushButton(tr("Clear Recent Files"), this);
    clear->setAutoDefault(false);
    clear->setEnabled(!settings.recentFiles().isEmpty());
    connect(clear, &QPushButton::clicked, this, [clear, &settings] {
        settings.clearRecentFiles();
        clear->setEnabled(false);
    });
    return clear;
}

/// The environments that the check box of Trace with Python… allowed.
QWidget* PreferencesDialog::pythonEnvironments() {
    auto* part = new QWidget(this);
    part->setObjectName(QStringLiteral("pythonEnvironments"));
    part->setMinimumWidth(52 * part->fontMetrics().averageCharWidth());
    auto* about = new WrappedLabel(part, {});
    about->setProperty("role", "muted");
    auto* list = new QListWidget(part);
    list->setAccessibleName(tr("Environments that trace by themselves"));
    list->setTextElideMode(Qt::ElideMiddle);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the tooltip has the whole path
    list->setFixedHeight(4 * list->fontMetrics().height());
    auto* remove = new QPushButton(tr("Remove"), part);
    remove->setAutoDefault(false);
    remove->setToolTip(tr("The environment then traces only when you ask for it"));
    const auto show = [about, list, remove] {
        list->clear();
        const fx::AllowedPythons allowed;
        for (const std::string& program : allowed.programs()) {
            auto* item = new QListWidgetItem(fromCore(program), list);
            item->setData(Qt::UserRole, QByteArray::fromStdString(program));
            const bool isUsed = allowed.allows(program);
            item->setToolTip(isUsed ? fromCore(program)
                                    : tr("Changed or missing since it was allowed, so it is not used"));
            if (!isUsed) item->setForeground(list->palette().placeholderText());
        }
        const bool isEmpty = list->count() == 0;
        about->setText(isEmpty ? tr("No environment traces by itself. File > Trace with Python… can allow one.")
                               : tr("These environments trace, in the sandbox, what Lancet cannot."));
        list->setVisible(!isEmpty);
        remove->setVisible(!isEmpty);
        remove->setEnabled(false);
    };
    connect(list, &QListWidget::itemSelectionChanged, remove,
            [list, remove] { remove->setEnabled(!list->selectedItems().isEmpty()); });
    connect(remove, &QPushButton::clicked, this, [this, list, show] {
        const QList<QListWidgetItem*> chosen = list->selectedItems();
        if (chosen.isEmpty()) return;
        try {
            fx::AllowedPythons().forget(chosen.front()->data(Qt::UserRole).toByteArray().toStdString());
        } catch (const fx::Error& error) { showFailure(this, tr("Could not remove the environment"), error); }
        show();
    });
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins({});
    column->addWidget(about);
    column->addWidget(list);
    column->addWidget(remove, 0, Qt::AlignLeft);
    show();
    return part;
}

} // namespace ui
