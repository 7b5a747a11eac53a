// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_panel.h"

#include "core/io/files/read_text.h"
#include "core/io/save_pipeline.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStyle>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

namespace {

QString plain(const std::string& text) { return QString::fromStdString(text); }

QToolButton* tool(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

/// A row of widgets without margins; the one at `wide` takes the room.
QWidget* rowOf(QWidget* parent, std::initializer_list<QWidget*> widgets, int wide) {
    auto* bar = new QWidget(parent);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    int place = 0;
    for (QWidget* widget : widgets) layout->addWidget(widget, place++ == wide ? 1 : 0);
    if (wide < 0) layout->addStretch(1);
    return bar;
}

QLabel* heading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("role", "heading");
    return label;
}

} // namespace

PartitionPanel::PartitionPanel(QWidget* parent) : QWidget(parent) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* parts = new QSplitter(Qt::Vertical, this);
    parts->setChildrenCollapsible(false);
    parts->addWidget(makeOperators());
    auto* results = new QWidget(parts);
    auto* lower = new QVBoxLayout(results);
    lower->setContentsMargins(0, 6, 0, 0);
    lower->setSpacing(6);
    lower->addWidget(makeFlags());
    lower->addWidget(makeStatus(), 3);
    lower->addWidget(makeTable(), 2);
    parts->addWidget(results);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(parts, 1);
    column->addWidget(makeButtons());
    showStatus();
}

QWidget* PartitionPanel::makeOperators() {
    m_rules = tool(tr("rules ▾"), tr("Rules of a file, for all that is not ticked"), this);
    m_rules->setPopupMode(QToolButton::InstantPopup);
    m_rules->setMenu(makeRulesMenu());
    m_all = tool(tr("all"), tr("Everything that is listed is supported"), this);
    m_nothing = tool(tr("none"), tr("Nothing that is listed is supported"), this);
    connect(m_all, &QToolButton::clicked, this, [this] { tickAll(true); });
    connect(m_nothing, &QToolButton::clicked, this, [this] { tickAll(false); });
    m_filter = new QLineEdit(this);
    m_filter->setPlaceholderText(tr("Filter operators"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter operators"));
    m_operators = new OperatorModel(this);
    m_filtered = new QSortFilterProxyModel(this);
    m_filtered->setSourceModel(m_operators);
    m_filtered->setFilterRole(OperatorModel::TextRole);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_filtered->setRecursiveFilteringEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filtered->setFilterFixedString(text);
        m_tree->expandAll();
    });
    connect(m_operators, &OperatorModel::ticked, this, &PartitionPanel::tick);
    m_tree = new QTreeView(this);
    m_tree->setModel(m_filtered);
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(14);
    m_tree->setUniformRowHeights(true);
    m_tree->setProperty("look", "field");
    m_tree->setMinimumHeight(96);
    m_tree->setAccessibleName(tr("Operators of the model; a tick says that the back end supports it"));
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &PartitionPanel::showOperatorMenu);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) { askWhatIf(m_operators->at(m_filtered->mapToSource(index))); });
    m_supported = tool(tr("supported"), tr("The selected nodes are supported, whatever is ticked"), this);
    m_unsupported = tool(tr("unsupported"), tr("The selected nodes are not supported, whatever is ticked"), this);
    m_byRule = tool(tr("as ticked"), tr("Take back what was said of the selected nodes alone"), this);
    m_move = tool(tr("move ▾"), tr("Move the selected nodes to another partition"), this);
    m_move->setPopupMode(QToolButton::InstantPopup);
    auto* moves = new QMenu(m_move);
    m_move->setMenu(moves);
    connect(moves, &QMenu::aboutToShow, this, [this, moves] {
        moves->clear();
        addTo(*moves);
    });
    connect(m_supported, &QToolButton::clicked, this, [this] { markSelection(Support::Supported); });
    connect(m_unsupported, &QToolButton::clicked, this, [this] { markSelection(Support::Unsupported); });
    connect(m_byRule, &QToolButton::clicked, this, [this] { markSelection(Support::ByRule); });
    auto* selected = new QLabel(tr("Selected:"), this);
    selected->setProperty("role", "muted");
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(4);
    column->addWidget(rowOf(box, {heading(tr("Supported"), box), m_all, m_nothing, m_rules}, 0));
    column->addWidget(m_filter);
    column->addWidget(m_tree, 1);
    column->addWidget(rowOf(box, {selected, m_supported, m_unsupported, m_byRule, m_move}, -1));
    return box;
}

QMenu* PartitionPanel::makeRulesMenu() {
    auto* menu = new QMenu(this);
    menu->addAction(tr("Load RULES.json…"), this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Load rules"), QString(), tr("Rules (*.json);;All files (*)"));
        if (!path.isEmpty()) loadRules(path);
    });
    menu->addAction(tr("Save as RULES.json…"), this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Save rules"), QStringLiteral("RULES.json"), tr("Rules (*.json)"));
        if (!path.isEmpty()) saveRules(path);
    });
    menu->addSeparator();
    menu->addAction(tr("Forget rules, ticks and marks"), this, [this] { setDraft({}); });
    return menu;
}

QWidget* PartitionPanel::makeFlags() {
    m_single = new QCheckBox(tr("single nodes"), this);
    m_single->setToolTip(tr("Partitions of one node stay (allows_single_node_partition)"));
    m_trim = new QCheckBox(tr("trim ends"), this);
    m_trim->setToolTip(tr("Operators that compute nothing leave the ends (remove_bookend_non_compute_ops).\nRight-click an operator to say that it computes nothing."));
    m_vertical = new QCheckBox(tr("no horizontal"), this);
    m_vertical->setToolTip(tr("Only nodes that feed each other go together (skip_horizontal_fusion)"));
    for (QCheckBox* box : {m_single, m_trim, m_vertical}) connect(box, &QCheckBox::toggled, this, &PartitionPanel::run);
    return rowOf(this, {m_single, m_trim, m_vertical}, -1);
}

QWidget* PartitionPanel::makeStatus() {
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setMinimumHeight(26);
    m_status->setIndent(8);
    m_status->setWordWrap(true);
    m_hint = new QLabel(this);
    m_hint->setProperty("role", "muted");
    m_hint->setWordWrap(true);
    m_whatIf = new QLabel(this);
    m_whatIf->setWordWrap(true);
    m_whatIf->setProperty("role", "ok");
    m_whatIf->hide();
    m_handNote = new QLabel(this);
    m_handNote->setWordWrap(true);
    m_handNote->hide();
    for (QLabel* label : {m_whatIf, m_handNote}) {
        label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(label, &QLabel::linkActivated, this, &PartitionPanel::follow);
    }
    m_why = new QLabel;
    m_why->setWordWrap(true);
    m_why->setTextFormat(Qt::RichText);
    m_why->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_why->setMargin(8);
    m_why->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_why, &QLabel::linkActivated, this, &PartitionPanel::follow);
    m_whyArea = new QScrollArea(this);
    m_whyArea->setWidget(m_why);
    m_whyArea->setWidgetResizable(true);
    m_whyArea->setProperty("look", "field");
    m_whyArea->setMinimumHeight(64);
    m_whyArea->setAccessibleName(tr("Why"));
    m_previous = tool(QStringLiteral("◂"), tr("Previous step of the cycle"), this);
    m_next = tool(QStringLiteral("▸"), tr("Next step of the cycle"), this);
    m_place = new QLabel(this);
    m_place->setProperty("role", "muted");
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    m_whyBar = rowOf(this, {heading(tr("Why?"), this), m_previous, m_place, m_next}, 0);
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    for (QWidget* widget : {static_cast<QWidget*>(m_status), static_cast<QWidget*>(m_hint), static_cast<QWidget*>(m_handNote), static_cast<QWidget*>(m_whatIf), m_whyBar}) column->addWidget(widget);
    column->addWidget(m_whyArea, 1);
    return box;
}

QWidget* PartitionPanel::makeTable() {
    m_partitions = new PartitionTableModel(this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_partitions);
    m_sorted->setSortRole(PartitionTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setProperty("look", "field");
    m_table->setMinimumHeight(84);
    m_table->setAccessibleName(tr("Partitions"));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &PartitionPanel::showRowMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PartitionPanel::selectRows);
    return m_table;
}

QWidget* PartitionPanel::makeButtons() {
    m_stages = new QPushButton(tr("Export stages…"), this);
    connect(m_stages, &QPushButton::clicked, this, &PartitionPanel::askStages);
    m_split = new QPushButton(tr("Split"), this);
    m_fuse = new QPushButton(tr("Fuse"), this);
    m_fuse->setProperty("primary", true);
    connect(m_split, &QPushButton::clicked, this, [this] { change("split"); });
    connect(m_fuse, &QPushButton::clicked, this, [this] { change("fuse"); });
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QPushButton* button : {m_stages, m_split, m_fuse}) layout->addWidget(button, 1);
    return bar;
}

void PartitionPanel::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_document) m_document->disconnect(this);
    m_document = document;
    m_hand.clear();
    m_draft.forgetNodes();
    if (document) {
        connect(document, &Document::versionChanged, this, &PartitionPanel::takeVersion);
        connect(document, &Document::stateChanged, this, &PartitionPanel::takeVersion);
        connect(document, &Document::selectionChanged, this, [this](QObject* source) {
            updateButtons();
            if (source != this) explain();
        });
    }
    takeVersion();
}

/// Another model, or another version of it: its operators are listed anew; partitions made by hand name nodes of the old one.
void PartitionPanel::takeVersion() {
    m_version = m_document && m_document->state() == Document::State::Ready ? m_document->module() : nullptr;
    m_hand.clear();
    m_listing.cancel();
    take({});
    if (!m_version) {
        m_operators->setOperators({});
        return showStatus();
    }
    if (!m_seen) return; // nobody looks: when somebody does
    m_listing.start([module = m_version](const fx::Progress& progress) { return Listed{operatorsOf(*module), std::make_shared<const DrawnGroups>(drawnGroups(*module, progress))}; }, this, [this](Listed listed) {
        m_groups = std::move(listed.groups);
        m_operators->setOperators(std::move(listed.operators));
        m_operators->setDraft(m_draft, m_nonCompute);
        m_tree->expandAll();
        run();
    });
}

void PartitionPanel::setSeen(bool seen) {
    if (std::exchange(m_seen, seen) == seen) return;
    if (!seen) {
        m_task.cancel();
        m_asking.cancel();
        Q_EMIT stylesChanged();
    } else if (m_document && (m_version != m_document->module() || m_operators->operators().empty())) {
        takeVersion();
    } else {
        run();
        Q_EMIT stylesChanged();
    }
}

void PartitionPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_document) return;
    makeStyles();
    drawWhy();
    Q_EMIT stylesChanged();
}

PartitionQuery PartitionPanel::query() const {
    return {m_draft.rules(), m_hand.empty() ? fx::NamedPartitions() : m_hand.back(), m_single->isChecked(), m_trim->isChecked(), m_vertical->isChecked(), m_nonCompute};
}

int PartitionPanel::flags() const { return m_single->isChecked() | m_trim->isChecked() << 1 | m_vertical->isChecked() << 2; }

void PartitionPanel::setFlags(int flags) {
    int bit = 1;
    for (QCheckBox* box : {m_single, m_trim, m_vertical}) {
        const QSignalBlocker quiet(box);
        box->setChecked(flags & bit);
        bit <<= 1;
    }
    run();
}

void PartitionPanel::setDraft(const SupportDraft& draft) {
    m_draft = draft;
    m_rulesError.clear();
    m_rules->setText(m_draft.hasBase() ? m_draft.baseName() + QStringLiteral(" ▾") : tr("rules ▾"));
    m_hand.clear();
    m_operators->setDraft(m_draft, m_nonCompute);
    run();
    askWhatIf(m_operators->at(m_filtered->mapToSource(m_tree->currentIndex())));
}

void PartitionPanel::tick(const std::vector<const MetOperator*>& operators, Support support) {
    SupportDraft draft = m_draft;
    for (const MetOperator* op : operators) draft.setOperator(*op, support);
    setDraft(draft);
}

void PartitionPanel::tickAll(bool on) {
    std::vector<const MetOperator*> listed;
    for (int g = 0; g < m_filtered->rowCount(); ++g) {
        const QModelIndex group = m_filtered->index(g, 0);
        for (int i = 0; i < m_filtered->rowCount(group); ++i) listed.push_back(m_operators->at(m_filtered->mapToSource(m_filtered->index(i, 0, group))));
    }
    tick(listed, on ? Support::Supported : m_draft.hasBase() ? Support::Unsupported : Support::ByRule);
}

void PartitionPanel::showOperatorMenu(const QPoint& position) {
    const MetOperator* op = m_operators->at(m_filtered->mapToSource(m_tree->indexAt(position)));
    if (!op) return;
    QMenu menu;
    const auto say = [&](const QString& text, Support support) {
        QAction* action = menu.addAction(text, this, [this, op, support] { tick({op}, support); });
        action->setCheckable(true);
        action->setChecked(m_draft.of(*op) == support);
    };
    say(tr("Supported"), Support::Supported);
    if (m_draft.hasBase()) say(tr("Unsupported"), Support::Unsupported);
    say(m_draft.hasBase() ? tr("By the rules of %1").arg(m_draft.baseName()) : tr("Unsupported"), Support::ByRule);
    menu.addSeparator();
    QAction* nothing = menu.addAction(tr("Computes nothing (non_compute_ops)"), this, [this, op] { toggleNonCompute(*op); });
    nothing->setCheckable(true);
    nothing->setChecked(std::find(m_nonCompute.begin(), m_nonCompute.end(), op->name) != m_nonCompute.end());
    nothing->setEnabled(op->kind == MetOperator::Kind::Function);
    menu.addAction(tr("Select its nodes"), this, [this, nodes = op->nodes] { m_document->select(nodes, nullptr); });
    menu.exec(m_tree->viewport()->mapToGlobal(position));
}

void PartitionPanel::toggleNonCompute(const MetOperator& op) {
    if (std::erase(m_nonCompute, op.name) == 0) m_nonCompute.push_back(op.name);
    m_operators->setDraft(m_draft, m_nonCompute);
    run();
}

bool PartitionPanel::loadRules(const QString& path) {
    try {
        const std::string text = fx::readTextFile(path.toStdString());
        (void)fx::SupportRules::parseText(text);
        SupportDraft draft;
        draft.setBase(QByteArray::fromStdString(text), QFileInfo(path).fileName());
        setDraft(draft);
        return true;
    } catch (const fx::Error& error) {
        m_rulesError = QFileInfo(path).fileName() + (error.where.empty() ? QString() : QStringLiteral(", ") + plain(error.where)) + QStringLiteral(": ") + plain(error.what()) +
                       (error.hint.empty() ? QString() : QStringLiteral(" — ") + plain(error.hint)) + tr(". The rules stay as they were.");
    }
    showStatus();
    return false;
}

bool PartitionPanel::saveRules(const QString& path) {
    QSaveFile file(path);
    const bool done = file.open(QIODevice::WriteOnly) && file.write(m_draft.rules()) >= 0 && file.commit();
    Q_EMIT notified(done ? tr("The rules are in %1.").arg(path) : tr("%1 cannot be written: %2").arg(path, file.errorString()));
    return done;
}

void PartitionPanel::run() {
    if (!m_version || !m_seen) {
        m_task.cancel();
        return;
    }
    m_task.start(
        [module = m_version, groups = m_groups, query = query()](const fx::Progress& progress) {
            Ran ran{runPartition(*module, query, progress), {}};
            if (groups) ran.shares = groups->shares(module->graph, ran.outcome);
            return ran;
        },
        this,
        [this](Ran ran) {
            m_shares = std::move(ran.shares);
            take(std::move(ran.outcome));
        });
}

void PartitionPanel::take(PartitionOutcome outcome) {
    m_outcome = std::make_shared<const PartitionOutcome>(std::move(outcome));
    {
        m_selecting = true; // rows that vanish are no choice of the user
        m_partitions->setOutcome(m_outcome);
        m_selecting = false;
    }
    for (const int column : {PartitionTableModel::BytesIn, PartitionTableModel::BytesOut}) m_table->setColumnHidden(column, !m_partitions->knowsBytes());
    m_operators->setOutcome(*m_outcome);
    m_way.clear();
    makeStyles();
    showStatus();
    explain();
    Q_EMIT stylesChanged();
}

void PartitionPanel::setStatus(const char* role, const QString& text) {
    m_status->setProperty("role", role);
    m_status->setText(text);
    m_status->style()->unpolish(m_status);
    m_status->style()->polish(m_status);
}

void PartitionPanel::showStatus() {
    const auto& report = m_outcome->report;
    const std::size_t count = report.partitions.size();
    QString hint;
    m_status->setToolTip(QString());
    if (!m_version) {
        setStatus("muted", tr("No file is open"));
    } else if (!m_rulesError.isEmpty()) {
        setStatus("error", m_rulesError);
    } else if (m_outcome->error) {
        setStatus("error", plain(m_outcome->error->what()));
        hint = plain(m_outcome->error->hint);
    } else if (m_draft.isEmpty() && m_hand.empty()) {
        setStatus("muted", tr("Nothing is supported yet"));
        hint = tr("Tick the operators that your back end runs, press “all”, or load a RULES.json. Partitions appear here and on the canvas while you tick.");
    } else if (count == 0) {
        setStatus("warning", report.supported == 0 ? tr("The rules support no node of this model") : tr("No partition: %1 nodes are supported, and none of them go together").arg(report.supported));
        hint = report.supported == 0 ? QString() : tr("“single nodes” keeps partitions of one node.");
    } else {
        std::size_t inside = 0;
        for (const auto& partition : report.partitions) inside += partition.nodes.size();
        const std::size_t refused = report.unassigned.size();
        setStatus("ok", (count == 1 ? tr("1 partition") : tr("%1 partitions").arg(count)) + tr(" · %1 nodes in them · ").arg(inside) +
                            (refused == 1 ? tr("1 call refused") : tr("%1 calls refused").arg(refused)));
        m_status->setToolTip(tr("%1 ms").arg(m_outcome->millis, 0, 'f', 1));
    }
    for (const fx::Warning& warning : report.warnings) // rules that name nothing
        if (hint.size() < 400) hint += (hint.isEmpty() ? QString() : QStringLiteral("\n")) + plain(warning.what);
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    const QString link = QStringLiteral("<a href='%1' style='color:%2'>%3</a>");
    m_handNote->setText((m_hand.size() == 1 ? tr("Changed by hand, 1 move: ") : tr("Changed by hand, %1 moves: ").arg(m_hand.size())) + link.arg(QStringLiteral("hand:back"), theme().accent.name(), tr("take the last back")) + QStringLiteral(" · ") +
                        link.arg(QStringLiteral("hand:none"), theme().accent.name(), tr("partitions of the rules")));
    m_handNote->setVisible(!m_hand.empty());
    updateButtons();
}

/// Every button that cannot work says why.
void PartitionPanel::updateButtons() {
    const QString why = !m_version ? tr("no file is open") : m_outcome->error ? tr("the rules cannot be used") : m_outcome->report.partitions.empty() ? tr("there is no partition") : QString();
    for (QPushButton* button : {m_split, m_fuse}) button->setEnabled(why.isEmpty());
    m_stages->setEnabled(m_version != nullptr);
    m_stages->setToolTip(m_version ? tr("A folder with a file for each stage and a script that runs them as a pipeline of processes, under torchrun") : tr("no file is open"));
    m_fuse->setToolTip(why.isEmpty() ? tr("Each partition becomes a module fused_N, as one change that can be undone") : why);
    m_split->setToolTip(why.isEmpty() ? tr("Partitions and what is between them become modules submod_N, as one change that can be undone") : why);
    const std::size_t count = m_outcome->report.partitions.size();
    m_fuse->setText(count > 1 ? tr("Fuse all %1").arg(count) : tr("Fuse"));
    const bool selected = m_document && !m_document->selection().empty();
    for (QToolButton* button : {m_supported, m_unsupported, m_byRule, m_move}) {
        button->setEnabled(selected);
        if (button->property("tip").isNull()) button->setProperty("tip", button->toolTip());
        button->setToolTip(selected ? button->property("tip").toString() : tr("nothing is selected on the canvas"));
    }
    for (QToolButton* button : {m_all, m_nothing}) button->setEnabled(m_version != nullptr);
}

void PartitionPanel::change(const char* then) {
    const std::size_t count = m_outcome->report.partitions.size();
    const QString name = QByteArrayView(then) == "fuse" ? (count == 1 ? tr("Fuse 1 partition") : tr("Fuse %1 partitions").arg(count)) : tr("Split by %1 partitions").arg(count);
    Q_EMIT changeRequested(name, partitionStep(query(), then));
}

void PartitionPanel::askStages() {
    const auto& graph = m_version->graph;
    int calls = 0;
    for (const fx::Node& node : graph.nodes()) calls += node.isCall();
    bool accepted = false;
    const int count = QInputDialog::getInt(this, tr("Export stages"), tr("Number of stages: one process each, with about the same number of calls"), std::min(2, calls), 1, std::max(1, calls), 1, &accepted);
    if (!accepted) return;
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the stages"));
    if (!folder.isEmpty()) exportStages(count, folder);
}

void PartitionPanel::exportStages(int count, const QString& folder) {
    if (!m_version) return;
    Q_EMIT notified(tr("Writing %1 stages…").arg(count));
    m_exporting.start(
        [module = m_version, count, folder](const fx::Progress& progress) {
            fx::savePipeline(*module, fx::splitIntoStages(*module, static_cast<std::size_t>(count), fx::StageBalance::Nodes), folder.toStdString(), true, progress);
            return tr("%1 stages are in %2. Run them: torchrun --nproc-per-node %1 run_pipeline.py --inputs in.pt --output out.pt").arg(count).arg(folder);
        },
        this, [this](const QString& done) { Q_EMIT notified(done); },
        [this](const fx::Error& error) { setStatus("error", plain(error.what()) + (error.hint.empty() ? QString() : QStringLiteral(" — ") + plain(error.hint))); });
}

} // namespace ui
