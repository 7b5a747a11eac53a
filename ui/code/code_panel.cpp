// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_panel.h"

#include "core/module/read_only.h"
#include "ui/code/code_edit_bar.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/text_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

CodePanel::CodePanel(QWidget* parent)
    : QWidget(parent), m_view(new CodeView(this)), m_editing(new CodeEditing(this)),
      m_bar(new CodeEditBar(m_editing, this)), m_about(new QLabel(this)), m_find(new QLineEdit(this)),
      m_copy(textButton(tr("Copy Code"), tr("Copy the whole code"), this)),
      m_earlier(textButton(tr("Earlier Lines"), tr("Show the lines before this section"), this)),
      m_later(textButton(tr("Later Lines"), tr("Show the lines after this section"), this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_about->setProperty("role", "muted");
    m_about->setTextFormat(Qt::PlainText);
    m_find->setPlaceholderText(tr("Find in Code"));
    m_find->setAccessibleName(tr("Find in Code"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(240);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 4, 8, 4);
    bar->setSpacing(8);
    bar->addWidget(m_find);
    bar->addStretch();
    bar->addWidget(m_about);
    bar->addWidget(m_earlier);
    bar->addWidget(m_later);
    bar->addWidget(m_copy);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_view);
    column->addWidget(m_bar);
    setFocusProxy(m_view);

    connect(m_view, &CodeView::linesPicked, this, &CodePanel::pickLines);
    connect(m_view, &CodeView::typed, this, &CodePanel::takeText);
    connect(m_view, &CodeView::applyRequested, m_editing, &CodeEditing::apply);
    connect(m_editing, &CodeEditing::stateChanged, this, &CodePanel::showFaults);
    connect(m_editing, &CodeEditing::textReplaced, this, &CodePanel::showDraft);
    connect(m_editing, &CodeEditing::errorRequested, this, [this](const fx::CodeError& error) {
        m_view->goTo(static_cast<qsizetype>(error.offset - shownBytes().first));
    });
    connect(m_bar, &CodeEditBar::placeRequested, m_editing, &CodeEditing::apply);
    connect(m_copy, &QToolButton::clicked, this, &CodePanel::copyCode);
    connect(m_find, &QLineEdit::returnPressed, this, [this] { find(CodeView::Search::Next); });
    connect(m_find, &QLineEdit::textEdited, this, [this] { find(CodeView::Search::Here); });
    auto* back = new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_Return), m_find, nullptr, nullptr, Qt::WidgetShortcut);
    connect(back, &QShortcut::activated, this, [this] { find(CodeView::Search::Previous); });
    auto* leave = new QShortcut(Qt::Key_Escape, m_find, nullptr, nullptr, Qt::WidgetShortcut);
    connect(leave, &QShortcut::activated, m_view,
            qOverload<>(&QWidget::setFocus)); // what was found is selected there: typing replaces it
    connect(m_earlier, &QToolButton::clicked, this, [this] {
        showWindow({std::max(0, m_window.first - kWholeCodeLimit), kWholeCodeLimit});
    });
    connect(m_later, &QToolButton::clicked, this, [this] {
        const int total = static_cast<int>(m_code->lineNodes.size());
        showWindow({std::min(total - kWholeCodeLimit, m_window.first + kWholeCodeLimit), kWholeCodeLimit});
    });
    setDocument(nullptr);
}

void CodePanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    m_code.reset();
    if (document) {
        connect(&document->facts(), &VersionFacts::codeChanged, this, &CodePanel::showCode);
        connect(document, &Document::stateChanged, this, &CodePanel::showState);
        connect(&document->selection(), &NodeSelection::changed, this, &CodePanel::followSelection);
    }
    if (isDrafting()) {
        m_code = document->draft()->base;
        m_version = document->draft()->version;
        m_lineStarts = lineStarts(m_code->text);
        for (QWidget* widget : {static_cast<QWidget*>(m_copy), static_cast<QWidget*>(m_find)}) widget->setEnabled(true);
        m_view->setEditable(true);
        showWindow({0, static_cast<int>(m_code->lineNodes.size())});
        showDraft();
    } else {
        showCode();
    }
    m_editing->setDocument(document);
}

/// The code stays while another version of it is generated.
void CodePanel::showState() {
    if (!m_document || m_document->state() != Document::State::Ready || !m_code) showCode();
}

void CodePanel::showCode() {
    const GuiScope scope("code.show");
    if (isDrafting()) return; // what somebody types is never replaced
    m_code = m_document ? m_document->facts().code() : nullptr;
    m_version = m_code ? m_document->module() : nullptr;
    m_lineStarts = m_code ? lineStarts(m_code->text) : std::vector<std::size_t>{0, 0};
    m_window = {};
    m_copy->setEnabled(m_code != nullptr);
    m_find->setEnabled(m_code != nullptr);
    m_view->setEditable(m_code != nullptr);
    if (!m_code) {
        m_view->setLines({}, 0);
        describe();
        return;
    }
    const auto& selected = m_document->selection().nodes();
    showWindow(codeWindowFor(m_document->module()->graph, *m_code, selected.empty() ? fx::kNoNode : selected.front()));
    followSelection(nullptr);
}

/// The bytes of the code that are shown.
std::pair<std::size_t, std::size_t> CodePanel::shownBytes() const {
    const std::size_t start = m_lineStarts[static_cast<std::size_t>(m_window.first)];
    std::size_t end =
        m_lineStarts[std::min(m_lineStarts.size() - 1, static_cast<std::size_t>(m_window.first + m_window.count))];
    if (end > start && end < m_code->text.size()) --end; // no empty line at the end of a part
    return {start, end};
}

void CodePanel::showWindow(const CodeWindow& window) {
    if (!m_code) return;
    m_window = window;
    const auto [start, end] = shownBytes();
    m_view->setLines(QByteArray(m_code->text.data() + start, static_cast<qsizetype>(end - start)), window.first);
    describe();
    if (m_document) followSelection(m_view);
}

// ── changing it ──────────────────────────────────────────────────────────────────────────────────────────────────

/// The draft is the code with what is shown of it replaced.
void CodePanel::takeText() {
    if (!m_code || !m_document) return;
    const auto [start, end] = shownBytes();
    const QByteArray shown = m_view->bytes();
    QByteArray whole;
    whole.reserve(static_cast<qsizetype>(m_code->text.size() - (end - start)) + shown.size());
    whole.append(m_code->text.data(), static_cast<qsizetype>(start))
        .append(shown)
        .append(m_code->text.data() + end, static_cast<qsizetype>(m_code->text.size() - end));
    m_editing->setText(whole, m_code, m_version);
    describe();
    followSelection(m_view);
}

/// The draft is not what is shown: it was merged, taken back, or belongs to the document that has come to the front.
void CodePanel::showDraft() {
    const bool another = isDrafting()
                             ? m_code != m_document->draft()->base
                             : m_document && m_document->facts().code() && m_code != m_document->facts().code();
    const QByteArray before = m_view->bytes();
    if (another) { // everything is shown: the parts of two codes differ
        m_code = isDrafting() ? m_document->draft()->base : m_document->facts().code();
        m_version = isDrafting() ? m_document->draft()->version : m_document->module();
        m_lineStarts = lineStarts(m_code->text);
        m_window = {0, static_cast<int>(m_code->lineNodes.size())};
    }
    if (!m_code) return;
    const auto [start, end] = shownBytes();
    const QByteArray whole = isDrafting() ? m_document->draft()->text : QByteArray::fromStdString(m_code->text);
    m_view->typeText(whole.mid(static_cast<qsizetype>(start),
                               whole.size() - static_cast<qsizetype>(start + m_code->text.size() - end)));
    describe();
    followSelection(m_view);
}

void CodePanel::showFaults() {
    std::vector<CodeView::Fault> faults;
    const auto start = m_code ? static_cast<qsizetype>(shownBytes().first) : 0;
    for (const fx::CodeError& error : m_editing->errors())
        if (const auto offset = static_cast<qsizetype>(error.offset) - start; offset >= 0)
            faults.push_back({offset, static_cast<qsizetype>(error.length), linesFromCore(error.text())});
    m_view->markFaults(std::move(faults));
    describe();
}

void CodePanel::describe() {
    const int total = m_code ? static_cast<int>(m_code->lineNodes.size()) : 0;
    const bool parts = total > kWholeCodeLimit && !isDrafting();
    m_earlier->setVisible(parts);
    m_later->setVisible(parts);
    m_earlier->setEnabled(parts && m_window.first > 0);
    m_later->setEnabled(parts && m_window.first + m_window.count < total);
    const QLocale locale;
    if (!m_code) m_about->clear();
    else if (parts)
        m_about->setText(tr("lines %1–%2 of %3")
                             .arg(locale.toString(m_window.first + 1), locale.toString(m_window.first + m_window.count),
                                  locale.toString(total)));
    else
        m_about->setText(isDrafting()                 ? tr("edited, not applied")
                         : m_document->isPartial()    ? tr("as far as the source could be traced")
                         : fx::isReadOnly(*m_version) ? tr("only shown: TorchScript runs its own code")
                                                      : tr("same as GraphModule.code"));
}

void CodePanel::followSelection(QObject* source) {
    if (!m_code || !m_document) return;
    if (isDrafting() || m_version != m_document->module()) return m_view->markLines({}); // lines are no nodes now
    const GuiScope scope("code.selection");
    std::vector<int> marked;
    int first = -1;
    for (const fx::NodeId node : m_document->selection().nodes()) {
        const int line = fx::index(node) < m_code->nodeLines.size() ? m_code->nodeLines[fx::index(node)] : -1;
        if (line < 0) continue;
        if (first < 0) first = line;
        if (m_window.contains(line)) marked.push_back(line - m_window.first);
    }
    if (marked.empty() && first >= 0 && source != m_view) {
        showWindow(codeWindowFor(m_document->module()->graph, *m_code, m_document->selection().nodes().front()));
        if (m_window.contains(first)) m_view->scrollToLine(first - m_window.first);
        return;
    }
    m_view->markLines(marked);
    if (!marked.empty() && source != m_view) m_view->scrollToLine(*std::min_element(marked.begin(), marked.end()));
}

void CodePanel::pickLines(const std::vector<int>& lines) {
    if (!m_code || !m_document || isDrafting() || m_version != m_document->module()) return;
    std::vector<fx::NodeId> nodes;
    for (const int line : lines) {
        const std::size_t at = static_cast<std::size_t>(line + m_window.first);
        if (at >= m_code->lineNodes.size() || m_code->lineNodes[at] == fx::kNoNode) continue;
        if (nodes.empty() || nodes.back() != m_code->lineNodes[at]) nodes.push_back(m_code->lineNodes[at]);
    }
    if (!nodes.empty()) m_document->selection().select(std::move(nodes), m_view);
}

void CodePanel::find(CodeView::Search direction) {
    const bool found = m_view->findText(m_find->text(), direction);
    m_find->setProperty("invalid", !found);
    m_find->setToolTip(found ? QString() : tr("Not found in the code"));
    m_find->setStyle(m_find->style()); // takes up the changed property
}

void CodePanel::copyCode() const {
    if (m_code)
        QGuiApplication::clipboard()->setText(isDrafting() ? QString::fromUtf8(m_document->draft()->text)
                                                           : QString::fromStdString(m_code->text));
}

void CodePanel::focusFind() {
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

} // namespace ui
