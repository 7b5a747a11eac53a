// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_editing.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"

#include <QLoggingCategory>

namespace ui {

namespace {

constexpr int kPause = 150;      // milliseconds without a key before the text is checked
constexpr int kSlowAfter = 1000; // milliseconds

/// Off by default; QT_LOGGING_RULES="lancet.code.debug=true" tells what comes of what is typed.
Q_LOGGING_CATEGORY(codeLog, "lancet.code", QtWarningMsg)

const char* wordFor(CodeEditing::State state) {
    using State = CodeEditing::State;
    switch (state) {
    case State::Clean: return "clean";
    case State::Checking: return "checking";
    case State::Stopped: return "stopped";
    case State::Faulty: return "faulty";
    case State::Ready: return "ready";
    case State::Outdated: return "outdated";
    }
    return "";
}

std::string_view view(const QByteArray& bytes) { return {bytes.constData(), static_cast<std::size_t>(bytes.size())}; }

} // namespace

CodeEditing::CodeEditing(QObject* parent) : QObject(parent) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    connect(&m_pause, &QTimer::timeout, this, &CodeEditing::startCheck);
    m_slowAfter.setSingleShot(true);
    m_slowAfter.setInterval(kSlowAfter);
    connect(&m_slowAfter, &QTimer::timeout, this, [this] {
        if (!m_check.running()) return;
        m_slow = true;
        setState(State::Checking, tr("Checking the code…"));
    });
}

void CodeEditing::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_pause.stop();
    m_check.cancel();
    m_merge.cancel();
    if (m_applying && m_document) { // it goes on while another document is in front
        waitToApply(false);
        applyDraft(*m_document, [](bool) {});
    }
    m_applying = 0;
    m_mergeNote.clear();
    m_document = document;
    if (document) {
        connect(&document->facts(), &VersionFacts::codeChanged, this, &CodeEditing::follow);
        connect(document, &Document::draftChanged, this, &CodeEditing::followDraft);
    }
    if (!document || !document->draft()) return setState(State::Clean);
    setState(State::Checking);
    follow();
    if (m_state != State::Outdated) startCheck();
}

void CodeEditing::setText(const QByteArray& text, const std::shared_ptr<const fx::PythonCode>& base,
                          const std::shared_ptr<const fx::GraphModule>& version) {
    if (!m_document) return;
    const bool outdated = m_state == State::Outdated;
    if (!m_document->draft()) m_document->setDraft(CodeDraft{text, base, version});
    CodeDraft draft = *m_document->draft();
    draft.text = text;
    m_check.cancel();
    waitToApply(false);
    if (view(text) == draft.base->text && !outdated) {
        m_pause.stop();
        setState(State::Clean);
        return m_document->setDraft({});
    }
    m_document->setDraft(std::move(draft));
    if (outdated) return;
    m_pause.start();
    if (m_state == State::Clean || m_state == State::Stopped) setState(State::Checking);
}

/// What the document has generated is the code of another version than the draft's.
void CodeEditing::follow() {
    if (!m_document || !m_document->draft() || !m_document->facts().code()) return;
    CodeDraft draft = *m_document->draft();
    if (draft.version == m_document->module()) return;
    m_check.cancel();
    m_pause.stop();
    if (draft.base->text == m_document->facts().code()->text) { // the same code after all
        draft.base = m_document->facts().code();
        draft.version = m_document->module();
        m_document->setDraft(std::move(draft));
        return startCheck();
    }
    if (view(draft.text) == m_document->facts().code()->text) return revert();
    m_errors.clear();
    setState(State::Outdated, tr("The model has changed since you started typing."));
}

// ── checking ─────────────────────────────────────────────────────────────────────────────────────────────────────

void CodeEditing::startCheck() {
    if (!m_document || !m_document->draft()) return;
    m_pause.stop();
    if (m_state == State::Clean || m_applying) setState(State::Checking);
    const CodeDraft& draft = *m_document->draft();
    m_slowAfter.start();
    m_check.start([version = draft.version,
                   text = draft.text](const fx::Progress& progress) { return checkDraft(version, text, progress); },
                  this, [this](DraftCheck checked) { take(std::move(checked)); },
                  [this](const fx::Error& error) {
                      m_errors.clear();
                      setState(State::Faulty, linesFromCore(error.what()));
                  },
                  [this](const QString& what, double done) {
                      if (m_document) m_document->operations().report(m_applying, what, done);
                      showProgress(what, done);
                  });
}

void CodeEditing::showProgress(const QString& what, double done) {
    if (!m_slow || m_state != State::Checking) return;
    m_summary = what.isEmpty() ? tr("Checking the code, %1\u00a0%").arg(qRound(done * 100))
                               : tr("Checking the code: %1, %2\u00a0%").arg(what).arg(qRound(done * 100));
    Q_EMIT stateChanged();
}

void CodeEditing::stopCheck() {
    if (m_state != State::Checking || !m_check.running()) return;
    m_check.cancel();
    setState(State::Stopped, tr("Not checked. Keep typing or press Apply to check again."));
}

void CodeEditing::take(DraftCheck checked) {
    m_errors = std::move(checked.errors);
    m_warnings.clear();
    for (const fx::Warning& warning : checked.warnings) m_warnings << elidedLines(warning.what.text(), 300);
    m_steps = std::move(checked.steps), m_result = std::move(checked.result);
    const bool applies = m_applying != 0;
    if (!m_errors.empty()) {
        const fx::CodeError& first = m_errors.front();
        QString text = tr("Line %1: %2").arg(first.line).arg(elidedLines(first.text(), 300));
        if (m_errors.size() > 1) text += u' ' + tr("(and %n more)", nullptr, static_cast<int>(m_errors.size()) - 1);
        setState(State::Faulty, text);
        if (applies) Q_EMIT errorRequested(first);
        return;
    }
    QStringList parts;
    if (checked.changed) parts << tr("%n changed", nullptr, static_cast<int>(checked.changed));
    if (checked.created) parts << tr("%n new", nullptr, static_cast<int>(checked.created));
    if (checked.erased) parts << tr("%n erased", nullptr, static_cast<int>(checked.erased));
    const QString nodes = parts.isEmpty() ? tr("No node changes.") : tr("Nodes: %1.").arg(parts.join(tr(", ")));
    setState(State::Ready, m_mergeNote.isEmpty() ? nodes : m_mergeNote + u' ' + nodes);
    if (applies) finishApply();
}

// ── what the user decides ────────────────────────────────────────────────────────────────────────────────────────

void CodeEditing::apply() {
    if (m_state == State::Clean || m_state == State::Outdated) return;
    if (m_pause.isActive() || m_check.running() || m_state == State::Checking || m_state == State::Stopped) {
        waitToApply(true);
        if (!m_check.running()) startCheck();
    } else if (m_state == State::Ready) {
        finishApply();
    } else if (!m_errors.empty()) {
        Q_EMIT errorRequested(m_errors.front());
    }
}

/// While it waits it is one of the document's operations, like any other edit.
void CodeEditing::waitToApply(bool waits) {
    if (waits == (m_applying != 0) || !m_document) return;
    DocumentOperations& operations = m_document->operations();
    if (waits)
        m_applying =
            operations.begin(DocumentOperations::Kind::Edit,
                             tr("Applying the code of %1").arg(m_document->file().title()), [this] { stopCheck(); });
    else operations.end(std::exchange(m_applying, 0));
}

void CodeEditing::finishApply() {
    if (m_document->draft()->version != m_document->module()) return; // `follow` will say so
    auto result = std::exchange(m_result, nullptr);
    m_mergeNote.clear();
    setState(State::Clean);
    m_document->setDraft({});
    if (!m_document->versions().adoptEdit(tr("Edit code"), std::exchange(m_steps, {}), std::move(result)))
        Q_EMIT textReplaced(); // the code is as it was, without what was typed around it
}

void CodeEditing::revert() {
    if (!m_document || !m_document->draft()) return;
    clear();
    m_document->setDraft({});
    Q_EMIT textReplaced();
}

void CodeEditing::clear() {
    m_pause.stop();
    m_check.cancel();
    m_merge.cancel();
    m_mergeNote.clear();
    setState(State::Clean);
}

/// Somebody else has applied the draft, or given it up with the model.
void CodeEditing::followDraft() {
    if (m_state == State::Clean || m_document->draft()) return;
    clear();
    Q_EMIT textReplaced();
}

void CodeEditing::merge() {
    if (m_state != State::Outdated || !m_document || !m_document->facts().code()) return;
    const CodeDraft& draft = *m_document->draft();
    const auto theirs = m_document->facts().code();
    m_merge.start(
        [base = draft.base, mine = draft.text, theirs](const fx::Progress&) {
            return fx::mergeCode(base->text, view(mine), theirs->text);
        },
        this,
        [this, mine = draft.text, theirs, version = m_document->module()](fx::MergedCode merged) {
            if (m_state != State::Outdated || !m_document->draft() || m_document->draft()->text != mine) return;
            m_mergeNote =
                merged.conflicts == 0 ? tr("Merged.")
                : merged.conflicts == 1
                    ? tr("Merged; your text was kept where both sides changed the same place.")
                    : tr("Merged; your text was kept in %1 places that both sides changed.").arg(merged.conflicts);
            m_document->setDraft(CodeDraft{QByteArray::fromStdString(merged.text), theirs, version});
            m_state = State::Checking;
            Q_EMIT textReplaced();
            follow(); // it may have changed again
            if (m_state != State::Outdated) startCheck();
        });
}

void CodeEditing::setState(State state, const QString& summary) {
    if (state != State::Checking) m_slowAfter.stop(), m_slow = false, waitToApply(false);
    if (m_document) m_document->setDraftFault(state == State::Faulty || state == State::Outdated ? summary : QString());
    if (state != m_state || state == State::Ready) qCDebug(codeLog).noquote() << "code:" << wordFor(state) << summary;
    m_state = state;
    m_summary = summary;
    if (state != State::Faulty) m_errors.clear();
    if (state != State::Ready) m_warnings.clear();
    if (state != State::Ready) m_result.reset();
    Q_EMIT stateChanged();
}

} // namespace ui
