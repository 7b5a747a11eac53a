// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/provenance.h"
#include "ui/compilation/stage_window.h"
#include "ui/document/document.h"
#include "ui/tasks/task_slot.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;

namespace ui {

/// What torch.compile did, from a log of TORCH_TRACE or a folder of TORCH_COMPILE_DEBUG: compilations, with graph
/// breaks and recompilations, and the stages of each. Choosing a stage, also with the arrow keys, opens its graph.
/// Below: what happened to the compilation, or where the selected node comes from and what it became, down to the
/// kernel.
class CompilationPanel final : public QWidget {
    Q_OBJECT
public:
    explicit CompilationPanel(QWidget* parent = nullptr);
    /// Lists a dump and opens the graph with this ID, or the first. The old list stays if it cannot be read.
    void open(const QString& dump, const QString& stage = {});
    /// The document in front: if it is a stage of this dump, its row is current and its selection is explained.
    void setDocument(Document* document);
    /// The path of the dump, or empty.
    const QString& dump() const { return m_path; }
    QTreeWidget* tree() const { return m_tree; }
    QTextBrowser* details() const { return m_details; }
    QPushButton* compareButton() const { return m_compare; }

Q_SIGNALS:
    /// "DUMP#ID" is to be opened as a model; with `node`, this node is to be selected.
    void stageChosen(const QString& path, const QString& node);
    void failed(const QString& what, const fx::Error& error);

private:
    void chooseDump(bool isFolder);
    void list(std::shared_ptr<const fx::CompilationDump> dump, const QString& path, const QString& stage);
    void currentChanged();
    void openCurrent();
    void explain();
    void follow(const QUrl& link);
    void showText(const fx::DumpText& text, const QString& title, const std::string& kernel = {});
    void showSource();
    void compare();
    void select(const QString& stage);

    /// The current row: a compilation, and one of its stages or none.
    struct Place {
        const fx::Compilation* compilation = nullptr;
        const fx::CompilationStage* stage = nullptr;
    };
    Place place(const QTreeWidgetItem* item) const;
    Place currentPlace() const;
    /// The graph before the stage in the same compilation, or null.
    static const fx::CompilationStage* previousGraph(const Place& place);
    const fx::Node* selectedNode() const;

    QString m_path;
    std::shared_ptr<const fx::CompilationDump> m_dump;
    fx::Provenance m_provenance; ///< of `m_tracked`
    const fx::Compilation* m_tracked = nullptr;
    QPointer<Document> m_document;
    QStackedWidget* m_pages; ///< empty, list
    QTreeWidget* m_tree;
    QTextBrowser* m_details;
    QLabel *m_about, *m_reading;
    QPushButton *m_compare, *m_cancel;
    QTimer m_settled; ///< arrow keys pass over rows
    bool m_following = false;
    TaskSlot<std::shared_ptr<const fx::CompilationDump>> m_index{"compilation.index"};
    TaskSlot<std::shared_ptr<const StagePair>> m_pair{"compilation.pair"};
    TaskSlot<QByteArray> m_text{"compilation.text"};
};

} // namespace ui
