// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/unsaved_question.h"

#include "ui/document/node_facts.h"
#include "ui/document/random_weights.h"
#include "ui/shell/operations/operation_list.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/readable_width.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {

/// "net.pt – in models, 1 of 2 tabs, with unapplied code": what tells tabs of one name apart.
QString nameAmong(const Document& document, const QList<const Document*>& all) {
    QList<const Document*> namesakes, ofFile;
    for (const Document* each : all) {
        if (each->file().title() != document.file().title()) continue;
        namesakes << each;
        if (each->file().path() == document.file().path()) ofFile << each;
    }
    QStringList more;
    if (namesakes.size() > ofFile.size() && !document.file().path().isEmpty())
        more << UnsavedSheet::tr("in %1").arg(QFileInfo(document.file().path()).path());
    if (ofFile.size() > 1)
        more << UnsavedSheet::tr("%1 of %2 tabs").arg(ofFile.indexOf(&document) + 1).arg(ofFile.size());
    if (document.hasUnsavedSource() && document.hasUnsavedGraph()) more << UnsavedSheet::tr("source and graph");
    if (document.draft()) more << UnsavedSheet::tr("with unapplied code");
    if (!document.randomWeights().current().modules.empty()) more << UnsavedSheet::tr("with new random weights");
    if (more.isEmpty()) return document.file().title();
    return document.file().title() + QStringLiteral(" – ") + more.join(QStringLiteral(", "));
}

} // namespace

namespace {

UnsavedAnswer ask(QWidget* window, const QString& question, const QString& save, const QString& discard) {
    QMessageBox box(QMessageBox::Warning, UnsavedSheet::tr("Unsaved Changes"), question,
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, window);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(UnsavedSheet::tr("Discarded changes cannot be restored."));
    box.button(QMessageBox::Save)->setText(save); // some desktops have words of their own
    box.button(QMessageBox::Discard)->setText(discard);
    box.setDefaultButton(QMessageBox::Save);
    setReadableWidth(box);
    switch (box.exec()) {
    case QMessageBox::Save: return UnsavedAnswer::Save;
    case QMessageBox::Discard: return UnsavedAnswer::Discard;
    default: return UnsavedAnswer::Cancel;
    }
}

} // namespace

UnsavedAnswer askAboutChanges(QWidget* window, const QString& question) {
    return ask(window, question, UnsavedSheet::tr("Save"), UnsavedSheet::tr("Discard"));
}

UnsavedAnswer askBeforeReload(QWidget* window, const QString& name, const QString& note) {
    const QString question =
        UnsavedSheet::tr("%1 has changed on disk. Save your changes to another file before reloading it?").arg(name);
    return ask(window, question + note, UnsavedSheet::tr("Save As…"), UnsavedSheet::tr("Discard and Reload"));
}

UnsavedSheet::UnsavedSheet(Documents documents, std::function<bool(const Document&)> isUnsaved, QWidget* window)
    : QDialog(window), m_documents(std::move(documents)), m_isUnsaved(std::move(isUnsaved)),
      m_running(new OperationList(DocumentOperations::edits, this)), m_list(new QListWidget(this)),
      m_waiting(new QLabel(tr("These operations are still running. Wait for them to finish, or cancel them."), this)),
      m_intro(new QLabel(this)),
      m_about(new QLabel(tr("Checked files are saved. Discarded changes cannot be restored."), this)) {
    m_waiting->setWordWrap(true);
    m_about->setProperty("role", "muted");
    m_about->setWordWrap(true);
    m_list->setAccessibleName(tr("Files with unsaved changes"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(tr("Save All"), QDialogButtonBox::AcceptRole);
    m_discard = buttons->addButton(tr("Discard All"), QDialogButtonBox::DestructiveRole);
    m_stop = buttons->addButton(tr("Cancel All Operations"), QDialogButtonBox::DestructiveRole);
    m_stop->setToolTip(tr("Stop the operations above; files stay open until you choose what to save"));
    m_keep = buttons->button(QDialogButtonBox::Cancel);
    m_save->setDefault(true);
    connect(m_save, &QPushButton::clicked, this, [this] { choose(UnsavedAnswer::Save); });
    connect(m_discard, &QPushButton::clicked, this, [this] { choose(UnsavedAnswer::Discard); });
    connect(m_stop, &QPushButton::clicked, this, &UnsavedSheet::cancelRunning);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_list, &QListWidget::itemChanged, this, &UnsavedSheet::showCount);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(10);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_waiting, m_running, m_intro, m_list, m_about, buttons})
        column->addWidget(widget);
    resize(560, 300);
    m_running->setDocuments(m_documents);
    // Later: an edit becomes a version after it has ended.
    connect(m_running, &OperationList::changed, this, &UnsavedSheet::showState, Qt::QueuedConnection);
    showState();
}

void UnsavedSheet::showState() {
    const bool runs = !m_running->isEmpty();
    listFiles();
    if (!runs && m_unsaved.isEmpty()) return choose(UnsavedAnswer::Discard); // nothing is left to ask
    setWindowTitle(runs ? tr("Operations Still Running") : tr("Unsaved Changes"));
    (runs ? m_keep : m_save)->setDefault(true);
    m_keep->setText(runs ? tr("Keep Open") : tr("Cancel")); // operations have a Cancel of their own
    m_intro->setText(runs ? tr("These files have unsaved changes:")
                          : tr("Save the changes to these files before closing?"));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_waiting, m_running, m_stop}) widget->setVisible(runs);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_save, m_discard, m_about}) widget->setVisible(!runs);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_intro, m_list}) widget->setVisible(!m_unsaved.isEmpty());
}

void UnsavedSheet::listFiles() {
    const Documents unchecked = files(false);
    const QSignalBlocker quiet(m_list);
    m_unsaved.clear();
    m_list->clear();
    for (const auto& document : std::as_const(m_documents)) {
        if (!document || !m_isUnsaved(*document)) continue;
        m_unsaved << document;
    }
    QList<const Document*> all;
    for (const auto& document : std::as_const(m_unsaved)) all << document.data();
    for (const auto& document : std::as_const(m_unsaved)) {
        auto* item = new QListWidgetItem(nameAmong(*document, all), m_list);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(unchecked.contains(document) ? Qt::Unchecked : Qt::Checked);
        item->setToolTip(plainToolTip(visible(document->file().path())));
    }
    showCount();
}

UnsavedSheet::Documents UnsavedSheet::files(bool checked) const {
    Documents files;
    for (qsizetype i = 0; i < m_unsaved.size(); ++i)
        if ((m_list->item(static_cast<int>(i))->checkState() == Qt::Checked) == checked) files << m_unsaved[i];
    return files;
}

void UnsavedSheet::showCount() {
    const qsizetype checked = files(true).size();
    m_save->setEnabled(checked > 0);
    m_save->setText(checked == m_unsaved.size() ? tr("Save All") : tr("Save Checked, Discard Others"));
}

void UnsavedSheet::cancelRunning() {
    for (const auto& document : std::as_const(m_documents))
        if (document) document->operations().cancel(DocumentOperations::Kind::Edit);
}

void UnsavedSheet::choose(UnsavedAnswer answer) {
    m_answer = answer;
    accept();
}

} // namespace ui
