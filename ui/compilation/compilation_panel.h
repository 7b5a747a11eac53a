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

/// Panel with the work of torch.compile, from a log of TORCH_TRACE or a folder of TORCH_COMPILE_DEBUG: compilations
/// with graph breaks and recompilations, and the stages of each. Choosing a stage, also with the arrow keys, opens its
/// graph. Below the list it describes the compilation, or the origin and the results of the selected node, down to the
/// kernel.
class CompilationPanel final : public QWidget {
    Q_OBJECT
public:
    explicit CompilationPanel(QWidget* parent = nullptr); ///< Creates a panel without a dump.
    /// Lists a dump and opens the graph with the ID `stage`, or the first graph. Keeps the old list if the dump cannot
    /// be read.
    void open(const QString& dump, const QString& stage = {});
    /// Sets the document in front. If it is a stage of this dump, its row becomes current and its selection is
    /// explained.
    void setDocument(Document* document);
    /// The path of the dump, or empty.
    const QString& dump() const { return m_path; }
    QTreeWidget* tree() const { return m_tree; }             ///< The compilations and their stages.
    QTextBrowser* details() const { return m_details; }      ///< The description below the list.
    QPushButton* compareButton() const { return m_compare; } ///< Compares a stage with the previous graph.

Q_SIGNALS:
    /// Emitted when "DUMP#ID" should be opened as a model; with `node`, this node should be selected.
    void stageChosen(const QString& path, const QString& node);
    /// Emitted when a dump, a stage or a text could not be read.
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

    /// The current row: a compilation, and one of its stages or null.
    struct Place {
        const fx::Compilation* compilation = nullptr;
        const fx::CompilationStage* stage = nullptr;
    };
    Place place(const QTreeWidgetItem* item) const;
    Place currentPlace() const;
    /// Returns the graph before the stage in the same compilation, or null.
    static const fx::CompilationStage* previousGraph(const Place& place);
    const fx::Node* selectedNode() const;

    QString m_path;
    std::shared_ptr<const fx::CompilationDump> m_dump;
    fx::Provenance m_provenance; ///< for `m_tracked`
    const fx::Compilation* m_tracked = nullptr;
    QPointer<Document> m_document;
    QStackedWidget* m_pages; ///< empty, list
    QTreeWidget* m_tree;
    QTextBrowser* m_details;
    QLabel *m_about, *m_reading;
    QPushButton *m_compare, *m_cancel;
    QTimer m_settled{this}; ///< delay, because arrow keys pass over rows
    bool m_following = false;
    TaskSlot<std::shared_ptr<const fx::CompilationDump>> m_index{"compilation.index"};
    TaskSlot<std::shared_ptr<const StagePair>> m_pair{"compilation.pair"};
    TaskSlot<QByteArray> m_text{"compilation.text"};
};

} // namespace ui
