// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_session.h"

#include "ui/document/node_facts.h"

#include <QStandardPaths>

namespace ui {

namespace {

const QString kPanel = QStringLiteral("quantise");

/// Where pasted nodes are as well: what no process and no journal needs is removed from there.
std::string resultFolder() {
    return (QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/lancet/pasted"))
        .toStdString();
}

/// "batches.pt: cannot open the file", with the node or module and the remedy where they are known.
QString textOf(const fx::Error& error) {
    QString text = elided(error.what(), 600);
    for (const std::string* place : {&error.modulePath, &error.node, &error.file})
        if (!place->empty() && !text.contains(elided(*place))) text = elided(*place) + QStringLiteral(": ") + text;
    if (!error.hint.empty()) text += QStringLiteral("; ") + elided(error.hint);
    return text;
}

} // namespace

QuantSession::QuantSession(RunSession& run, WorkerService& worker, QObject* parent)
    : QObject(parent), m_run(run), m_worker(worker), m_workerLives(&worker),
      m_choices(QuantChoices::fromJson(run.document().panelView(kPanel))) {
    connect(&document(), &Document::panelViewsRestored, this, [this] {
        m_choices = QuantChoices::fromJson(document().panelView(kPanel));
        Q_EMIT changed();
    });
    connect(&document(), &Document::stateChanged, this, &QuantSession::changed);
    connect(&document(), &Document::versionChanged, this, &QuantSession::changed);
    connect(&run, &RunSession::inputsChanged, this, &QuantSession::changed);
}

QuantSession::~QuantSession() {
    if (m_workerLives) m_worker.cancel(key());
}

QuantSession* QuantSession::of(RunSession& run, WorkerService& worker) {
    auto* known = run.findChild<QuantSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new QuantSession(run, worker, &run);
}

void QuantSession::setChoices(const QuantChoices& choices) {
    if (choices == m_choices) return;
    m_choices = choices;
    document().setPanelView(kPanel, choices.toJson());
    Q_EMIT changed();
}

bool QuantSession::needsInputs() const {
    return document().state() == Document::State::Ready && m_choices.calibrates() && m_choices.dataFile.isEmpty() &&
           !m_run.missing().isEmpty();
}

QString QuantSession::whyNot() const {
    if (document().state() != Document::State::Ready) return tr("No model is open");
    if (isBusy()) return tr("The model is being quantised");
    if (!document().module()->lifted.empty())
        return tr("This is an exported program. Quantise it with lancet quantize on the command line");
    if (m_choices.mode == fx::quant::Mode::Qat && m_choices.form != QuantChoices::Form::Prepared)
        return tr("Mode qat makes a model for training. Choose the form prepared");
    if (needsInputs()) return tr("Random inputs need shapes: %1").arg(m_run.missing());
    return {};
}

void QuantSession::quantise() {
    if (!whyNot().isEmpty()) return;
    if (document().operations().isRunning(DocumentOperations::Kind::Edit)) {
        Q_EMIT document().refused(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
        return;
    }
    const QString name = tr("Quantise (%1, %2, %3)")
                             .arg(QString::fromUtf8(fx::quant::backendName(m_choices.backend)),
                                  QString::fromUtf8(fx::quant::modeName(m_choices.mode)), formName(m_choices.form));
    m_told.clear();
    m_doing = tr("waiting for the worker"), m_done = 0;
    m_operation = document().operations().begin(DocumentOperations::Kind::Edit,
                                                tr("Quantising %1").arg(document().title()), [this] { cancel(); });
    m_worker.request<Quantised>(
        key(),
        [version = document().module(), choices = m_choices, inputs = m_run.inputs(), folder = resultFolder()](
            const WorkerCall& call) { return quantiseVersion(call, version, choices, inputs, folder); },
        this, [this, name, before = document().module()](Quantised made) { take(name, before, std::move(made)); },
        [this](const fx::Error& error) {
            end();
            tell(textOf(error), true);
        },
        [this](const QString& what, double done) {
            m_doing = what, m_done = done;
            document().operations().report(m_operation, what, done);
            Q_EMIT progressed();
        });
    Q_EMIT changed();
}

void QuantSession::take(const QString& name, const std::shared_ptr<const fx::GraphModule>& before, Quantised made) {
    end();
    if (document().module() != before) {
        Q_EMIT document().refused(
            fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_stale", {{"name", name.toStdString()}})));
        return Q_EMIT changed();
    }
    if (made.observers == 0) return tell(tr("Nothing in this model can be quantised with these settings."), false);
    m_files.push_back(made.file);
    document().adoptEdit(name, made.steps, made.model);
    QString told =
        tr("%1 observers, %2 of them share another's; %3 nodes stay in floating point.")
            .arg(QString::number(made.observers), QString::number(made.shared), QString::number(made.unquantised));
    if (made.batches > 0) told += u' ' + tr("Calibrated with %1 batches.").arg(made.batches);
    for (const fx::Warning& warning : made.warnings)
        told += u'\n' + tr("Warning: %1").arg(elided(warning.what.text(), 300));
    tell(told, false);
    Q_EMIT notified(tr("%1. Press Ctrl+Z to undo.").arg(name));
}

void QuantSession::tell(const QString& what, bool isBad) {
    m_told = what, m_toldBad = isBad;
    Q_EMIT changed();
}

void QuantSession::end() {
    m_doing.clear();
    document().operations().end(std::exchange(m_operation, 0));
}

void QuantSession::cancel() {
    if (!isBusy()) return;
    m_worker.cancel(key());
    end();
    tell(tr("Cancelled; nothing has changed."), false);
}

} // namespace ui
