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

/// One tab: the document's canvas with its bar (module path, zoom, direction), or the reason why it is missing.
class DocumentPage final : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of the document.
    DocumentPage(Document* document, QWidget* parent = nullptr);

    Document& document() const { return *m_document; } ///< The document of the page.
    GraphCanvas& canvas() const { return *m_canvas; }  ///< The canvas of the graph.
    /// The bar that reports changes by other programs.
    DiskBar& diskBar() const { return *m_disk; }
    /// Shows or hides the source beside the graph.
    void setSourceShown(bool shown);
    /// Shows the source as soon as the model is loaded, if the model has one.
    void showSourceIfKnown();
    bool isSourceShown() const; ///< True if the source is switched on.
    /// Shows the source and moves the keyboard focus to it.
    void focusSource();
    /// The editor of Python source; null for other models, and until the source is first shown.
    SourcePane* sourcePane() const { return m_pane; }
    /// The viewer of the source of other models; null until it is first shown.
    SourceViewer* sourceViewer() const { return m_viewer; }
    /// Returns the view to store in a project.
    QByteArray view() const;
    /// The meaning of the node colours in this document, while partitions do not use them.
    enum class Colours { Kinds, Times, Errors };
    Colours colours() const { return m_colours; }             ///< The chosen meaning of the node colours.
    void setColours(Colours colours) { m_colours = colours; } ///< Sets the meaning of the node colours.

Q_SIGNALS:
    /// Emitted when the user wants to open another file instead of an invalid one.
    void openOtherRequested();
    void closeRequested(); ///< Emitted when the user closes the page of an invalid file.
    /// Emitted when the user wants to edit the inputs of the model.
    void inputsRequested();
    /// Emitted when the page switches between canvas, error and progress.
    void contentChanged();
    void pythonRequested(); ///< Emitted when the user wants to trace the source with Python.
    void reloadRequested(); ///< Emitted when the user reloads a file that changed on disk.
    /// Emitted when the source is shown or hidden.
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
    using Steps = std::vector<std::pair<QString, QString>>; ///< link target and text of each module on the path
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
    QWidget* m_bar = nullptr; ///< the bar above the graph
    QLabel* m_place = nullptr;
    QToolButton *m_shapes, *m_fit, *m_zoom, *m_direction;
    std::string m_shownModel; ///< name of the shown model among those in the file
    bool m_following = false, m_showsIfKnown = false;
    Colours m_colours = Colours::Kinds;
    TaskSlot<NodeMarker> m_marking{"document.marks"};
};

} // namespace ui
