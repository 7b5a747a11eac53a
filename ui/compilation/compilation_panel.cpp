// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compilation/compilation_panel.h"

#include "core/codegen/graph_json.h"
#include "core/files/read_text.h"
#include "ui/compilation/compilation_html.h"
#include "ui/compilation/text_window.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/node_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/wrapped_label.h"

#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

namespace ui {

namespace {
constexpr int kStageRole = Qt::UserRole;
constexpr int kSettleMillis = 150;
constexpr int kHintWidth = 180;                ///< narrower, its many lines would make the window higher
constexpr std::uint64_t kMaxSource = 16 << 20; // bytes

QString text(const std::string& utf8) { return fromCore(utf8); }

QString stagePath(const QString& dump, const fx::CompilationStage& stage) {
    return dump + u'#' + QString::fromStdString(stage.id);
}

/// What the row of a compilation tells beside its ID; what happened comes first, for rows are cut at the end.
QString summaryOf(const fx::Compilation& compilation) {
    QStringList parts;
    if (!compilation.failure.empty()) parts << CompilationPanel::tr("failed");
    if (!compilation.graphBreaks.empty()) parts << CompilationPanel::tr("graph break");
    if (!compilation.recompiles.empty()) parts << CompilationPanel::tr("recompiled");
    if (!compilation.function.empty()) parts << text(compilation.function);
    return parts.join(QStringLiteral(", "));
}

QTreeWidgetItem* rowOf(const fx::Compilation& compilation) {
    auto* row = new QTreeWidgetItem({text(compilation.id) + QStringLiteral("  ") + summaryOf(compilation)});
    row->setToolTip(0, plainToolTip(row->text(0)));
    for (const fx::CompilationStage& stage : compilation.stages) {
        auto* child = new QTreeWidgetItem(
            row, {text(stage.name), stage.nodes ? QString::number(*stage.nodes) : CompilationPanel::tr("code")});
        child->setData(0, kStageRole, QString::fromStdString(stage.id));
        child->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        child->setToolTip(0, stage.nodes ? text(stage.name) + QStringLiteral(", ") +
                                               counted(qint64(*stage.nodes), CompilationPanel::tr("1 node"),
                                                       CompilationPanel::tr("%1 nodes"))
                                         : CompilationPanel::tr("%1: double-click to read it").arg(text(stage.name)));
    }
    return row;
}
} // namespace

CompilationPanel::CompilationPanel(QWidget* parent)
    : QWidget(parent), m_pages(new QStackedWidget(this)), m_tree(new QTreeWidget), m_details(new QTextBrowser),
      m_about(new ElidedLabel(this)), m_reading(new WrappedLabel(this)),
      m_compare(new QPushButton(tr("Compare with Previous"), this)), m_cancel(new QPushButton(tr("Cancel"), this)) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    m_tree->setColumnCount(2);
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    m_tree->setAccessibleName(tr("Compilations and their stages"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_details->setOpenLinks(false);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setAccessibleName(tr("About the compilation or the selected node"));
    auto* list = new QSplitter(Qt::Vertical);
    list->addWidget(m_tree);
    list->addWidget(m_details);
    list->setChildrenCollapsible(false);
    list->setStretchFactor(0, 3);
    list->setStretchFactor(1, 2);
    auto* empty = new QWidget;
    auto* hint = new WrappedLabel(empty, tr("Open what torch.compile wrote, to see its stages as graphs: a log of "
                                            "TORCH_TRACE, or a folder of TORCH_COMPILE_DEBUG."));
    hint->setProperty("role", "muted");
    hint->setMinimumWidth(kHintWidth);
    auto* openLog = new QPushButton(tr("Open Log…"), empty);
    auto* openFolder = new QPushButton(tr("Open Folder…"), empty);
    auto* column = new QVBoxLayout(empty);
    column->addWidget(hint);
    column->addWidget(openLog);
    column->addWidget(openFolder);
    column->addStretch();
    m_pages->addWidget(empty);
    m_pages->addWidget(list);
    m_about->setProperty("role", "muted");
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(8, 8, 8, 8);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_about), static_cast<QWidget*>(m_reading), static_cast<QWidget*>(m_cancel)}) {
        all->addWidget(widget);
        widget->hide();
    }
    all->addWidget(m_pages, 1);
    all->addWidget(m_compare);
    m_compare->setToolTip(tr("Show this stage beside the one before it, with their nodes linked"));
    m_compare->hide();
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettleMillis);
    connect(openLog, &QPushButton::clicked, this, [this] { chooseDump(false); });
    connect(openFolder, &QPushButton::clicked, this, [this] { chooseDump(true); });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_index.cancel();
        m_reading->hide(), m_cancel->hide();
    });
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &CompilationPanel::currentChanged);
    connect(m_tree, &QTreeWidget::itemActivated, this, &CompilationPanel::openCurrent);
    connect(&m_settled, &QTimer::timeout, this, [this] {
        if (const Place at = currentPlace(); at.stage && at.stage->nodes) openCurrent();
    });
    connect(m_details, &QTextBrowser::anchorClicked, this, &CompilationPanel::follow);
    connect(m_compare, &QPushButton::clicked, this, &CompilationPanel::compare);
}

void CompilationPanel::chooseDump(bool isFolder) {
    const QString path =
        isFolder ? FileDialog::openFolder(this, tr("Open Folder of TORCH_COMPILE_DEBUG"))
                 : FileDialog::openFile(this, tr("Open Log of TORCH_TRACE"), {}, tr("Logs (*.log);;All files (*)"));
    if (!path.isEmpty()) open(path);
}

void CompilationPanel::open(const QString& dump, const QString& stage) {
    if (m_dump && dump == m_path) return stage.isEmpty() ? void() : select(stage);
    m_reading->setText(tr("Reading %1…").arg(visible(QFileInfo(dump).fileName())));
    m_reading->show(), m_cancel->show();
    m_index.start(
        [path = dump.toStdString()](const fx::Progress& progress) { return fx::compilationDump(path, progress); }, this,
        [this, dump, stage](std::shared_ptr<const fx::CompilationDump> read) { list(std::move(read), dump, stage); },
        [this, dump](const fx::Error& error) {
            m_reading->hide(), m_cancel->hide();
            if (error.kind() != fx::ErrorKind::Cancelled)
                Q_EMIT failed(tr("Could not open %1").arg(visible(QFileInfo(dump).fileName())), error);
        },
        [this, dump](const QString&, double done) {
            m_reading->setText(
                tr("Reading %1: %2\u00a0%").arg(visible(QFileInfo(dump).fileName())).arg(qRound(100 * done)));
        });
}

void CompilationPanel::list(std::shared_ptr<const fx::CompilationDump> dump, const QString& path,
                            const QString& stage) {
    m_reading->hide(), m_cancel->hide();
    m_dump = std::move(dump);
    m_path = path;
    m_tracked = nullptr;
    const std::size_t count = m_dump->compilations.size();
    const QString file = visible(QFileInfo(path).fileName());
    QString about = count == 1 ? tr("%1: 1 compilation").arg(file) : tr("%1: %2 compilations").arg(file).arg(count);
    if (!m_dump->producer.empty()) about += tr(", PyTorch %1").arg(text(m_dump->producer));
    for (const fx::Warning& warning : m_dump->warnings) about += u'\n' + linesFromCore(warning.what.text());
    m_about->setText(about);
    m_about->setToolTip(plainToolTip(about));
    m_about->show(), m_compare->show();
    m_following = true;
    m_tree->clear();
    QList<QTreeWidgetItem*> rows;
    for (const fx::Compilation& compilation : m_dump->compilations) rows << rowOf(compilation);
    m_tree->addTopLevelItems(rows);
    for (QTreeWidgetItem* row : rows) row->setFirstColumnSpanned(true); // only once it is in a tree
    constexpr qsizetype kExpanded = 4;
    for (QTreeWidgetItem* row : rows.first(std::min(rows.size(), kExpanded))) row->setExpanded(true);
    m_following = false;
    m_pages->setCurrentIndex(1);
    QString first = stage;
    for (const fx::Compilation& compilation : m_dump->compilations)
        for (const fx::CompilationStage& each : compilation.stages)
            if (first.isEmpty() && each.nodes) first = QString::fromStdString(each.id);
    select(first);
    m_tree->setFocus();
}

/// Makes a stage the current row, as if it were clicked.
void CompilationPanel::select(const QString& stage) {
    const auto items = m_tree->findItems(QString(), Qt::MatchContains | Qt::MatchRecursive);
    for (QTreeWidgetItem* item : items)
        if (item->data(0, kStageRole).toString() == stage && !stage.isEmpty()) return m_tree->setCurrentItem(item);
}

CompilationPanel::Place CompilationPanel::place(const QTreeWidgetItem* item) const {
    if (!item || !m_dump) return {};
    const QTreeWidgetItem* top = item->parent() ? item->parent() : item;
    const auto index = static_cast<std::size_t>(m_tree->indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(top)));
    if (index >= m_dump->compilations.size()) return {};
    Place found{&m_dump->compilations[index], nullptr};
    if (item != top)
        found.stage =
            &found.compilation->stages[static_cast<std::size_t>(top->indexOfChild(const_cast<QTreeWidgetItem*>(item)))];
    return found;
}

CompilationPanel::Place CompilationPanel::currentPlace() const { return place(m_tree->currentItem()); }

const fx::CompilationStage* CompilationPanel::previousGraph(const Place& place) {
    if (!place.stage || !place.stage->nodes) return nullptr;
    const fx::CompilationStage* previous = nullptr;
    for (const fx::CompilationStage& stage : place.compilation->stages) {
        if (&stage == place.stage) return previous;
        if (stage.nodes) previous = &stage;
    }
    return nullptr;
}

void CompilationPanel::currentChanged() {
    const Place at = currentPlace();
    m_compare->setEnabled(previousGraph(at));
    if (at.compilation && at.compilation != m_tracked) {
        m_tracked = at.compilation;
        try {
            m_provenance = fx::readProvenance(*at.compilation);
        } catch (const fx::Error&) { m_provenance = {}; } // nodes are linked by structure then
    }
    explain();
    if (!m_following) m_settled.start();
}

void CompilationPanel::openCurrent() {
    m_settled.stop();
    const Place at = currentPlace();
    if (!at.stage) return;
    if (at.stage->nodes) Q_EMIT stageChosen(stagePath(m_path, *at.stage), {});
    else showText(at.stage->text, text(at.stage->id));
}

void CompilationPanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (!document) return explain();
    connect(&document->selection(), &NodeSelection::changed, this, &CompilationPanel::explain);
    connect(document, &Document::stateChanged, this, &CompilationPanel::explain);
    if (m_dump && document->file().opened().startsWith(m_path + u'#')) {
        m_following = true;
        select(document->file().opened().mid(m_path.size() + 1));
        m_following = false;
    }
    explain();
}

const fx::Node* CompilationPanel::selectedNode() const {
    const Place at = currentPlace();
    if (!m_document || m_document->state() != Document::State::Ready || !at.stage) return nullptr;
    if (m_document->file().opened() != stagePath(m_path, *at.stage) || m_document->selection().nodes().size() != 1)
        return nullptr;
    return &m_document->module()->graph.node(m_document->selection().nodes().front());
}

void CompilationPanel::explain() {
    m_details->document()->setDefaultStyleSheet(inspectorStyle());
    const Place at = currentPlace();
    const fx::Node* node = selectedNode();
    m_details->setHtml(node             ? provenanceHtml(*node, m_provenance, *at.compilation)
                       : at.compilation ? compilationHtml(*at.compilation, at.stage)
                                        : QString());
}

void CompilationPanel::follow(const QUrl& link) {
    const Place at = currentPlace();
    if (!at.compilation) return;
    const QString name = link.path(QUrl::FullyDecoded), scheme = link.scheme();
    if (scheme == QLatin1String("guards"))
        return showText(at.compilation->guards, tr("Guards of %1").arg(text(at.compilation->id)));
    if (scheme == QLatin1String("source")) return showSource();
    if (scheme == QLatin1String("text")) return openCurrent();
    const bool wantsBefore = scheme == QLatin1String("pre");
    const fx::CompilationStage* target = nullptr;
    for (const fx::CompilationStage& stage : at.compilation->stages) {
        if (scheme == QLatin1String("kernel")) {
            if (!stage.nodes) return showText(stage.text, text(stage.id), name.toStdString());
        } else if (stage.nodes && fx::isBeforeInductor(stage) == wantsBefore && !(wantsBefore && target)) {
            target = &stage; // the first before Inductor, the last after it
        }
    }
    if (target) Q_EMIT stageChosen(stagePath(m_path, *target), name);
}

void CompilationPanel::showText(const fx::DumpText& text, const QString& title, const std::string& kernel) {
    m_text.start([text](const fx::Progress&) { return QByteArray::fromStdString(text.read()); }, this,
                 [this, title, kernel](const QByteArray& read) {
                     auto* shown = new TextWindow(title, read, window());
                     shown->show();
                     if (!kernel.empty()) shown->showLine(fx::kernelLine(read.toStdString(), kernel));
                 },
                 [this, title](const fx::Error& error) { Q_EMIT failed(tr("Could not open %1").arg(title), error); });
}

/// The user's own line: at its path, or beside the dump, where logs and sources are often moved together.
void CompilationPanel::showSource() {
    const fx::Node* node = selectedNode();
    if (!node) return;
    const QString source = QString::fromStdString(fx::sourceLineOf(*node));
    static const QRegularExpression place(QStringLiteral("^(.*?):(\\d+) in "));
    const QRegularExpressionMatch match = place.match(source + QStringLiteral(" in "));
    QString path = match.captured(1);
    const QFileInfo dump(m_path);
    const QString beside = (dump.isDir() ? dump.filePath() : dump.path()) + u'/' + QFileInfo(path).fileName();
    if (!QFileInfo(path).isFile() || QFileInfo(path).isRelative()) path = beside;
    const std::size_t line = match.captured(2).toULongLong();
    m_text.start(
        [path](const fx::Progress&) {
            return QByteArray::fromStdString(fx::readTextFile(path.toStdString(), kMaxSource));
        },
        this,
        [this, path, line](const QByteArray& read) {
            auto* shown = new TextWindow(visible(QFileInfo(path).fileName()), read, window());
            shown->show();
            shown->showLine(line > 0 ? line - 1 : 0);
        },
        [this, path](const fx::Error& error) { Q_EMIT failed(tr("Could not open %1").arg(path), error); });
}

void CompilationPanel::compare() {
    const Place at = currentPlace();
    const fx::CompilationStage* before = previousGraph(at);
    if (!before) return;
    m_compare->setEnabled(false);
    m_pair.start(
        [dump = m_path.toStdString(), a = *before, b = *at.stage,
         provenance = m_provenance](const fx::Progress& progress) {
            auto pair = std::make_shared<StagePair>();
            pair->modules = {fx::openStage(dump, a.id, progress), fx::openStage(dump, b.id, progress)};
            pair->names = {text(a.id), text(b.id)};
            pair->links = fx::linkStages({*pair->modules[0], fx::isBeforeInductor(a)},
                                         {*pair->modules[1], fx::isBeforeInductor(b)}, provenance);
            return std::shared_ptr<const StagePair>(std::move(pair));
        },
        this,
        [this](std::shared_ptr<const StagePair> pair) {
            m_compare->setEnabled(true);
            (new StageWindow(std::move(pair), window()))->show();
        },
        [this](const fx::Error& error) {
            m_compare->setEnabled(true);
            Q_EMIT failed(tr("Could not compare these stages"), error);
        });
}

} // namespace ui
