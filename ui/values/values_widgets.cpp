// SPDX-License-Identifier: GPL-3.0-or-later
// What the panel is made of.
#include "ui/document/node_facts.h"
#include "ui/values/histogram_view.h"
#include "ui/values/slice_model.h"
#include "ui/values/values_panel.h"
#include "ui/values/values_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fill_delegate.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QTextBrowser>

namespace ui {

namespace {

constexpr int kSettleMs = 120;    ///< arrow keys run over nodes: only where they stay something runs
constexpr int kPatienceMs = 1000; ///< shorter runs are not told about

/// Numbers of rows, each in the middle of its row: under a style sheet a vertical header writes into the upper half of
/// it.
class RowNumbers final : public QHeaderView {
public:
    explicit RowNumbers(QWidget* parent) : QHeaderView(Qt::Vertical, parent) { setSectionsClickable(true); }

private:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        constexpr int kInset = 8;
        painter->fillRect(rect, theme().panel);
        painter->setPen(theme().border);
        painter->drawLine(rect.topRight(), rect.bottomRight());
        painter->setPen(theme().muted);
        painter->drawText(rect.adjusted(0, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter,
                          model()->headerData(section, Qt::Vertical).toString());
    }
};

QTextBrowser* makeText(QWidget* parent, const QString& name) {
    auto* text = new QTextBrowser(parent);
    text->setOpenLinks(false);
    text->setFrameShape(QFrame::NoFrame);
    text->document()->setDocumentMargin(10);
    text->setAccessibleName(name);
    return text;
}

} // namespace

ValuesPanel::ValuesPanel(WorkerService& worker, QWidget* parent)
    : QWidget(parent), m_worker(worker), m_stack(new QStackedLayout), m_model(new SliceModel(this)),
      m_name(new QLabel(this)), m_facts(new ElidedLabel(this)), m_part(new QComboBox(this)),
      m_show(new QComboBox(this)), m_progress(new QProgressBar(this)), m_stop(new QPushButton(tr("Stop"), this)),
      m_editInputs(new QPushButton(tr("Inputs…"), this)), m_chooser(new QWidget(this)), m_row(new QSpinBox(this)),
      m_column(new QSpinBox(this)), m_message(makeText(this, tr("Values"))),
      m_statistics(makeText(this, tr("Statistics"))), m_table(new QTableView(this)),
      m_histogram(new HistogramView(this)), m_splitter(new QSplitter(this)) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSettleMs);
    // Queued: sessions forget first what was refused.
    connect(&worker, &WorkerService::allowed, this, &ValuesPanel::inputsChanged, Qt::QueuedConnection);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMs);
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (isVisible()) return ask();
        m_asked = {}; // it was in front for a moment only, while the window was made
        setBusy(false);
    });
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_progress->show();
        m_stop->show();
        tellRunning();
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(makeHead());
    column->addLayout(m_stack, 1);
    m_stack->addWidget(m_message);
    m_stack->addWidget(makeBody());
    for (QTextBrowser* text : {m_message, m_statistics})
        connect(text, &QTextBrowser::anchorClicked, this, &ValuesPanel::follow);
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setBusy(false);
    setSession(nullptr);
}

QHBoxLayout* ValuesPanel::makeHead() {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 8, 8, 4);
    head->setSpacing(8);
    m_name->setFont(semiboldFont());
    m_name->setTextFormat(Qt::PlainText);
    m_facts->setProperty("role", "muted");
    m_part->setAccessibleName(tr("Element of the value"));
    m_part->setToolTip(tr("Choose which of the node's values to show"));
    m_show->addItems({tr("Now"), tr("Original"), tr("Difference")});
    m_show->setAccessibleName(tr("What to show in the table"));
    m_progress->setFixedWidth(110);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_stop->setToolTip(tr("Stop the run"));
    m_name->setMinimumWidth(40);
    m_part->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // paths into nested values are long
    m_part->setMinimumContentsLength(10);
    head->addWidget(m_name);
    head->addWidget(m_facts, 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_progress, m_stop, m_part, m_show, m_editInputs})
        head->addWidget(widget);
    connect(m_part, &QComboBox::activated, this, [this](int part) {
        m_wantedPart = part;
        ask();
    });
    connect(m_show, &QComboBox::activated, this,
            [this](int show) { m_model->setShow(static_cast<SliceModel::Show>(show)); });
    connect(m_editInputs, &QPushButton::clicked, this, &ValuesPanel::inputsRequested);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_soon.stop();
        m_looking->stop();
    });
    return head;
}

/// One index for each dimension but the last two, and where the table begins in those.
void ValuesPanel::makeChooser() {
    auto* line = new FlowLayout(m_chooser);
    line->setContentsMargins(12, 2, 8, 6);
    line->setSpacing(8);
    for (const auto& [field, prefix, name] :
         {std::tuple{m_row, tr("rows from "), tr("First row")}, {m_column, tr("columns from "), tr("First column")}}) {
        field->setPrefix(prefix);
        field->setAccessibleName(name);
        field->setSingleStep(static_cast<int>(fx::kSliceSide));
        field->setKeyboardTracking(false);
        connect(field, &QSpinBox::valueChanged, this, &ValuesPanel::readChooser);
        line->addWidget(field);
    }
}

QWidget* ValuesPanel::makeBody() {
    makeChooser();
    m_table->setVerticalHeader(new RowNumbers(m_table));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new FillDelegate(m_table));
    m_table->setAccessibleName(tr("Slice"));
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    constexpr int kBesideNumbers = 16; // px
    m_table->horizontalHeader()->setDefaultSectionSize(
        QFontMetrics(monoFont()).horizontalAdvance(numberText(-1.23456e-308)) + kBesideNumbers); // with whole exponents
    m_table->horizontalHeader()->setHighlightSections(false);
    auto* copies = new QAction(tr("Copy"), m_table);
    copies->setShortcut(QKeySequence::Copy);
    copies->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(copies);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copies, &QAction::triggered, this, &ValuesPanel::copy);
    m_statistics->setMinimumWidth(130);
    m_statistics->setWordWrapMode(QTextOption::WordWrap); // numbers stay whole: narrower than they are, it scrolls
    m_histogram->setMinimumWidth(90);
    m_table->setMinimumWidth(120);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_table, m_statistics, m_histogram})
        m_splitter->addWidget(widget);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({420, 260, 220});
    for (int i = 0; i < 3; ++i) m_splitter->setStretchFactor(i, i == 1 ? 0 : 1);
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_chooser);
    column->addWidget(m_splitter, 1);
    return body;
}

} // namespace ui
