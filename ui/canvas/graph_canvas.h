// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera.h"
#include "ui/scene/node_style.h"
#include "ui/scene/scene.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace ui {

class CanvasAnimation;
class CanvasPainter;
struct CanvasBands;
struct CanvasLook;
struct CanvasState;

/// The graph as an interactive picture: zoom, pan, select, hover, open and close groups.
///
/// Shows a Scene (built from the Picture of core/layout) and holds only node ids. It does not change the graph: it
/// emits signals and is updated by `setScene`. One batched painter draws everything, at levels of detail:
///
///     far   filled rectangles, long edges, names of large groups beside the nodes
///     mid   boxes with what the nodes do, and shapes where they fit
///     near  name, shape, what the node does, chips, badges, labelled stubs
class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr); ///< Creates a canvas with an empty scene.
    ~GraphCanvas() override;

    /// Sets the scene. With `animate`, items move from their old positions (under 150 ms), and the toggled or selected
    /// item keeps its position on the screen. The first scene is fitted, or shown from its beginning if it would be
    /// illegible.
    void setScene(std::shared_ptr<const Scene> scene, bool animate);
    void setGraph(std::shared_ptr<const fx::GraphModule> module); ///< Sets the version of the next scene.
    /// Sets whether versions come from source that the user types: then each version is shown like a first scene until
    /// the user moves the view. Other edits keep the view where it is.
    void setGrowing(bool growing);
    const Scene& scene() const; ///< The displayed scene.

    const std::vector<fx::NodeId>& selection() const; ///< The selected nodes, in graph order.
    /// Selects nodes. With `reveal`, the view moves to them; emits `revealRequested` for nodes inside closed groups.
    void setSelection(std::vector<fx::NodeId> nodes, bool reveal);
    /// The path of the group with the keyboard focus; "" if a node or nothing has it.
    QString currentGroup() const;

    /// Sets colours, hatching and badges of nodes (heat map, partitions, differences, matches); empty for the look by
    /// kind.
    void setNodeStyler(NodeStyler styler);
    /// Sets the marks of nodes ("new", "fails"), which are independent of the colours; empty for no marks.
    void setNodeMarker(NodeMarker marker);
    /// Sets badges of edges; empty for no badges.
    void setEdgeBadger(EdgeBadger badger);
    /// Returns the badge of the edge between two nodes in the widget; empty if none is drawn.
    QRectF badgeRect(fx::NodeId from, fx::NodeId to) const;
    /// Returns a snapshot of the current colours for drawing elsewhere; null for the look by kind.
    std::shared_ptr<const CanvasLook> look() const;
    /// Draws the regions in the styles as hulls, and their shares in closed groups; empty for no regions. Regions live
    /// as long as styles.
    void setRegions(RegionSource source);
    /// Highlights the edges from each of these nodes to the next one; empty for no edges.
    void setWay(std::vector<fx::NodeId> nodes);

    /// Sets bands across the picture with cuts that can be dragged; null for no bands. Positions are those of the
    /// scene.
    void setBands(std::shared_ptr<const CanvasBands> bands);
    /// Returns the handle of a cut in the widget; empty if there is no such cut.
    QRectF cutHandle(std::size_t cut) const;

    double zoom() const;   ///< The zoom; 1 is 100 %.
    Camera camera() const; ///< The current camera.
    /// Sets the camera without animation; limits its zoom.
    void setCamera(const Camera& camera);
    /// Returns the visible part of the picture, in picture units.
    fx::Rect visibleArea() const;
    /// Returns the rectangle of a node in the widget; empty if it is not drawn.
    QRectF nodeRect(fx::NodeId node) const;
    /// The item at a position of the widget: a node, the edge from `node` to `user`, a group, or otherwise the
    /// background.
    struct Spot {
        fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
        QString group;
        bool operator==(const Spot&) const = default;
    };
    /// Returns the item at a position. With `reach`, in pixels, also finds the node or edge nearest to a position on
    /// the background.
    Spot spotAt(QPointF at, double reach = 0) const;
    /// Highlights the drop target of a drag; `accepts`: dropping is allowed there.
    void showDrop(const Spot& spot, bool accepts);
    void hideDrop(); ///< Removes the highlight of `showDrop`.
    /// Returns a description of a node for tooltips and assistive technology: name, target, arguments, shape.
    QString describe(fx::NodeId node) const;

    /// A part of the picture.
    enum class What { All, Selection, View };
    /// Returns a part of the picture, in picture units. All and Selection have a margin.
    fx::Rect areaOf(What what) const;
    /// Draws a part of the picture in full detail into `target`, for export and printing. With `vector`, text stays
    /// text.
    void renderTo(QPainter& painter, const QRectF& target, const fx::Rect& area, bool vector) const;

public Q_SLOTS:
    void fit();              ///< Shows the whole picture.
    void zoomToSelection();  ///< Shows the selected nodes, or the whole picture if nothing is selected.
    void zoomIn();           ///< Zooms in about the middle of the view.
    void zoomOut();          ///< Zooms out about the middle of the view.
    void zoomToActualSize(); ///< Zooms to 100 %.
    /// Zooms about the middle of the view.
    void setZoom(double zoom);
    void centerOn(QPointF worldPoint); ///< Moves a point of the picture to the middle of the view.
    /// Moves the view to a node; emits `revealRequested` if it is not drawn.
    void revealNode(fx::NodeId node);
    /// Restores a stored view. Corrects positions without content, and zooms too small to recognise anything.
    void lookAt(QPointF centre, double zoom);
    /// Moves the view only as far as needed to show these nodes together. Zooms out if necessary, as long as they stay
    /// legible.
    void revealNodes(const std::vector<fx::NodeId>& nodes);
    void revealGroup(const QString& path); ///< Fits a group into the view.
    /// Deselects the nodes in a group before it is closed; without a path, the nodes in all groups.
    void deselectIn(const QString& group = {});
    /// Scrolls along the flow to a cut that is not visible. Opens no group and keeps the zoom.
    void revealCut(int cut);

Q_SIGNALS:
    void selectionChanged();                             ///< Emitted when `selection` changes.
    void currentGroupChanged(const QString& path);       ///< Emitted when `currentGroup` changes.
    void groupToggled(const QString& path, bool expand); ///< Emitted when the user opens or closes a group.
    void nodeActivated(fx::NodeId node); ///< Emitted when a node is double-clicked or activated by Return.
    /// Emitted when the name of a node is double-clicked.
    void nameActivated(fx::NodeId node);
    /// Emitted when a node should be visible but is not drawn: its groups must be opened.
    void revealRequested(fx::NodeId node);
    /// Emitted for the menu of a node, a group, or the background (neither).
    void contextMenuRequested(const QPoint& globalPosition, fx::NodeId node, const QString& groupPath);
    /// Emitted for the menu of an edge.
    void edgeMenuRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// Emitted when the badge of an edge is clicked.
    void badgeClicked(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// Emitted when the user draws a line from one node to another: `to` should use `from`.
    void connectRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// Emitted when a cut becomes the one that the keyboard moves; -1: none.
    void cutChosen(int cut);
    /// Emitted while a cut is dragged; `place` is in picture units along the flow.
    void cutDragged(int cut, double place);
    void cutReleased(int cut); ///< Emitted when a dragged cut is released.
    /// Emitted when a cut should move by a number of calls.
    void cutStepped(int cut, int by);
    /// Emitted on the keys of undo and redo while a cut is current.
    void cutUndoRequested(bool redo);
    /// Emitted when another node or group is hovered, or neither.
    void hovered(fx::NodeId node, const QString& groupPath);
    void cameraChanged(); ///< Emitted when `camera` changes.
    void sceneChanged();  ///< Emitted when `scene` changes.
    /// Emitted when colours, marks, regions or bands change.
    void stylesChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
