// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"

#include "ui/document/node_facts.h"
#include "ui/shell/row_delegate.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace ui {

namespace {
constexpr std::size_t kMostNodes = 100;
constexpr int kMargin = 8; // px

/// How an action answers what is typed. Its own name counts more than the menu that it is in: "partition" means the
/// panel and the verb, not each switch below "Partition:".
struct Answer {
    enum Rank { Nowhere, InPath, InName, StartsWord, Whole };
    Rank rank = Nowhere;
    int score = 0;
    bool isNamed() const { return rank >= StartsWord; }
};

Answer answerOf(const QString& query, const QString& name) {
    constexpr qsizetype kPart = 3; // letters that mean something in the middle of a word
    const int score = fuzzyScore(query, name);
    if (score < 0)
        return query.size() >= kPart && name.contains(query, Qt::CaseInsensitive) ? Answer{Answer::InName, 0}
                                                                                  : Answer{};
    if (name.compare(query, Qt::CaseInsensitive) == 0) return {Answer::Whole, score};
    for (qsizetype at = name.indexOf(query, 0, Qt::CaseInsensitive); at >= 0;
         at = name.indexOf(query, at + 1, Qt::CaseInsensitive))
        if (at == 0 || !name[at - 1].isLetterOrNumber()) return {Answer::StartsWord, score};
    return {Answer::InName, score};
}

/// By its text, by what it is called on a button, or by its path in the menus.
Answer answerOf(const QString& query, const QAction& action) {
    const QString path = action.property("path").toString(), typed = query.simplified();
    QString name = path.section(QStringLiteral(": "), -1);
    Answer best = answerOf(typed, name.remove(QChar(0x2026)));
    if (const Answer brief = answerOf(typed, action.iconText().trimmed()); brief.rank > best.rank) best = brief;
    if (best.rank == Answer::Nowhere)
        if (const int score = fuzzyScore(typed, path); score >= 0) best = {Answer::InPath, score};
    return best;
}

} // namespace

/// A letter counts at the start of a word or right after the one before it: "zi" is in "Zoom In", "cse" not in "Close".
int fuzzyScore(QStringView query, QStringView text) {
    constexpr int kNot = -1, kStart = 7, kRun = 8; // of letters: one run is better than several words
    // best[j]: of the letters so far, the last one at j
    std::vector<int> best(static_cast<std::size_t>(text.size()) + 1, kNot), next(best.size());
    int score = 0;
    bool isFirst = true;
    for (const QChar letter : query) {
        if (letter.isSpace()) continue;
        int before = isFirst ? 0 : kNot; // the best one that ends earlier
        score = kNot;
        for (qsizetype at = 0; at < text.size(); ++at) {
            const auto j = static_cast<std::size_t>(at);
            const bool starts = at == 0 || !text[at - 1].isLetterOrNumber();
            int here = kNot;
            if (text[at].toCaseFolded() == letter.toCaseFolded()) {
                if (starts && before != kNot) here = before + kStart;
                if (!isFirst && at > 0 && best[j - 1] != kNot) here = std::max(here, best[j - 1] + kRun);
            }
            next[j] = here;
            score = std::max(score, here);
            before = std::max(before, isFirst ? 0 : best[j]);
        }
        if (score == kNot) return -1;
        std::swap(best, next);
        isFirst = false;
    }
    return score * 16 + 25 - static_cast<int>(std::min<qsizetype>(text.size(), 200)) / 8; // of equal ones the shorter
}

void PaletteModel::setRows(std::vector<Row> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = at(index.row());
    switch (role) {
    case Qt::DisplayRole: return row.text;
    case Qt::AccessibleTextRole: return row.text + QStringLiteral(", ") + row.detail;
    case DetailRole: return row.detail;
    case OpRole: return row.op < 0 ? QVariant() : row.op;
    default: return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return Qt::NoItemFlags;
    const Row& row = at(index.row());
    const bool usable = !row.action || row.action->isEnabled();
    return usable ? Qt::ItemIsSelectable | Qt::ItemIsEnabled : Qt::ItemIsSelectable;
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window), m_field(new QLineEdit(this)), m_list(new QListView(this)), m_nothing(new QLabel(this)),
      m_model(new PaletteModel(this)) {
    setObjectName(QStringLiteral("commandPalette"));
    m_field->setPlaceholderText(tr("Actions and nodes"));
    m_field->setAccessibleName(tr("Find actions and nodes"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new RowDelegate({-1, PaletteModel::DetailRole, PaletteModel::OpRole}, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setMinimumHeight(1); // by itself it wants several rows
    m_list->setAccessibleName(tr("Actions and nodes found"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_nothing->setProperty("role", "muted");
    m_nothing->setAlignment(Qt::AlignCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    column->setSpacing(kMargin);
    column->addWidget(m_field);
    column->addWidget(m_nothing);
    column->addWidget(m_list, 1);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_list, &QListView::clicked, this, &CommandPalette::choose);
    hide();
}

void CommandPalette::open(const QList<QAction*>& actions, Document* document) {
    m_actions = QList<QPointer<QAction>>(actions.begin(), actions.end());
    m_document = document;
    m_before = QApplication::focusWidget();
    m_field->clear();
    search();
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::search() {
    const QString text = m_field->text();
    showRows({});
    m_task.cancel();
    if (!m_document || !m_document->facts().index() || text.isEmpty()) return;
    m_task.start([index = m_document->facts().index(),
                  text](const fx::Progress& progress) { return index->find({text}, progress); },
                 this,
                 [this](FindResult result) {
                     if (result.nodes.size() > kMostNodes) result.nodes.resize(kMostNodes);
                     showRows(result.nodes);
                 });
    m_nothing->hide(); // that is not known yet
    fit();
}

/// As high as what it shows, as far as the window has room.
void CommandPalette::fit() {
    const QSize area = parentWidget()->size();
    const int width = std::min(640, area.width() - 40), most = std::min(420, area.height() - 120);
    const int rows = m_model->rowCount();
    m_list->setVisible(rows > 0);
    const int listed = rows == 0 ? 0 : rows * m_list->sizeHintForRow(0) + 2 * m_list->frameWidth();
    int height = 2 * kMargin + m_field->sizeHint().height();
    if (rows > 0) height += kMargin + listed;
    if (!m_nothing->isHidden()) height += kMargin + m_nothing->sizeHint().height();
    m_list->setVerticalScrollBarPolicy(height > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    setGeometry((area.width() - width) / 2, 64, width, std::min(height, most));
}

void CommandPalette::showRows(const std::vector<fx::NodeId>& nodes) {
    std::vector<std::pair<Answer, PaletteModel::Row>> found;
    for (const QPointer<QAction>& action : m_actions) {
        if (!action) continue;
        const Answer answer = answerOf(m_field->text(), *action);
        if (answer.rank == Answer::Nowhere) continue;
        const QString why = action->isEnabled() ? action->shortcut().toString(QKeySequence::NativeText)
                                                : action->property("why").toString();
        found.push_back({answer, {action, fx::kNoNode, action->property("path").toString(), why}});
    }
    const auto order = [](const auto& each) { // of those that are named what can be done comes first
        return std::tuple(each.first.isNamed(), each.second.action->isEnabled(), each.first.rank, each.first.score);
    };
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return order(a) > order(b); });
    std::vector<PaletteModel::Row> rows;
    for (auto& [answer, row] : found) rows.push_back(std::move(row));
    for (const fx::NodeId id : nodes) {
        const fx::Node& node = m_document->module()->graph.node(id);
        rows.push_back(
            {nullptr, id, elided(node.name(), 200), elided(targetText(node), 200), static_cast<int>(node.op())});
    }
    m_model->setRows(std::move(rows));
    if (m_model->rowCount() > 0) m_list->setCurrentIndex(m_model->index(0));
    const QString typed = elided(m_field->text().trimmed().toStdString(), 60);
    m_nothing->setText(m_document ? tr("No command or node matches “%1”").arg(typed)
                                  : tr("No command matches “%1”").arg(typed));
    m_nothing->setVisible(m_model->rowCount() == 0);
    fit();
}

void CommandPalette::choose() {
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid() || !(index.flags() & Qt::ItemIsEnabled)) return;
    const PaletteModel::Row row = m_model->at(index.row());
    hide();
    if (m_before) m_before->setFocus();
    if (row.action) {
        Q_EMIT aboutToTrigger(row.action);
        row.action->trigger();
    } else if (m_document) {
        m_document->selection().goTo(row.node, this);
    }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && !isAncestorOf(QApplication::focusWidget())) hide();
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        switch (key->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown: QApplication::sendEvent(m_list, event); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: choose(); return true;
        case Qt::Key_Escape:
            hide();
            if (m_before) m_before->setFocus();
            return true;
        default: break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace ui
