// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_center.h"

#include "core/sandbox/sandbox.h"
#include "ui/run/inputs_dialog.h"
#include "ui/run/shape_watch.h"
#include "ui/run/verify_panel.h"
#include "ui/run/verify_verdict.h"
#include "ui/run/worker_dialog.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>

namespace ui {

namespace {
/// "AMD EPYC 7763, 2 processors, AVX2, LibTorch 2.13.0" from the worker's own words.
QString machineText(const QString& hello) {
    const QJsonObject all = QJsonDocument::fromJson(hello.toUtf8()).object();
    const QJsonObject machine = all.value(QLatin1String("machine")).toObject();
    if (machine.isEmpty()) return hello;
    QStringList parts;
    for (const char* key : {"host", "cpu", "isa"})
        if (const QString part = machine.value(QLatin1String(key)).toString(); !part.isEmpty()) parts << part;
    parts << counted(qint64(machine.value(QLatin1String("processors")).toInt()), RunCenter::tr("1 processor"),
                     RunCenter::tr("%1 processors")) +
                 RunCenter::tr(", %1\u00a0GB").arg(machine.value(QLatin1String("memory")).toDouble() / 1e9, 0, 'f', 1);
    parts << RunCenter::tr("LibTorch %1, oneDNN %2")
                 .arg(machine.value(QLatin1String("libtorch")).toString(),
                      machine.value(QLatin1String("onednn")).toString());
    return parts.join(QStringLiteral("\n"));
}
QString noSandboxText() {
    return RunCenter::tr(
        "This system lacks Landlock or seccomp, so a model could write files. Lancet runs no model here before you "
        "allow it; `lancet worker --check` says what is missing.");
}
} // namespace

RunCenter::RunCenter(WorkerSettings settings, RunMemory memory, QWidget* window, fx::remote::CompleteModel complete)
    : QObject(window), m_window(window), m_readerIsHeld(fx::sandboxSupport().holds()),
      m_worker(std::move(settings), nullptr, std::move(complete)), m_memory(std::move(memory)),
      m_workerButton(new QToolButton(window)), m_chip(new QToolButton(window)), m_verify(new VerifyPanel(window)) {
    for (QToolButton* button : {m_workerButton, m_chip}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::NoFocus); // the menu Run has both
    }
    m_verify->installEventFilter(this);
    connect(m_workerButton, &QToolButton::clicked, this, [this] {
        if (m_worker.isAllowed()) editSettings();
        else askToAllow();
    });
    connect(m_chip, &QToolButton::clicked, this, &RunCenter::verifyPanelRequested);
    connect(m_verify, &VerifyPanel::inputsRequested, this, &RunCenter::editInputs);
    connect(&m_worker, &WorkerService::stateChanged, this, &RunCenter::showWorker);
    connect(&m_worker, &WorkerService::died, this, &RunCenter::tellDeath);
    showWorker();
    showVerdict();
}

void RunCenter::tellDeath(const fx::Error& error) {
    const QString node = error.node.empty() ? QString() : tr(" at node %1").arg(fromCore(error.node));
    Q_EMIT notified(
        tr("%1%2. The document is unchanged; restarting the worker.").arg(linesFromCore(error.what()), node));
}

/// A session lives as long as its document.
void RunCenter::setDocument(Document* document) {
    if (m_session) m_session->disconnect(this), m_session->setInFront(false);
    m_session = nullptr;
    if (document) {
        QPointer<RunSession>& session = m_sessions[document];
        if (!session || &session->document() != document) {
            session = new RunSession(*document, m_worker, m_memory, document);
            auto* shapes = new ShapeWatch(*session, m_worker); // the session's child
            connect(shapes, &ShapeWatch::allowanceNeeded, this, &RunCenter::askToAllow);
            connect(document, &Document::draftChanged, session, [this, own = session.data()] {
                if (own == m_session) showVerdict();
            });
            connect(session, &RunSession::inputsChanged, session,
                    [this, document] { Q_EMIT inputsChanged(*document); });
            connect(document, &QObject::destroyed, this, [this, document] { m_sessions.remove(document); });
        }
        m_session = session;
        connect(m_session, &RunSession::verifyChanged, this, &RunCenter::showVerdict);
        connect(m_session, &RunSession::inputsChanged, this, &RunCenter::showVerdict);
    }
    m_verify->setSession(m_session);
    if (m_session) m_session->setInFront(true);
    showVerdict();
    Q_EMIT sessionChanged(m_session);
}

void RunCenter::showWorker() {
    QString text, tip;
    switch (m_worker.state()) {
    case WorkerService::State::Off:
        text = tr("worker off");
        tip = tr("The worker starts with the first run.");
        break;
    case WorkerService::State::Starting: text = tr("starting worker…"); break;
    case WorkerService::State::Ready: text = tr("worker ready"); break;
    case WorkerService::State::Busy: text = tr("running…"); break;
    case WorkerService::State::Failed:
        text = tr("worker failed");
        tip = m_worker.failure();
        break;
    }
    if (!m_worker.isHeld() && m_worker.state() != WorkerService::State::Failed) {
        text = m_worker.isAllowed() ? tr("%1, no sandbox").arg(text) : tr("no sandbox");
        tip = noSandboxText();
    } else if (!m_readerIsHeld) { // sources are read all the same, and on this computer wherever the worker is
        text = tr("%1, no sandbox").arg(text);
        tip += (tip.isEmpty() ? QString() : QStringLiteral("\n")) +
               tr("This system lacks Landlock or seccomp, so nothing holds the process that reads Python sources.");
    }
    if (!m_worker.machine().isEmpty())
        tip = machineText(m_worker.machine()) + (tip.isEmpty() ? QString() : QStringLiteral("\n") + tip);
    m_workerButton->setText(text);
    m_workerButton->setToolTip(
        (tip.isEmpty() ? QString() : tip + QStringLiteral("\n")) +
        (m_worker.isAllowed() ? tr("Click to open the worker settings.") : tr("Click to allow running models.")));
    m_workerButton->setAccessibleName(tr("Worker: %1").arg(text));
}

/// The chip has the theme's colours in its own style sheet.
bool RunCenter::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_verify && event->type() == QEvent::PaletteChange) showVerdict();
    return QObject::eventFilter(watched, event);
}

void RunCenter::showVerdict() {
    const VerifyVerdict verdict = m_session ? verdictOf(*m_session) : VerifyVerdict{};
    const bool shown = m_session && m_session->state() != RunSession::State::NoModel &&
                       (m_session->state() != RunSession::State::Unchanged || m_session->isEdited());
    m_chip->setVisible(shown);
    const bool isDrafting = m_session && m_session->document().draft();
    const QString text = isDrafting ? tr("%1 (without the typed code)").arg(verdict.word) : verdict.word;
    QString tip =
        verdict.detail.isEmpty() ? tr("How the current version compares with the original") : verdict.detail.left(600);
    if (isDrafting) tip += u'\n' + tr("The code that was typed is not applied yet, so it is not included.");
    m_chip->setText(text);
    m_chip->setToolTip(tip);
    m_chip->setAccessibleName(tr("Verification: %1").arg(text));
    m_chip->setStyleSheet(verdict.role
                              ? QStringLiteral("QToolButton { background: %1; color: %2; border: none; border-radius: "
                                               "5px; padding: 2px 8px; font-weight: 600; }")
                                    .arg((theme().*verdict.role).fill.name(), (theme().*verdict.role).line.name())
                              : QString());
}

void RunCenter::askToAllow() {
    auto* question =
        new QMessageBox(QMessageBox::Warning, tr("No Sandbox"),
                        tr("Run models without a sandbox until Lancet is closed?"), QMessageBox::Cancel, m_window);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(noSandboxText());
    const QAbstractButton* const run = question->addButton(tr("Run Models"), QMessageBox::AcceptRole);
    question->setDefaultButton(QMessageBox::Cancel); // Enter is not to choose what is unsafe
    question->setEscapeButton(QMessageBox::Cancel);
    connect(question, &QMessageBox::buttonClicked, this, [this, run](const QAbstractButton* clicked) {
        if (clicked == run) m_worker.allow();
    });
    question->open();
}

void RunCenter::editSettings() {
    auto* dialog = new WorkerDialog(m_worker.settings(), m_window);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_worker.setSettings(dialog->settings());
        Q_EMIT settingsChanged(dialog->settings());
    });
    dialog->open();
}

void RunCenter::editInputs() {
    if (!m_session) return;
    fx::InputDescription inputs = m_session->inputs();
    if (m_session->inputsToKeep().empty()) // an assumed shape must not look like a guess
        std::erase_if(inputs.inputs, [&](const fx::InputSpec& input) {
            const auto& guesses = m_session->guesses();
            return std::any_of(guesses.begin(), guesses.end(), [&](const fx::InputGuess& guess) {
                return guess.input.name == input.name && guess.sureness == fx::InputGuess::Sureness::Unknown;
            });
        });
    auto* dialog = new InputsDialog(inputs, m_session->guesses(), m_window);
    connect(dialog, &QDialog::accepted, m_session,
            [session = m_session, dialog] { session->setInputs(dialog->description()); });
    dialog->open();
}

void RunCenter::verify() {
    if (!m_session) return;
    Q_EMIT verifyPanelRequested();
    if (m_session->missing().isEmpty()) m_session->verify();
    else editInputs();
}

} // namespace ui
