// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/values_panel.h"

#include "ui/document/node_facts.h"
#include "ui/run/input_text.h"
#include "ui/run/verify_verdict.h"
#include "ui/values/histogram_view.h"
#include "ui/values/slice_model.h"
#include "ui/values/values_text.h"
#include "ui/widgets/core_text.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QTextBrowser>
#include <QUrl>

#include <algorithm>
#include <climits>

namespace ui {

void ValuesPanel::setSession(RunSession* session) {
    if (m_session) {
        m_session->disconnect(this);
        m_session->document().release(this);
    }
    if (m_looking) m_looking->disconnect(this);
    m_session = session;
    m_looking = session ? ValuesSession::of(*session, m_worker) : nullptr;
    if (session) {
        connect(m_looking, &ValuesSession::changed, this, &ValuesPanel::showAnswer);
        connect(m_looking, &ValuesSession::progressed, this, &ValuesPanel::showAnswer);
        Document& document = session->document();
        connect(&document.selection(), &NodeSelection::changed, this, &ValuesPanel::refresh);
        connect(&document, &Document::versionChanged, this, &ValuesPanel::refresh);
        connect(session, &RunSession::inputsChanged, this, &ValuesPanel::inputsChanged);
    }
    m_asked = {};
    m_soon.stop();
    setBusy(false);
    tell({}); // numbers of another document are not shown, not even for a moment
    refresh();
}

void ValuesPanel::inputsChanged() {
    m_asked = {};
    refresh();
}

/// The node that can be looked at; else says why there is none.
std::optional<std::string> ValuesPanel::selectedNode() {
    const bool ready = m_session && m_session->document().state() == Document::State::Ready;
    if (!ready) return tell(tr("Open a model to inspect the values of its nodes.")), std::nullopt;
    const auto& selection = m_session->document().selection().nodes();
    if (selection.empty())
        return tell(
                   tr("Select a node to see its value, statistics, a histogram and the difference from the original.")),
               std::nullopt;
    if (selection.size() > 1)
        return tell(tr("%1 nodes are selected. Select a single node to see its value.").arg(selection.size())),
               std::nullopt;
    if (!m_session->missing().isEmpty())
        return tell(tr("The model cannot run yet: %1.").arg(m_session->missing().toHtmlEscaped()) +
                    (m_session->document().isPartial() // no inputs help
                         ? QString()
                         : QStringLiteral(" <a href='inputs:'>%1</a>").arg(tr("Edit Inputs…")))),
               std::nullopt;
    return m_session->document().module()->graph.node(selection.front()).name();
}

void ValuesPanel::refresh() {
    m_editInputs->setEnabled(m_session != nullptr);
    m_editInputs->setToolTip(m_session ? tr("Edit the inputs for running the model") : tr("No file is open"));
    if (!isVisible()) return;
    const auto node = selectedNode();
    if (!node) {
        m_soon.stop();
        m_asked = {};
        if (m_looking) m_looking->drop();
        return setBusy(false);
    }
    const ValuesSession::Asked wanted{m_session->document().module(), *node};
    if (wanted == m_asked) return;
    m_asked = wanted;
    m_wantedPart = 0;
    m_slice.row = m_slice.column = 0;
    m_name->setText(elided(*node, 60));
    m_facts->clear();
    using State = ValuesSession::State;
    const bool isKnown = m_looking->asked() == wanted && m_looking->state() != State::Idle;
    if (!isKnown && m_session->document().selection().isRestored()) { // opening runs nothing
        m_soon.stop();
        setBusy(false);
        return tell(tr("<a href='again:'>Run the model</a> to see the value."));
    }
    setBusy(true);
    if (m_stack->currentIndex() == 0) m_message->setHtml(QString());
    isKnown ? showAnswer() : m_soon.start(); // asked when this document was in front before
}

void ValuesPanel::ask() {
    if (m_looking && m_asked.version) m_looking->ask(m_asked, m_wantedPart, m_slice);
}

/// Shows the answer for the selected node, or the progress of its run.
void ValuesPanel::showAnswer() {
    if (m_looking->asked() != m_asked) return;
    switch (m_looking->state()) {
    case ValuesSession::State::Idle: break;
    case ValuesSession::State::Running:
        setBusy(true);
        m_progress->setValue(static_cast<int>(m_looking->done() * 1000));
        m_progress->setToolTip(m_looking->step());
        m_progress->setFormat(m_looking->isWaiting() ? m_looking->step() : QStringLiteral("%p%"));
        m_progress->setTextVisible(m_looking->isWaiting());
        if (m_progress->isVisible()) tellRunning();
        break;
    case ValuesSession::State::Done: take(m_looking->values()); break;
    case ValuesSession::State::Failed: fail(m_looking->error()); break;
    case ValuesSession::State::Stopped:
        setBusy(false);
        tell(tr("Stopped. <a href='again:'>Run Again</a>"));
        break;
    }
}

/// No numbers of another node stand under the name of the one that is asked for.
void ValuesPanel::tellRunning() {
    const bool waits = m_looking && m_looking->isWaiting();
    const QString name = elided(m_asked.node, 60);
    const QString text =
        (waits ? tr("Running the model up to %1: waiting for the worker…") : tr("Running the model up to %1…"))
            .arg(name);
    if (m_shown != m_asked && message() != text) tell(text.toHtmlEscaped());
    m_name->setText(name);
}

void ValuesPanel::setBusy(bool busy) {
    if (busy) {
        if (!m_patience.isActive() && !m_stop->isVisible()) m_patience.start();
        return;
    }
    m_patience.stop();
    m_progress->hide();
    m_progress->setValue(0);
    m_stop->hide();
}

void ValuesPanel::take(const fx::NodeValues& values) {
    setBusy(false);
    m_shown = m_asked;
    m_values = values;
    m_slice = m_values->value.slice;
    m_wantedPart = static_cast<std::int64_t>(m_values->part);
    showValues();
}

void ValuesPanel::fail(const fx::Error& error) {
    setBusy(false);
    if (!m_session || m_session->document().state() != Document::State::Ready) return;
    const QString name = m_name->text();
    tell(runErrorHtml(error, m_session->document().module()->graph) +
         QStringLiteral("<p><a href='again:'>%1</a></p>").arg(tr("Run the model again")));
    m_name->setText(name);
}

QString ValuesPanel::message() const { return m_stack->currentIndex() == 0 ? m_message->toPlainText() : QString(); }

void ValuesPanel::tell(const QString& html) {
    m_values.reset();
    m_shown = {};
    m_model->setValues({});
    m_name->clear();
    m_facts->clear();
    m_part->hide();
    m_show->hide();
    m_message->document()->setDefaultStyleSheet(runStyle());
    m_message->setHtml(QStringLiteral("<p>%1</p>").arg(html));
    m_stack->setCurrentIndex(0);
}

void ValuesPanel::showValues() {
    const fx::NodeValues& values = *m_values;
    const QString with = m_session ? summaryOf(m_session->inputs()) : QString();
    m_facts->setText(factsText(values.value) + (with.isEmpty() ? QString() : tr("  ·  inputs: %1").arg(with)));
    m_facts->setToolTip(m_facts->text());
    const SliceModel::Show shown = m_model->show();
    m_model->setValues(values);
    m_model->setShow(shown);
    m_show->setVisible(values.original || !values.noOriginal.empty());
    m_show->setEnabled(m_model->canCompare());
    m_show->setCurrentIndex(static_cast<int>(m_model->show()));
    m_show->setToolTip(m_model->canCompare()       ? tr("Show the current model, the original, or their difference")
                       : values.noOriginal.empty() ? tr("the value in the original has a different shape")
                                                   : linesFromCore(values.noOriginal));
    m_statistics->document()->setDefaultStyleSheet(runStyle());
    m_statistics->setHtml(statisticsHtml(values));
    m_histogram->setValues(values);
    m_histogram->setVisible(values.value.isTensor() && values.value.statistics.finite > 0);
    showPart();
    showChooser();
    m_stack->setCurrentIndex(1);
}

void ValuesPanel::showPart() {
    m_part->clear();
    for (const std::string& path : m_values->parts) m_part->addItem(elided(path, 60));
    m_part->setCurrentIndex(static_cast<int>(m_values->part));
    m_part->setVisible(m_values->parts.size() > 1);
}

void ValuesPanel::showChooser() {
    m_filling = true;
    const fx::ValueView& view = m_values->value;
    const auto leading = static_cast<qsizetype>(view.slice.indices.size());
    while (m_indices.size() > leading) delete m_indices.takeLast();
    while (m_indices.size() < leading) {
        auto* field = new QSpinBox(m_chooser);
        field->setKeyboardTracking(false);
        connect(field, &QSpinBox::valueChanged, this, &ValuesPanel::readChooser);
        m_chooser->layout()->addWidget(field);
        m_indices << field;
    }
    for (QSpinBox* last : {m_row, m_column}) {
        m_chooser->layout()->removeWidget(last);
        m_chooser->layout()->addWidget(last);
    }
    for (qsizetype i = 0; i < leading; ++i) {
        const std::int64_t size = view.sizes[static_cast<std::size_t>(i)];
        m_indices[i]->setRange(0,
                               static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(size, 1) - 1, INT_MAX)));
        m_indices[i]->setValue(static_cast<int>(view.slice.indices[static_cast<std::size_t>(i)]));
        m_indices[i]->setPrefix(tr("dim %1: ").arg(i));
        m_indices[i]->setSuffix(tr(" of %1").arg(size));
        m_indices[i]->setAccessibleName(tr("Index in dimension %1").arg(i));
    }
    const std::size_t dims = view.sizes.size();
    const std::int64_t rows = dims > 1 ? view.sizes[dims - 2] : 1, columns = dims > 0 ? view.sizes[dims - 1] : 1;
    for (const auto& [field, size, at] :
         {std::tuple{m_row, rows, view.slice.row}, {m_column, columns, view.slice.column}}) {
        field->setRange(0, static_cast<int>(std::clamp<std::int64_t>(size - 1, 0, INT_MAX)));
        field->setValue(static_cast<int>(at));
        field->setSuffix(tr(" of %1").arg(size));
        field->setVisible(size > fx::kSliceSide);
    }
    m_chooser->setVisible(leading > 0 || rows > fx::kSliceSide || columns > fx::kSliceSide);
    m_table->setVisible(view.isTensor());
    m_filling = false;
}

void ValuesPanel::readChooser() {
    if (m_filling) return;
    for (qsizetype i = 0; i < m_indices.size(); ++i)
        m_slice.indices[static_cast<std::size_t>(i)] = m_indices[i]->value();
    m_slice.row = m_row->value();
    m_slice.column = m_column->value();
    ask();
}

void ValuesPanel::follow(const QUrl& link) {
    if (!m_session) return;
    Document& document = m_session->document();
    if (link.scheme() == QLatin1String("inputs")) Q_EMIT inputsRequested();
    if (link.scheme() == QLatin1String("again")) ask();
    if (link.scheme() == QLatin1String("node") && document.module())
        document.selection().goTo(document.module()->graph.find(link.path(QUrl::FullyDecoded).toStdString()), this);
    if (link.scheme() != QLatin1String("place") || !m_values) return;
    std::vector<std::int64_t> place;
    for (const QString& index : link.path().split(u',')) place.push_back(index.toLongLong());
    const auto last = [&place] {
        const std::int64_t index = place.empty() ? 0 : place.back();
        if (!place.empty()) place.pop_back();
        return index / fx::kSliceSide * fx::kSliceSide;
    };
    m_slice.column = last();
    m_slice.row = last();
    m_slice.indices = place;
    m_model->setShow(SliceModel::Show::Difference);
    ask();
}

void ValuesPanel::copy() {
    if (m_model->rowCount() == 0) return;
    const QItemSelection chosen = m_table->selectionModel()->selection();
    const bool all = chosen.isEmpty();
    int top = all ? 0 : INT_MAX, left = top, bottom = all ? m_model->rowCount() - 1 : 0,
        right = all ? m_model->columnCount() - 1 : 0;
    for (const QItemSelectionRange& range : chosen) {
        top = std::min(top, range.top()), left = std::min(left, range.left());
        bottom = std::max(bottom, range.bottom()), right = std::max(right, range.right());
    }
    QGuiApplication::clipboard()->setText(m_model->text(top, left, bottom, right));
}

void ValuesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void ValuesPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_splitter->setOrientation(width() > height() ? Qt::Horizontal : Qt::Vertical);
}

void ValuesPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_splitter) return;
    if (m_values) showValues();
    else refresh();
}

} // namespace ui
