// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_session.h"

#include "core/edit/quantised_of.h"
#include "ui/document/kept_files.h"
#include "ui/document/node_facts.h"
#include "ui/quant/quant_marks.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QFileInfo>

namespace ui {

namespace {

const QString kPanel = QStringLiteral("quantise");

/// "batches.pt: batch 3 of 4: input 'x' contains NaN", with the node or module and the remedy where they are known.
QString textOf(const fx::Error& error) {
    QString text = elidedLines(error.what(), 600);
    for (const std::string* place : {&error.where, &error.modulePath, &error.node, &error.file})
        if (!place->empty() && !text.contains(elided(*place))) text = elided(*place) + QStringLiteral(": ") + text;
    if (!error.hint.empty()) text += QStringLiteral("; ") + elidedLines(error.hint);
    return text;
}

} // namespace

QuantSession::QuantSession(RunSession& run, WorkerService& worker, QObject* parent)
    : QObject(parent), m_run(run), m_worker(worker), m_workerLives(&worker),
      m_choices(QuantChoices::fromJson(run.document().panelViews().of(kPanel))) {
    connect(&document().panelViews(), &PanelViews::restored, this, [this] {
        m_choices = QuantChoices::fromJson(document().panelViews().of(kPanel));
        m_earlierRules.clear(), m_laterRules.clear();
        findPlan();
        Q_EMIT changed();
    });
    for (const auto signal : {&Document::stateChanged, &Document::versionChanged}) {
        connect(&document(), signal, this, &QuantSession::findPlan);
        connect(&document(), signal, this, &QuantSession::changed);
    }
    connect(&run, &RunSession::inputsChanged, this, [this] {
        restoreScan(); // what was measured with these inputs
        Q_EMIT changed();
    });
    findPlan();
}

QuantSession::~QuantSession() {
    if (m_workerLives) m_worker.cancel(key());
}

QuantSession* QuantSession::of(RunSession& run, WorkerService& worker) {
    auto* known = run.findChild<QuantSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new QuantSession(run, worker, &run);
}

void QuantSession::setChoices(const QuantChoices& choices) {
    if (choices.rules != m_choices.rules) {
        m_earlierRules.push_back(m_choices.rules);
        m_laterRules.clear();
    }
    applyChoices(choices);
}

void QuantSession::stepRules(bool redo) {
    if (!canStepRules(redo)) return;
    auto &from = redo ? m_laterRules : m_earlierRules, &to = redo ? m_earlierRules : m_laterRules;
    QuantChoices choices = m_choices;
    to.push_back(std::exchange(choices.rules, std::move(from.back())));
    from.pop_back();
    applyChoices(choices);
}

void QuantSession::applyChoices(const QuantChoices& choices) {
    if (choices == m_choices) return;
    if (!isBusy()) m_told.clear(); // it is about other choices
    m_choices = choices;
    document().panelViews().set(kPanel, choices.toJson());
    findPlan();
    Q_EMIT changed();
}

bool QuantSession::needsInputs() const {
    return document().state() == Document::State::Ready && m_choices.calibrates() && !inputs() &&
           m_choices.dataFile.isEmpty();
}

QString QuantSession::madeWith() const {
    std::optional<std::string> file;
    const fx::History* history = document().versions().history();
    for (std::size_t i = history ? history->current() : 0; i > 0 && !file; --i)
        file = fx::quantisedWith(history->entries()[i].steps);
    return !file           ? QString()
           : file->empty() ? tr("This version was quantised without a data file.")
                           : tr("This version was quantised with %1.").arg(QFileInfo(fromCore(*file)).fileName());
}

std::optional<fx::InputDescription> QuantSession::inputs() const {
    return m_run.missing().isEmpty() ? std::optional(m_run.inputs()) : std::nullopt;
}

QString QuantSession::whyNot() const {
    if (document().state() != Document::State::Ready) return tr("No model is open");
    if (isBusy()) return tr("The model is being quantised");
    if (!document().module()->lifted.empty()) {
        // torchao's PT2E: one quantizer, and what an exported program can express
        if (m_choices.backend != fx::quant::Backend::X86) return tr("Exported programs have the backend x86 only");
        if (m_choices.form != QuantChoices::Form::Converted)
            return tr("Exported programs have the form converted only");
        if (m_choices.mode == fx::quant::Mode::WeightOnly || m_choices.mode == fx::quant::Mode::Qat)
            return tr("Exported programs have the modes static and dynamic");
    }
    if (m_choices.mode == fx::quant::Mode::Qat && m_choices.form != QuantChoices::Form::Prepared)
        return tr("Mode qat makes a model for training. Choose the form prepared");
    if (!m_noPlan.isEmpty() && !m_planning.running()) return m_noPlan;
    if (needsInputs()) return tr("Random inputs need shapes: %1").arg(m_run.missing());
    return {};
}

void QuantSession::quantise() {
    if (!whyNot().isEmpty()) return;
    if (document().operations().isRunning(DocumentOperations::Kind::Edit)) {
        Q_EMIT document().versions().refused(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
        return;
    }
    QStringList settings{fromCore(fx::quant::backendName(m_choices.backend)),
                         fromCore(fx::quant::modeName(m_choices.mode)), formName(m_choices.form)};
    if (m_choices.calibrates() && !m_choices.dataFile.isEmpty())
        settings << visible(QFileInfo(m_choices.dataFile).fileName());
    const QString name = tr("Quantise (%1)").arg(settings.join(QStringLiteral(", ")));
    begin<Quantised>(
        tr("Quantising %1").arg(document().file().title()),
        [version = document().module(), choices = m_choices, inputs = inputs(), folder = keptFilesFolder()](
            const WorkerCall& call) { return quantiseVersion(call, version, choices, inputs, folder); },
        [this, name, before = document().module()](Quantised made) { take(name, before, std::move(made)); });
}

void QuantSession::fail(const fx::Error& error) {
    endScan();
    end();
    tell(textOf(error), true);
}

void QuantSession::progress(const QString& doing, double part) {
    m_doing = doing, m_done = part;
    if (m_scanning) {
        const fx::quant::SensitivityScan scan = m_scanning->get();
        m_doing = fromCore(m_pace.text(scan.done.size(), doing.toStdString()));
        m_done = m_pace.share(scan.done.size(), part);
        keepScan();
    }
    document().operations().report(m_operation, m_doing, m_done);
    Q_EMIT progressed();
}

void QuantSession::take(const QString& name, const std::shared_ptr<const fx::GraphModule>& before, Quantised made) {
    end();
    if (document().module() != before) {
        Q_EMIT document().versions().refused(
            fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_stale", {{"name", name.toStdString()}})));
        return Q_EMIT changed();
    }
    if (!made.isAnything) return tell(tr("Nothing has changed.") + warningsText(made.warnings), false);
    m_files.push_back(made.file);
    m_measured = std::move(made.measured), m_measuredPlan = {};
    if (m_plan.version == before) m_measuredPlan = std::exchange(m_plan, {});
    document().versions().adoptEdit(name, made.steps, made.model);
    keepMeasured();
    tell(madeText(made), false);
    Q_EMIT planChanged();
}

QString QuantSession::madeText(const Quantised& made) const {
    QStringList told;
    const QString kept = counted(qint64(made.unquantised), tr("1 node stays"), tr("%1 nodes stay"));
    const auto layers = qint64(m_measuredPlan.layers.size());
    told << (made.observers > 0
                 ? tr("%1 at %2; %3 in floating point.")
                       .arg(counted(qint64(made.observers - made.shared), tr("1 observer"), tr("%1 observers")),
                            counted(qint64(made.observers), tr("1 place"), tr("%1 places")), kept)
             : layers > 0 ? tr("%1; %2 in floating point.")
                                .arg(counted(layers, tr("1 layer is quantised"), tr("%1 layers are quantised")), kept)
                          : tr("No observers; %1 in floating point.").arg(kept));
    if (made.batches > 0)
        told << counted(qint64(made.batches), tr("Calibrated with 1 batch."), tr("Calibrated with %1 batches."));
    if (m_measured->errors) {
        const QString sqnr = decibelText(m_measured->errors->output.sqnr());
        told << (m_measured->choices.dataFile.isEmpty() ? tr("SQNR of the output on random inputs: %1.").arg(sqnr)
                                                        : tr("SQNR of the output: %1.").arg(sqnr));
    }
    told
        << tr("%1 of tensors before, %2 now.").arg(byteText(m_measured->bytesBefore), byteText(m_measured->bytesAfter));
    return told.join(u' ') + warningsText(made.warnings);
}

QString QuantSession::warningsText(const fx::Warnings& warnings) {
    QString text;
    for (const fx::Warning& warning : warnings) {
        text += u'\n' + tr("Warning: %1").arg(elidedLines(warning.what.text(), 300));
        if (const std::string hint = warning.what.hint(); !hint.empty())
            text += QStringLiteral("; ") + elidedLines(hint);
    }
    return text;
}

void QuantSession::tell(const QString& what, bool isBad) {
    m_told = what, m_toldBad = isBad;
    m_toldOf = document().module();
    Q_EMIT changed();
}

void QuantSession::end() {
    m_doing.clear();
    document().operations().end(std::exchange(m_operation, 0));
}

void QuantSession::cancel() {
    if (!isBusy()) return;
    m_worker.cancel(key());
    const bool wasScan = m_scanning != nullptr;
    endScan();
    end();
    const auto done = m_scan.done.size();
    tell(!wasScan   ? tr("Cancelled; nothing has changed.")
         : done > 0 ? counted(done, tr("Scan stopped after 1 layer. Press Resume Scan to measure the others."),
                              tr("Scan stopped after %1 layers. Press Resume Scan to measure the others."))
                    : tr("Scan stopped before a layer was measured."),
         false);
}

} // namespace ui
