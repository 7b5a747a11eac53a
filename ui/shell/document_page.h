// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/scene/node_style.h"

#include <QPointer>
#include <QWidget>

class QFontMetrics;
class QLabel;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace ui {

class DiskBar;
class ErrorPage;
class GraphCanvas;
class LoadingPage;
class SourcePane;
class SourceViewer;

/// One tab: the document's canvas with its bar (module path, zoom, direction), or the reason why there is none.
class DocumentPage final : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of the document.
    DocumentPage(Document* document, QWidget* parent = nullptr);

    Document& document() const { return *m_document; }
    GraphCanvas& canvas() const { return *m_canvas; }
    /// Tells of changes by other programs.
    DiskBar& diskBar() const { return *m_disk; }
    /// Shows the source beside the graph, or hides it.
    void setSourceShown(bool shown);
    /// Shows the source of a model that has one, as soon as that is known; others keep the room for their graph.
    void showSourceIfKnown();
    bool isSourceShown() const;
    /// Shows the source and gives it the focus; for a page that has it, the focus alone.
    void focusSource();
    /// The editor of Python source; null for other models and while it is hidden for the first time.
    SourcePane* sourcePane() const { return m_pane; }
    SourceViewer* sourceViewer() const { return m_viewer; }
    /// What a project keeps of how the document is looked at.
    QByteArray view() const;
    /// What the colours of its nodes tell while nothing else claims them. Of this document alone.
    enum class Colours { Kinds, Times, Errors };
    Colours colours() const { return m_colours; }
    void setColours(Colours colours) { m_colours = colours; }

Q_SIGNALS:
    void openOtherRequested();
    void closeRequested();
    /// The user wants to edit the inputs of the model.
    void inputsRequested();
    /// The page switched between canvas, error and progress.
    void contentChanged();
    void reloadRequested();
    /// The user showed or hid the source.
    void sourceToggled(bool shown);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeCanvasPage();
    void showSource();
    void connectDocument();
    void connectCanvas();
    void showState();
    void showScene();
    using Steps = std::vector<std::pair<QString, QString>>; ///< path, text
    static int stepsBetween(const QFontMetrics& metrics);
    void addSteps(const std::string& path, std::size_t start, std::size_t end, Steps& steps) const;
    std::size_t placesLeftOut(const Steps& steps, const QFontMetrics& metrics) const;
    void showPlace();
    void showShapes();
    void showBar();
    void showMarks();
    void showZoom();

    Document* m_document = nullptr;
    DiskBar* m_disk;
    QStackedLayout* m_stack;
    LoadingPage* m_loading;
    ErrorPage* m_error;
    GraphCanvas* m_canvas;
    QWidget* m_canvasPage;
    QSplitter* m_beside = nullptr; ///< source and graph
    SourcePane* m_pane = nullptr;
    SourceViewer* m_viewer = nullptr;
    QToolButton* m_source = nullptr;
    QWidget* m_bar = nullptr; ///< above the graph
    QLabel* m_place = nullptr;
    QToolButton *m_shapes, *m_fit, *m_zoom, *m_direction;
    std::string m_shownModel; ///< of those in the file
    bool m_following = false, m_showsIfKnown = false;
    Colours m_colours = Colours::Kinds;
    TaskSlot<NodeMarker> m_marking{"document.marks"};
};

} // namespace ui
