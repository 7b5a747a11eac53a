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
    explicit GraphCanvas(QWidget* parent = nullptr);
    ~GraphCanvas() override;

    /// Sets the scene. With `animate`, items move from their old positions (under 150 ms), and the toggled or selected
    /// item keeps its position on the screen. The first scene is fitted.
    void setScene(std::shared_ptr<const Scene> scene, bool animate);
    void setGraph(std::shared_ptr<const fx::GraphModule> module);
    /// The graph follows what somebody types: until they move the view, each version is shown as a first one is. Others
    /// keep what an edit leaves in view where it is.
    void setGrowing(bool growing);
    const Scene& scene() const;

    const std::vector<fx::NodeId>& selection() const; ///< in graph order of the picture
    /// With `reveal`, the view moves to them; nodes inside closed groups are requested by `revealRequested`.
    void setSelection(std::vector<fx::NodeId> nodes, bool reveal);
    /// The group with the keyboard focus; "" if a node or nothing has it.
    QString currentGroup() const;

    /// Sets colours, hatching and badges of nodes (heat map, partitions, differences, matches); null for the look by
    /// kind.
    void setNodeStyler(NodeStyler styler);
    /// Marks nodes ("new", "fails"), whatever their colours; null for no marks.
    void setNodeMarker(NodeMarker marker);
    /// Sets badges of edges; null for none.
    void setEdgeBadger(EdgeBadger badger);
    /// The badge of the edge between two nodes in the widget; empty if none is drawn.
    QRectF badgeRect(fx::NodeId from, fx::NodeId to) const;
    /// The current colours, for drawing elsewhere; null for the look by kind.
    std::shared_ptr<const CanvasLook> look() const;
    /// Draws the regions in the styles as hulls, and their shares in closed groups; null for none. Regions live as long
    /// as styles.
    void setRegions(RegionSource source);
    /// Highlights the edges from each of these nodes to the next one; empty for none.
    void setWay(std::vector<fx::NodeId> nodes);

    /// Bands across the picture with cuts that can be dragged; null for none. Their places are those of the scene.
    void setBands(std::shared_ptr<const CanvasBands> bands);
    /// The handle of a cut in the widget; empty if there is none.
    QRectF cutHandle(std::size_t cut) const;

    double zoom() const;
    Camera camera() const;
    /// Sets the camera without animation; the zoom is kept within its limits.
    void setCamera(const Camera& camera);
    /// The part of the picture that is visible, in picture units.
    fx::Rect visibleArea() const;
    /// The rectangle of a node in the widget; empty if it is not drawn.
    QRectF nodeRect(fx::NodeId node) const;
    /// The item at a position of the widget: a node, the edge from `node` to `user`, a group, or otherwise the
    /// background.
    struct Spot {
        fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
        QString group;
        bool operator==(const Spot&) const = default;
    };
    /// With `reach`, in pixels, also finds the node or edge nearest to a position on the background.
    Spot spotAt(QPointF at, double reach = 0) const;
    /// Highlights the drop target of a drag; `accepts`: dropping is allowed there.
    void showDrop(const Spot& spot, bool accepts);
    void hideDrop();
    /// A description of a node for tooltips and assistive technology: name, target, arguments, shape.
    QString describe(fx::NodeId node) const;

    enum class What { All, Selection, View };
    /// The part of the picture described by `what`, with a margin.
    fx::Rect areaOf(What what) const;
    /// Draws a part of the picture in full detail into `target`, for export and printing. With `vector`, text stays
    /// text.
    void renderTo(QPainter& painter, const QRectF& target, const fx::Rect& area, bool vector) const;

public Q_SLOTS:
    void fit();
    void zoomToSelection();
    void zoomIn();
    void zoomOut();
    void zoomToActualSize();
    /// Zooms about the middle of the view.
    void setZoom(double zoom);
    void centerOn(QPointF worldPoint);
    void revealNode(fx::NodeId node);
    /// Moves as little as shows them together; zooms out if it must, as long as they stay legible.
    void revealNodes(const std::vector<fx::NodeId>& nodes);
    void revealGroup(const QString& path);
    /// Before a group is closed, or all are where no path is given: what goes out of sight is not selected any more.
    void deselectIn(const QString& group = {});
    /// Scrolls along the graph to a cut that is out of sight; opens no group and keeps the zoom.
    void revealCut(int cut);

Q_SIGNALS:
    void selectionChanged();
    void currentGroupChanged(const QString& path);
    void groupToggled(const QString& path, bool expand);
    void nodeActivated(fx::NodeId node);
    /// The name of a node was double-clicked.
    void nameActivated(fx::NodeId node);
    /// A node that should be visible is not drawn: open its groups.
    void revealRequested(fx::NodeId node);
    void contextMenuRequested(const QPoint& globalPosition, fx::NodeId node, const QString& groupPath);
    void edgeMenuRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// The badge of an edge was clicked.
    void badgeClicked(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// A line was drawn from one node to another: `to` should use `from`.
    void connectRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// A cut should be moved by the keyboard from now on; -1: none.
    void cutChosen(int cut);
    /// A cut is dragged to a place, in picture units along the flow.
    void cutDragged(int cut, double place);
    void cutReleased(int cut);
    /// A cut should move by a number of calls.
    void cutStepped(int cut, int by);
    /// While a cut is current, Ctrl+Z is about cuts.
    void cutUndoRequested(bool redo);
    void hovered(fx::NodeId node, const QString& groupPath);
    void cameraChanged();
    void sceneChanged();
    /// The colours or regions of nodes have changed.
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
