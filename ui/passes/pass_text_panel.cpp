// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/pass_text_panel.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "ui/code/code_view.h"
#include "ui/document/node_facts.h"
#include "ui/passes/pass_completion.h"
#include "ui/passes/pass_engine.h"
#include "ui/passes/shipped_passes.h"
#include "ui/run/run_center.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/overwrite_question.h"
#include "ui/widgets/role.h"
#include "ui/widgets/save_path.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{4} << 20;

const QByteArray kEmptyPass = QByteArrayLiteral("import torch\n"
                                                "from torch import fx\n"
                                                "\n"
                                                "\n"
                                                "def my_pass(gm: fx.GraphModule) -> fx.GraphModule:\n"
                                                "    for node in gm.graph.nodes:\n"
                                                "        pass\n"
                                                "    gm.recompile()\n"
                                                "    return gm\n");

/// The line of an error, from 0; -1: none.
int lineOf(const fx::Error& error) { return static_cast<int>(error.textPlace.line) - 1; }

/// The bytes of a line without its indentation.
CodeView::Fault faultAt(const QByteArray& text, int line, const QString& message) {
    qsizetype begin = 0;
    for (int i = 0; i < line && begin >= 0; ++i) begin = text.indexOf('\n', begin) + 1;
    qsizetype end = text.indexOf('\n', begin);
    if (end < 0) end = text.size();
    while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
    return {begin, std::max<qsizetype>(end - begin, 1), message};
}

} // namespace

void PassTextPanel::setDocument(Document* document) {
    keep();
    if (m_session) m_session->disconnect(this);
    if (m_document) m_document->release(this);
    m_document = document;
    m_session = document ? PassesSession::of(*document, m_runs) : nullptr;
    m_checking.cancel();
    if (document)
        connect(document, &Document::versionChanged, this, [this] { // what was said is about another version
            m_checking.cancel();
            setStatus("muted", {});
            if (isVisible()) check();
        });
    const auto showFirst = [this] {
        m_pass.reset();
        const PassChoices choices = m_session ? m_session->choices() : PassChoices();
        for (const PassChoice& pass : choices.passes)
            if (pass.isText()) return edit(pass);
        showTitle();
    };
    if (m_session) {
        connect(m_session, &PassesSession::choicesRestored, this, showFirst);
        connect(m_session, &PassesSession::changed, this, &PassTextPanel::showTitle);
    }
    showFirst();
}

void PassTextPanel::edit(const PassChoice& pass) {
    keep();
    if (pass.text) return show(pass, *pass.text);
    try {
        const QByteArray text = QByteArray::fromStdString(fx::readTextFile(pass.file.toStdString(), kMaxText));
        m_onDisk.insert(pass.file, text);
        show(pass, text);
    } catch (const fx::Error& error) {
        m_pass.reset();
        showTitle();
        setStatus("error", tr("Could not read %1: %2").arg(pass.label(), linesFromCore(error.what())));
    }
}

void PassTextPanel::editNew(const QString& templateName) {
    if (!m_session) return;
    PassChoice pass;
    pass.text = kEmptyPass;
    for (const ShippedPass& shipped : shippedPasses())
        if (shipped.name == templateName) pass.text = shipped.text;
    const QString base = templateName.isEmpty() ? QStringLiteral("my_pass") : templateName;
    const auto taken = [&](const QString& file) {
        const auto& passes = m_session->choices().passes;
        return std::any_of(passes.begin(), passes.end(), [&](const PassChoice& each) { return each.file == file; });
    };
    pass.file = base + QStringLiteral(".py");
    for (int number = 2; taken(pass.file); ++number) pass.file = QStringLiteral("%1_%2.py").arg(base).arg(number);
    keep();
    Q_EMIT textChanged(pass);
    show(pass, *pass.text);
    m_editor->setFocus();
}

void PassTextPanel::show(PassChoice pass, const QByteArray& text) {
    m_pause.stop();
    m_pass = std::move(pass);
    m_editor->setLines(text, 0);
    m_editor->markFaults({});
    setStatus("muted", {});
    showTitle();
    Q_EMIT shown();
    check();
}

void PassTextPanel::showTitle() {
    m_editor->setVisible(m_pass.has_value());
    m_hint->setVisible(!m_pass);
    m_status->setVisible(m_pass.has_value());
    m_title->setText(m_pass ? m_pass->label() + (m_pass->text ? QStringLiteral(" •") : QString()) : tr("No pass text"));
    m_title->setToolTip(m_pass ? plainToolTip(visible(m_pass->file)) : QString());
    const bool ready = m_pass && m_document && m_document->state() == Document::State::Ready;
    m_save->setEnabled(m_pass && (m_pass->text || m_pass->isUnsaved()));
    m_run->setEnabled(ready && m_session && !m_session->isBusy());
    m_onSelection->setEnabled(m_run->isEnabled() && !m_document->selection().nodes().empty());
}

void PassTextPanel::typed() {
    if (!m_pass) return;
    m_pass->text = m_editor->bytes();
    m_checking.cancel();
    m_editor->markFaults({});
    m_pause.start();
    showTitle();
}

void PassTextPanel::keep() {
    if (!m_pass || !m_pass->text || !m_session) return;
    m_pause.stop();
    for (const PassChoice& each : m_session->choices().passes)
        if (each.isText() && each.file == m_pass->file && each.text == m_pass->text) return;
    Q_EMIT textChanged(*m_pass);
}

/// Runs it on a copy of the model: what is wrong is where Python would raise.
void PassTextPanel::check() {
    if (!m_pass || !m_document || m_document->state() != Document::State::Ready) return;
    PassChoices alone;
    alone.passes = {*m_pass};
    alone.passes.front().ticked = true;
    alone.passes.front().text = m_editor->bytes();
    const RunSession* session = m_runs.sessionOf(*m_document);
    const PassJob job{
        QJsonDocument(alone.pipeline()).toJson(QJsonDocument::Compact), {0}, false, m_document->readers()};
    m_checking.start(
        [model = m_document->module(), job, worker = QPointer(&m_runs.worker()),
         inputs = session ? session->inputs() : fx::InputDescription()](const fx::Progress& progress) {
            PassEngine engine(worker, inputs, {}, progress);
            const PassRecord record = recordPasses(model, job, engine, progress);
            Tried tried{record.problem, 0, record.changed()};
            for (const RecordedPass& pass : record.passes) tried.rewrites += pass.rewrites.size();
            return tried;
        },
        this,
        [this](const Tried& tried) {
            if (tried.problem) return showError(m_pass->file, *tried.problem);
            setStatus("muted", tried.changed ? tried.rewrites == 1
                                                   ? tr("Fits this model: 1 rewrite")
                                                   : tr("Fits this model: %1 rewrites").arg(tried.rewrites)
                                             : tr("Fits this model and would change nothing"));
        },
        [this](const fx::Error& error) {
            if (error.kind() != fx::ErrorKind::Cancelled) showError(m_pass ? m_pass->file : QString(), error);
        });
}

void PassTextPanel::showError(const QString& file, const fx::Error& error) {
    if (!m_pass || file != m_pass->file) return;
    // The frame that says which pass failed is known here.
    const std::string reason = error.message().argument("reason");
    const QString what = linesFromCore(reason.empty() ? std::string(error.what()) : reason);
    const int line = error.file.empty() || QString::fromStdString(error.file) == m_pass->file ? lineOf(error) : -1;
    if (line >= 0) m_editor->markFaults({faultAt(m_editor->bytes(), line, what)});
    setStatus("error", elidedLines((line >= 0 ? tr("Line %1: %2").arg(line + 1).arg(what) : what).toStdString(), 300));
    m_status->setToolTip(plainToolTip(what));
}

void PassTextPanel::setStatus(const char* role, const QString& text) {
    m_status->setText(text);
    m_status->setToolTip({});
    setRole(*m_status, role);
}

void PassTextPanel::complete() {
    const auto position = static_cast<unsigned long>(m_editor->SendScintilla(QsciScintilla::SCI_GETCURRENTPOS));
    int line = 0, column = 0;
    m_editor->getCursorPosition(&line, &column);
    const long start = m_editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const QByteArray before = m_editor->bytes().mid(start, static_cast<qsizetype>(position) - start);
    if (before.endsWith('(')) {
        qsizetype begin = before.size() - 1;
        while (begin > 0 && (std::isalnum(static_cast<unsigned char>(before[begin - 1])) || before[begin - 1] == '_'))
            --begin;
        const QByteArray signature = signatureOf(before.mid(begin, before.size() - 1 - begin));
        if (!signature.isEmpty())
            m_editor->SendScintilla(QsciScintilla::SCI_CALLTIPSHOW, position, signature.constData());
        return;
    }
    int typed = 0;
    const QByteArrayList names = completionsAt(before, typed);
    if (names.isEmpty()) return;
    m_editor->SendScintilla(QsciScintilla::SCI_AUTOCSHOW, static_cast<unsigned long>(typed),
                            names.join(' ').constData());
}

void PassTextPanel::save() {
    if (!m_pass) return;
    m_pass->isUnsaved() ? saveAs() : saveTo(m_pass->file);
}

void PassTextPanel::saveAs() {
    if (!m_pass) return;
    const QString path =
        askSavePath(this, tr("Save Pass"), m_pass->file, {{QStringLiteral(".py"), tr("Python (*.py)")}});
    if (!path.isEmpty()) saveTo(path);
}

void PassTextPanel::noteFile(const QString& path) {
    try {
        m_onDisk.insert(path, QByteArray::fromStdString(fx::readTextFile(path.toStdString(), kMaxText)));
    } catch (const fx::Error&) { m_onDisk.remove(path); }
}

/// Asks when another program has written the file since it was read or saved here.
bool PassTextPanel::mayOverwrite(const QString& path) {
    const auto known = m_onDisk.constFind(path);
    if (known == m_onDisk.constEnd()) return true;
    try {
        if (fx::readTextFile(path.toStdString(), kMaxText) == known->toStdString()) return true;
    } catch (const fx::Error&) { return true; } // it has gone
    OverwriteQuestion box(visible(QFileInfo(path).fileName()), this);
    box.exec();
    return box.isYes();
}

void PassTextPanel::saveTo(const QString& path) {
    if (const auto refused = PathGuard::refusal(this, path))
        return Q_EMIT failed(tr("Could not save %1").arg(nameOfPath(path)), *refused);
    if (!m_pass || !m_session || !mayOverwrite(path)) return;
    if (!m_pass || !m_session) return; // the question turned the event loop
    const QString old = m_pass->file;
    try {
        fx::ReplacedFile file(path.toStdString());
        file.write(m_editor->bytes().toStdString());
        file.commit();
    } catch (const fx::Error& error) {
        return Q_EMIT failed(tr("Could not save %1").arg(visible(QFileInfo(path).fileName())), error);
    }
    noteFile(path);
    m_pause.stop();
    PassChoices choices = m_session->choices();
    m_pass->file = path, m_pass->text.reset();
    for (PassChoice& each : choices.passes)
        if (each.isText() && each.file == old) each.file = path, each.text.reset();
    m_session->setChoices(std::move(choices));
    Q_EMIT m_session->choicesRestored();
    Q_EMIT notified(tr("Saved %1.").arg(path));
}

/// Keys that belong to the text while it is typed.
bool PassTextPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_editor && event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<QKeyEvent&>(*event);
        if (key.matches(QKeySequence::Save) && m_pass) {
            event->accept();
            return true;
        }
    }
    if (watched == m_editor && event->type() == QEvent::KeyPress) {
        const auto& key = static_cast<QKeyEvent&>(*event);
        if (key.matches(QKeySequence::Save) && m_pass) {
            save();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ui
