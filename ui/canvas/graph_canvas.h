// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera.h"
#include "ui/canvas/node_style.h"
#include "ui/canvas/scene.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace ui {

class CanvasAnimation;
class CanvasPainter;
struct CanvasLook;
struct CanvasState;

/// The graph as a picture that can be walked through: zoom, pan, select, hover, open and close groups.
///
/// Shows a Scene (made from the Picture that core/layout computes) and holds node ids only. It decides nothing about
/// the graph: it asks by signals and is told by `setScene`. One batched painter draws everything, at levels of detail:
///
///     far   filled rectangles, long edges, names of large groups
///     mid   boxes with names
///     near  name, shape, target, chips, badges, labelled stubs
class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr);
    ~GraphCanvas() override;

    /// What is shown; with `animate` things move from where they were (under 150 ms), and what was toggled or selected
    /// stays where it is on the screen. The first scene is fitted.
    void setScene(std::shared_ptr<const Scene> scene, bool animate);
    /// The same, making the scene here: for small pictures. `setGraph` first.
    void setPicture(std::shared_ptr<const fx::Picture> picture, bool animate);
    void setGraph(std::shared_ptr<const fx::GraphModule> module);
    const Scene& scene() const;

    const std::vector<fx::NodeId>& selection() const; ///< in graph order of the picture
    /// With `reveal` the view moves to them; those inside closed groups are asked for by `revealRequested`.
    void setSelection(std::vector<fx::NodeId> nodes, bool reveal);
    /// The group or node that the keyboard is on; "" when it is a node or nothing.
    QString currentGroup() const;
    void setCurrentGroup(const QString& path, bool reveal);

    /// Colours, hatching and badges of nodes by heat map, partition, diff, matches; null: by kind.
    void setNodeStyler(NodeStyler styler);
    /// The same for nodes with something wrong; where it gives a style, it wins.
    void setProblemStyler(NodeStyler styler);
    /// How it is coloured now, for whoever draws it elsewhere; null: by the kinds of the nodes.
    std::shared_ptr<const CanvasLook> look() const;
    /// Draws the regions that the styles name as hulls, and what closed groups hold of them; null: none. Regions live
    /// as long as styles.
    void setRegions(RegionSource source);
    /// Brings out the edges from each of these nodes to the next one; empty: none.
    void setWay(std::vector<fx::NodeId> nodes);

    double zoom() const;
    Camera camera() const;
    /// Looks from there at once; the zoom is kept within its limits.
    void setCamera(const Camera& camera);
    /// The part of the picture that is visible, in picture units.
    fx::Rect visibleArea() const;
    /// Where a node is drawn, in the widget; empty when it is not drawn.
    QRectF nodeRect(fx::NodeId node) const;
    /// What is at a place of the widget: a node, the edge from `node` to `user`, or a group; nothing of these: the
    /// background.
    struct Spot {
        fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
        QString group;
        bool operator==(const Spot&) const = default;
    };
    /// With `reach`, in pixels, also the node or edge nearest to a place on the background.
    Spot spotAt(QPointF at, double reach = 0) const;
    /// Brings out where something that is dragged would fall; `accepts`: it may be dropped there.
    void showDrop(const Spot& spot, bool accepts);
    void hideDrop();
    /// A description of a node as shown in tool tips and to assistive technology: name, target, arguments, shape.
    QString describe(fx::NodeId node) const;

    enum class What { All, Selection, View };
    /// The part of the picture that `what` means, with a margin.
    fx::Rect areaOf(What what) const;
    /// Draws a part of the picture in full detail into `target`, for export and printing. `vector`: text stays text.
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
    void revealGroup(const QString& path);

Q_SIGNALS:
    void selectionChanged();
    void currentGroupChanged(const QString& path);
    void groupToggled(const QString& path, bool expand);
    void nodeActivated(fx::NodeId node);
    /// The name of a node was double-clicked.
    void nameActivated(fx::NodeId node);
    /// A node that is to be seen but is not drawn: open its groups.
    void revealRequested(fx::NodeId node);
    void contextMenuRequested(const QPoint& globalPosition, fx::NodeId node, const QString& groupPath);
    void edgeMenuRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    /// A line was drawn from one node to another: `to` is to use `from`.
    void connectRequested(const QPoint& globalPosition, fx::NodeId from, fx::NodeId to);
    void hovered(fx::NodeId node, const QString& groupPath);
    void cameraChanged();
    void sceneChanged();
    /// Nodes have other colours, or regions around them.
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
