// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/worker_dialog.h"

#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace ui {

WorkerDialog::WorkerDialog(const WorkerSettings& settings, QWidget* parent)
    : QDialog(parent), m_command(new QLineEdit(settings.command, this)),
      m_libraries(new QLineEdit(settings.libraries, this)),
      m_sameFiles(new QCheckBox(tr("Shares files with this machine"), this)), m_memory(new QDoubleSpinBox(this)),
      m_timeout(new QSpinBox(this)), m_try(new QPushButton(tr("Test"), this)), m_answer(new QLabel(this)) {
    setWindowTitle(tr("Worker Settings"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* about =
        new QLabel(tr("Models run in a separate process, lancet-worker, so a crashing model cannot take Lancet "
                      "down. It may run on another machine or in a container: the command starts it there, "
                      "and tensors travel through its standard input and output."),
                   this);
    about->setWordWrap(true);
    about->setProperty("role", "muted");
    m_command->setFont(monoFont());
    m_command->setPlaceholderText(tr("lancet-worker next to Lancet"));
    m_command->setToolTip(tr("For example: ssh box lancet-worker  or  podman run -i image lancet-worker"));
    m_command->setMinimumWidth(380);
    m_libraries->setFont(monoFont());
    m_libraries->setPlaceholderText(tr("none"));
    m_libraries->setToolTip(tr("Libraries with operators that models call, such as torchvision's _C.so, as paths on "
                               "the worker's machine separated by colons"));
    m_memory->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_timeout->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_sameFiles->setChecked(settings.sameFiles);
    m_sameFiles->setToolTip(tr("The worker reads weights from the files; otherwise they are sent"));
    m_memory->setRange(0, 4096);
    m_memory->setDecimals(1);
    m_memory->setSuffix(tr(" GB"));
    m_memory->setSpecialValueText(tr("free memory"));
    m_memory->setValue(settings.memoryGigabytes);
    m_timeout->setRange(0, 86400);
    m_timeout->setSuffix(tr(" s"));
    m_timeout->setSpecialValueText(tr("none"));
    m_timeout->setValue(settings.timeoutSeconds);
    m_timeout->setToolTip(tr("End a run that takes longer. Timing has its own duration."));
    m_answer->setWordWrap(true);
    m_answer->setTextFormat(Qt::PlainText);
    m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_answer->setMinimumHeight(4 * fontMetrics().height());
    m_answer->setAlignment(Qt::AlignTop);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->addButton(m_try, QDialogButtonBox::ActionRole);
    auto* form = new QFormLayout(this);
    form->addRow(about);
    form->addRow(tr("Command"), m_command);
    form->addRow(QString(), m_sameFiles);
    form->addRow(tr("Operator libraries"), m_libraries);
    form->addRow(tr("Memory limit"), m_memory);
    form->addRow(tr("Time limit per run"), m_timeout);
    form->addRow(m_answer);
    form->addRow(buttons);
    const auto followCommand = [this] {
        // The own worker always sees the same files.
        m_sameFiles->setEnabled(!m_command->text().trimmed().isEmpty());
        if (!m_sameFiles->isEnabled()) m_sameFiles->setChecked(true);
    };
    connect(m_command, &QLineEdit::textChanged, this, followCommand);
    connect(m_command, &QLineEdit::textEdited, this, [this] { m_answer->clear(); });
    connect(m_libraries, &QLineEdit::textEdited, this, [this] { m_answer->clear(); });
    connect(m_try, &QPushButton::clicked, this, &WorkerDialog::tryIt);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    followCommand();
}

WorkerSettings WorkerDialog::settings() const {
    return {m_command->text().trimmed(), m_sameFiles->isChecked(), m_memory->value(), m_timeout->value(),
            m_libraries->text().trimmed()};
}

void WorkerDialog::tell(const QString& text, const char* state) {
    m_answer->setText(text);
    QPalette colors = m_answer->palette();
    colors.setColor(QPalette::WindowText, state == std::string_view("error") ? theme().error.line
                                          : state == std::string_view("ok")  ? theme().ok.line
                                                                             : theme().muted);
    m_answer->setPalette(colors);
}

void WorkerDialog::tryIt() {
    m_try->setEnabled(false);
    tell(tr("Starting…"), "busy");
    m_trial.start(
        [options = settings().options()](const fx::Progress& progress) {
            fx::remote::WorkerClient client(options);
            client.start(progress);
            return client.library();
        },
        this,
        [this](const std::string& library) {
            m_try->setEnabled(true);
            tell(tr("The worker is running: %1").arg(fromCore(library)), "ok");
        },
        [this](const fx::Error& error) {
            m_try->setEnabled(true);
            const QString hint = linesFromCore(error.hint);
            tell(tr("Cannot use this worker: %1").arg(linesFromCore(error.what())) +
                     (hint.isEmpty() ? QString() : QStringLiteral("\n") + hint),
                 "error");
        });
}

} // namespace ui
