// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_pane.h"

#include "ui/source/leaf_menu.h"
#include "ui/source/source_editor.h"
#include "ui/source/source_link.h"
#include "ui/source/source_message.h"
#include "ui/source/source_options.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kLeastField = 72; // px

/// The bytes to underline: the word at the place, or the last one of the line if there is none.
std::pair<qsizetype, qsizetype> wordAt(const QByteArray& text, qsizetype at, bool wholeLine) {
    at = std::clamp<qsizetype>(at, 0, text.size());
    const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
    if (at == text.size() || isBlank(text[at])) {
        while (at > 0 && (at == text.size() || isBlank(text[at]))) --at;
        return {at, at < text.size() ? 1 : 0};
    }
    qsizetype end = at;
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
    if (wholeLine)
        while (end < text.size() && text[end] != '\n' && text[end] != '#') ++end;
    else
        while (end < text.size() && isWord(text[end])) ++end;
    while (end > at + 1 && isBlank(text[end - 1])) --end;
    return {at, std::max<qsizetype>(1, end - at)};
}
} // namespace

SourcePane::SourcePane(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_classes(new QComboBox(this)), m_arguments(new QLineEdit(this)),
      m_leafs(new LeafMenu(this)), m_more(new QToolButton(this)), m_options(new SourceOptions(this)),
      m_editor(new SourceEditor(this)), m_link(new SourceLink(document, m_editor)), m_message(new SourceMessage(this)) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    m_classes->setToolTip(tr("The class or function that is traced"));
    m_classes->setAccessibleName(tr("Class"));
    m_classes->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_classes->setMaximumWidth(220);
    m_classes->setMinimumWidth(kLeastField); // beside the graph there may be little room
    m_arguments->setMinimumWidth(kLeastField);
    m_arguments->setFont(monoFont());
    m_arguments->setClearButtonEnabled(true);
    m_arguments->setToolTip(tr("Arguments of the constructor, as Python"));
    m_arguments->setAccessibleName(tr("Arguments of the constructor"));
    m_more->setText(tr("Options"));
    m_more->setCheckable(true);
    m_more->setToolTip(tr("Fixed inputs, seed, weights, and folders of imports"));
    m_more->setAccessibleName(m_more->toolTip());
    m_options->hide();
    auto* traced = new QWidget(this); // what is traced stays in one row
    traced->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    auto* call = new QHBoxLayout(traced);
    call->setContentsMargins(0, 0, 0, 0);
    call->setSpacing(6);
    call->addWidget(m_classes);
    call->addWidget(m_arguments, 1);
    auto* row = new FlowLayout(nullptr, FlowLayout::Rest::Fill);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(6);
    for (QWidget* each : std::initializer_list<QWidget*>{traced, m_leafs, m_more}) row->addWidget(each);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_options);
    column->addWidget(m_editor, 1);
    column->addWidget(m_message);
    setFocusProxy(m_editor);

    connect(m_more, &QToolButton::toggled, m_options, &QWidget::setVisible);
    connect(m_classes, &QComboBox::activated, this, &SourcePane::chooseClass);
    connect(m_arguments, &QLineEdit::textEdited, this, [this](const QString& text) {
        if (!m_source) return;
        SourceChoices choices = m_source->choices();
        choices.arguments = text;
        choose(choices);
    });
    connect(m_leafs, &LeafMenu::chosen, this, &SourcePane::choose);
    connect(m_options, &SourceOptions::chosen, this, &SourcePane::choose);
    connect(m_editor, &CodeView::typed, this, [this] {
        m_link->setActive(false);
        if (m_source) m_source->setText(m_editor->bytes());
    });
    connect(m_link, &SourceLink::mapChanged, this,
            [this] { m_link->setFile(m_link->map()->file(m_source ? m_source->path() : QString())); });
    connect(m_message, &SourceMessage::placeRequested, this, &SourcePane::goToFault);
    auto* next = new QShortcut(Qt::Key_F8, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(next, &QShortcut::activated, this, &SourcePane::goToFault);
    connect(&document, &Document::sourceChanged, this, &SourcePane::showState);
    connect(&document, &Document::versionChanged, this, &SourcePane::showState);
    takeSource();
}

/// Reading the file again makes another source.
void SourcePane::takeSource() {
    m_source = m_document.source();
    if (!m_source) return;
    connect(m_source, &DocumentSource::textReplaced, this, &SourcePane::showText);
    m_editor->setLines(m_source->text(), 0);
    m_more->setChecked(!m_source->choices().fixed.isEmpty() || !m_source->choices().weights.isEmpty() ||
                       !m_source->choices().folders.isEmpty());
    showState();
}

void SourcePane::showText() {
    if (m_source && m_editor->bytes() != m_source->text()) m_editor->typeText(m_source->text());
}

void SourcePane::showState() {
    if (m_source != m_document.source()) return takeSource();
    if (!m_source) return;
    const GuiScope scope("source.state");
    const fx::SourceTrace& trace = *m_source->trace();
    showClasses(trace, m_source->choices());
    m_leafs->show(trace, m_source->choices());
    m_options->show(trace, m_source->choices());
    if (!m_source->isCurrent()) return; // the message stays until there is another one
    m_message->show(*m_source, m_document.isDetached() ? m_document.module().get() : nullptr);
    showFaults();
    // While the graph is that of an earlier text, its lines are elsewhere.
    m_link->setActive(m_document.isDetached() ? !m_source->isModified() : trace.module != nullptr);
}

void SourcePane::showClasses(const fx::SourceTrace& trace, const SourceChoices& choices) {
    QStringList names;
    for (const std::string& name : trace.candidates) names << QString::fromStdString(name);
    const QString current =
        choices.name.isEmpty() ? QString::fromStdString(trace.name) : choices.name.section(u'(', 0, 0);
    if (!current.isEmpty() && !names.contains(current)) names << current;
    QStringList shown;
    for (int i = 0; i < m_classes->count(); ++i) shown << m_classes->itemText(i);
    if (shown != names) {
        m_classes->clear();
        m_classes->addItems(names);
    }
    m_classes->setCurrentIndex(static_cast<int>(names.indexOf(current)));
    m_classes->setEnabled(names.size() > 1);
    m_classes->setVisible(!names.isEmpty());
    if (m_arguments->text() != choices.arguments && !m_arguments->hasFocus()) m_arguments->setText(choices.arguments);
    QStringList settings;
    for (const std::string& each : trace.settings) settings << QString::fromStdString(each);
    m_arguments->setPlaceholderText(settings.isEmpty() ? tr("no arguments") : settings.join(QStringLiteral(", ")));
}

void SourcePane::showFaults() {
    std::vector<CodeView::Fault> faults;
    const QByteArray text = m_editor->bytes();
    for (const fx::SourceFault& fault : m_source->trace()->faults) {
        if (QString::fromStdString(fault.file) != m_source->path()) continue;
        const bool isStatement = fault.error.kind() != fx::ErrorKind::File; // syntax errors know the word
        const auto [offset, length] = wordAt(text, static_cast<qsizetype>(fault.offset), isStatement);
        QString message = faultText(fault, m_source->path());
        if (!fault.error.hint.empty()) message += u'\n' + linesFromCore(fault.error.hint);
        faults.push_back({offset, length, message});
    }
    m_editor->markFaults(std::move(faults));
}

void SourcePane::goToFault() {
    if (!m_source || !m_source->isCurrent()) return;
    const fx::SourceFault* fault = mainFault(*m_source->trace());
    if (!fault || QString::fromStdString(fault->file) != m_source->path()) return;
    m_editor->goTo(wordAt(m_editor->bytes(), static_cast<qsizetype>(fault->offset), false).first);
}

void SourcePane::chooseClass(int index) {
    if (!m_source || index < 0) return;
    SourceChoices choices = m_source->choices();
    if (choices.name == m_classes->itemText(index)) return;
    choices.name = m_classes->itemText(index);
    choices.arguments.clear(); // they were of another class
    choices.fixed.clear();
    choose(choices);
}

void SourcePane::choose(const SourceChoices& choices) {
    if (!m_source) return;
    m_link->setActive(false);
    m_source->setChoices(choices);
}

} // namespace ui
