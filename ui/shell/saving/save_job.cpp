// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_job.h"

#include "core/io/ir_json/ir_json.h"
#include "ui/document/edit_text.h"
#include "ui/document/node_facts.h"
#include "ui/document/random_weights.h"
#include "ui/shell/saving/name_warning.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/overwrite_question.h"
#include "ui/widgets/save_path.h"

#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>

namespace ui {

SaveJob::SaveJob(Document& document, SaveRequest request, QWidget* window)
    : QObject(&document), m_document(document), m_request(std::move(request)), m_window(window) {
    m_operation = document.operations().begin(DocumentOperations::Kind::Save,
                                              tr("Saving %1").arg(nameOfPath(m_request.path)), [this] { cancel(); });
}

SaveJob::~SaveJob() {
    m_stop.request_stop();
    delete m_question;
}

void SaveJob::start(bool inFront) {
    m_inFront = inFront;
    check();
}

void SaveJob::check() {
    const auto known = isSamePath(m_document.file().path(), m_request.path) ? m_document.file().onDisk() : std::nullopt;
    m_checking.start(
        [version = m_request.version, path = m_request.path, known](const fx::Progress& progress) {
            fx::checkTarget(path.toStdString()); // nobody is to answer questions before that is refused
            const auto now = known ? identityAt(path, known->modelName) : std::nullopt;
            const bool changed = now && !known->difference(*now).empty();
            const std::string weights = path.endsWith(QLatin1String(".json"))
                                            ? fx::foreignWeights(path.toStdString(), progress)
                                            : std::string();
            return Checked{fx::foresee(*version, fx::savedAs(path.toStdString()), progress), changed, now,
                           QString::fromStdString(weights)};
        },
        this,
        [this](const Checked& checked) {
            m_onDisk = checked.onDisk;
            if (checked.changedOnDisk) askAboutDisk(checked);
            else askAboutWeights(checked);
        },
        [this](const fx::Error& error) { fail(error); },
        [this](const QString&, double done) {
            m_document.operations().report(m_operation, tr("Checking what PyTorch will read"), done);
        });
}

void SaveJob::askAboutDisk(const Checked& checked) {
    auto* box = new OverwriteQuestion(nameOfPath(m_request.path), m_window);
    box->setModal(false);
    connect(box, &QDialog::finished, this, [this, box, checked] {
        if (box->isYes()) askAboutWeights(checked);
        else cancel();
    });
    ask(box);
}

/// The file dialog has asked about NAME.json only.
void SaveJob::askAboutWeights(const Checked& checked) {
    if (checked.foreignWeights.isEmpty()) return askAboutPoints(checked.points);
    const QString name = nameOfPath(checked.foreignWeights);
    auto* box = new OverwriteQuestion(
        name, tr("%1 exists. Overwrite it?").arg(name),
        tr("The weights of %1 are saved in this file, which was not written with it.").arg(nameOfPath(m_request.path)),
        m_window);
    box->setModal(false);
    connect(box, &QDialog::finished, this, [this, box, points = checked.points] {
        if (box->isYes()) askAboutPoints(points);
        else cancel();
    });
    ask(box);
}

/// When all stays as it is, nothing is asked.
void SaveJob::askAboutPoints(std::vector<fx::Foreseen> points) {
    const auto isName = [](const fx::Foreseen& point) { return point.kind == fx::Foreseen::Kind::Renamed; };
    if (!warnsAboutNames(m_document)) std::erase_if(points, isName);
    if (points.empty()) return write();
    auto* sheet = new SaveSheet(m_request.path, points, m_window);
    if (QCheckBox* silence = sheet->silence())
        connect(sheet, &QDialog::accepted, &m_document, [document = &m_document, silence] {
            if (silence->isChecked()) setWarnsAboutNames(*document, false);
        });
    connect(sheet, &SaveSheet::nodeRequested, &m_document, [document = &m_document](const QString& name) {
        document->selection().goTo(document->module()->graph.find(name.toStdString()), nullptr);
    });
    connect(sheet, &QDialog::accepted, this, &SaveJob::write);
    connect(sheet, &QDialog::rejected, this, &SaveJob::cancel);
    ask(sheet);
}

void SaveJob::ask(QDialog* question) {
    if (m_question) m_question->deleteLater();
    m_question = question;
    question->setAttribute(Qt::WA_DeleteOnClose);
    leaveWithVersion(question);
    const QString name = nameOfPath(m_request.path);
    m_document.operations().report(m_operation, tr("Waiting for an answer"), 0);
    m_document.operations().setAsking(m_operation, true);
    if (!m_inFront) Q_EMIT notified(tr("Saving %1 needs an answer: go to its tab.").arg(name));
    setInFront(m_inFront);
}

/// What it says is about one version: whoever changes the model then wants to save the new one.
void SaveJob::leaveWithVersion(QDialog* question) {
    connect(&m_document, &Document::versionChanged, question, [this, question] {
        if (m_document.module() != m_request.version) question->reject();
    });
}

void SaveJob::setInFront(bool inFront) {
    m_inFront = inFront;
    if (!m_question) return;
    m_question->setVisible(inFront);
    if (inFront) m_question->raise();
}

/// The stop is the job's own: whether the file was written is known only when the work has ended. The file may have
/// changed while something was asked.
void SaveJob::write() {
    if (m_question) m_question->deleteLater();
    m_question.clear();
    m_document.operations().setAsking(m_operation, false);
    Q_EMIT notified(tr("Saving %1…").arg(visible(m_request.path)));
    m_writing.start(
        [request = m_request, stop = m_stop.get_token(), onDisk = m_onDisk](const fx::Progress& reports) {
            const auto now = onDisk ? identityAt(request.path, onDisk->modelName) : std::nullopt;
            if (now && !onDisk->difference(*now).empty()) return Written{{}, true};
            return Written{writeSaved(request, fx::Progress(stop, [&reports](std::string_view what, double done) {
                                          reports.report(what, done);
                                      }))};
        },
        this, [this](const Written& written) { take(written); }, [this](const fx::Error& error) { fail(error); },
        [this](const QString& what, double done) { m_document.operations().report(m_operation, what, done); });
}

void SaveJob::take(const Written& written) {
    if (written.changedOnDisk) return m_stop.stop_requested() ? cancel() : check();
    const SavedFile& saved = written.saved;
    const QString& path = m_request.path;
    if (!path.endsWith(QLatin1String(".py"))) { // source alone is not the model
        if (m_document.source()) {              // its file is the source
            m_document.setSaved(m_request.version);
        } else {
            m_document.file().setOnDisk(saved.identity);
            m_document.setSaved(m_request.version, path);
        }
    }
    const bool compared = saved.report.verified && !path.endsWith(QLatin1String(".py")); // of source, the text was
    QString text = (compared ? tr("Saved %1 and compared it with the model.") : tr("Saved %1.")).arg(visible(path));
    if (m_document.draft()) text += u' ' + tr("It does not contain the unapplied code.");
    const bool tellsNames = warnsAboutNames(m_document);
    for (const fx::Warning& warning : saved.report.warnings) {
        const bool isName = warning.what.is("foresee.renamed") || warning.what.is("foresee.renamed_in_folder");
        if (isName && !tellsNames) continue;
        text += u' ' + tr("Warning: %1").arg(linesFromCore(warning.what.text()));
        break;
    }
    if (m_document.module() == m_request.version && !m_document.shapes().failures().empty()) {
        const fx::NodeId failed = m_document.shapes().failures().front().first;
        const bool guessed = !m_document.shapes().notes()->guessed.isEmpty();
        text += u' ' + (guessed ? tr("Warning: with guessed inputs the model fails at %1; see Problems.")
                                : tr("Warning: with its inputs the model fails at %1; see Problems."))
                           .arg(elided(m_request.version->graph.node(failed).name(), 60));
    }
    if (m_document.module() == m_request.version)
        if (const QString random = randomWeightsText(m_document.randomWeights().current().modules); !random.isEmpty())
            text += u' ' + random + u'.';
    Q_EMIT notified(text);
    finish(Outcome::Saved);
}

void SaveJob::fail(const fx::Error& error) {
    Q_EMIT notified(tr("%1 was not saved.").arg(nameOfPath(m_request.path)));
    if (error.kind() == fx::ErrorKind::Cancelled) return finish(Outcome::Cancelled);
    const QString failure = tr("Could not save %1").arg(nameOfPath(m_request.path));
    finish(Outcome::Failed);
    Q_EMIT m_document.operations().failed(failure, error);
}

void SaveJob::cancel() {
    if (!m_operation) return; // it has ended
    m_stop.request_stop();
    if (m_writing.running()) return m_document.operations().report(m_operation, tr("Cancelling"), 0);
    m_checking.cancel();
    fail(fx::Error(fx::ErrorKind::Cancelled, fx::Message("app.cancelled")));
}

void SaveJob::finish(Outcome outcome) {
    if (m_question) m_question->disconnect(this), m_question->deleteLater();
    m_question.clear();
    m_document.operations().end(std::exchange(m_operation, 0));
    Q_EMIT finished(outcome);
    deleteLater();
}

} // namespace ui
