// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/modules_panel.h"

#include "ui/document/module_tree_model.h"
#include "ui/document/node_facts.h"
#include "ui/shell/row_delegate.h"
#include "ui/widgets/theme.h"

#include <QDrag>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>

#include <functional>

namespace ui {

/// The tree; what is dragged from it is a chip with the module's name that leaves the place under the pointer free.
class ModulesView final : public QTreeView {
public:
    using QTreeView::QTreeView;
    std::function<void()> dragged; ///< when a drag has ended, wherever

private:
    void startDrag(Qt::DropActions actions) override {
        const QModelIndexList rows = selectedIndexes();
        QMimeData* carried = rows.isEmpty() ? nullptr : model()->mimeData(rows);
        if (!carried) return;
        auto* drag = new QDrag(this); // Qt deletes it
        drag->setMimeData(carried);
        drag->setPixmap(chip(rows.front().data().toString()));
        drag->setHotSpot({-14, -16});
        drag->exec(actions & Qt::CopyAction);
        if (dragged) dragged();
    }
    QPixmap chip(const QString& name) const {
        const QString text = fontMetrics().elidedText(name, Qt::ElideMiddle, 120);
        const QSize size(fontMetrics().horizontalAdvance(text) + 14, fontMetrics().height() + 6);
        QPixmap pixmap(size * devicePixelRatioF());
        pixmap.setDevicePixelRatio(devicePixelRatioF());
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme().accent);
        painter.setBrush(theme().panel);
        painter.drawRoundedRect(QRectF({}, size).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        painter.setFont(font());
        painter.setPen(theme().text);
        painter.drawText(QRect({}, size), Qt::AlignCenter, text);
        return pixmap;
    }
};

ModulesPanel::ModulesPanel(QWidget* parent)
    : QWidget(parent), m_model(new ModuleTreeModel(this)), m_filter(new QLineEdit(this)),
      m_view(new ModulesView(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_filter->setPlaceholderText(tr("Filter modules"));
    m_filter->setAccessibleName(tr("Filter modules by path or class"));
    m_filter->setClearButtonEnabled(true);
    m_view->setModel(m_model);
    m_view->setItemDelegate(new RowDelegate({ModuleTreeModel::TypeRole, ModuleTreeModel::DetailRole, -1}, m_view));
    m_view->setHeaderHidden(true);
    m_view->setUniformRowHeights(true);
    m_view->setIndentation(16);
    m_view->setAccessibleName(tr("Module tree"));
    m_view->setExpandsOnDoubleClick(true);
    m_view->setDragEnabled(true); // onto the canvas: module_drop.h

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(6);
    auto* inset = new QVBoxLayout;
    inset->setContentsMargins(10, 0, 10, 0);
    inset->addWidget(m_filter);
    column->addLayout(inset);
    column->addWidget(m_view);
    setFocusProxy(m_view);

    connect(m_filter, &QLineEdit::textChanged, this, &ModulesPanel::filter);
    // Not currentChanged: a view that gets the keyboard makes its first row the current one, which nobody has chosen.
    // With the mouse it is the click that chooses: a press may begin a drag, for which the canvas must hold still.
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!(QGuiApplication::mouseButtons() & Qt::LeftButton)) pick();
    });
    static_cast<ModulesView*>(m_view)->dragged = [this] { followSelection(nullptr); }; // the row was only taken
    connect(m_view, &QTreeView::clicked, this, &ModulesPanel::pick);
    // Choosing a module with Enter or a double click also shows its first node.
    connect(m_view, &QTreeView::activated, this, [this] {
        if (m_document && !m_document->selection().nodes().empty())
            m_document->picture().reveal(m_document->selection().nodes().front());
    });
}

void ModulesPanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) {
        connect(document, &Document::stateChanged, this, &ModulesPanel::showModules);
        connect(&document->selection(), &NodeSelection::changed, this, &ModulesPanel::followSelection);
    }
    showModules();
}

void ModulesPanel::showModules() {
    const GuiScope scope("outline.modules");
    m_following = true;
    keepExpanded();
    Document* const listed = m_document && m_document->state() == Document::State::Ready ? m_document : nullptr;
    if (listed != m_listed) m_model->setModule(nullptr); // documents may share their modules, not what is open
    m_model->setModule(listed ? listed->module() : nullptr);
    m_listed = listed;
    restoreExpanded();
    m_following = false;
    followSelection(nullptr);
}

/// What is open stays so when another document is in front meanwhile, the model changes or modules are searched.
void ModulesPanel::keepExpanded() {
    if (!m_listed || !m_model->filter().isEmpty()) return;
    if (!m_expanded.contains(m_listed))
        connect(m_listed, &QObject::destroyed, this, [this](QObject* gone) { m_expanded.remove(gone); });
    QStringList& paths = m_expanded[m_listed];
    paths.clear();
    QModelIndexList open{QModelIndex()};
    while (!open.isEmpty()) {
        const QModelIndex parent = open.takeLast();
        for (int row = 0; row < m_model->rowCount(parent); ++row)
            if (const QModelIndex index = m_model->index(row, 0, parent); m_view->isExpanded(index)) {
                paths << ModuleTreeModel::pathOf(index);
                open << index;
            }
    }
}

void ModulesPanel::restoreExpanded() {
    const auto known = m_expanded.constFind(m_listed);
    if (known == m_expanded.constEnd())
        return m_view->expandToDepth(m_model->rowCount(m_model->index(0, 0)) > 60 ? 0 : 1);
    for (const QString& path : *known) m_view->setExpanded(m_model->indexOf(path), true);
}

void ModulesPanel::filter(const QString& text) {
    m_following = true;
    keepExpanded();
    m_model->setFilter(text);
    if (text.isEmpty()) restoreExpanded();
    else m_view->expandAll();
    m_following = false;
}

void ModulesPanel::pick() {
    const QModelIndexList chosen = m_view->selectionModel()->selectedIndexes();
    if (m_following || !m_document || chosen.isEmpty()) return;
    m_document->selection().selectModule(ModuleTreeModel::pathOf(chosen.front()), this);
}

void ModulesPanel::followSelection(QObject* source) {
    if (source == this || !m_document || m_document->state() != Document::State::Ready) return;
    const auto& selection = m_document->selection().nodes();
    QModelIndex index;
    if (m_document->selection().module()) index = m_model->indexOf(*m_document->selection().module());
    else if (selection.size() == 1)
        index =
            m_model->indexOf(QString::fromStdString(modulePathOf(m_document->module()->graph.node(selection.front()))));
    m_following = true;
    if (index.isValid()) {
        m_view->setCurrentIndex(index);
        m_view->scrollTo(index);
    } else {
        m_view->selectionModel()->clear();
    }
    m_following = false;
}

} // namespace ui
