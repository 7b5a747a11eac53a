// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera_motion.h"
#include "ui/canvas/frame.h"
#include "ui/canvas/graph_canvas.h"

#include <QPainterPath>
#include <QTimer>

#include <optional>

namespace ui {

inline constexpr double kViewMargin = 32; ///< around the fitted area, on the screen

/// The implementation of GraphCanvas: its state and event handling.
class GraphCanvas::Private {
public:
    explicit Private(GraphCanvas* canvas);

    // ── scene (canvas_scene.cpp) and view (graph_canvas.cpp) ──
    void replaceScene(std::shared_ptr<const Scene> next, bool animate);
    QPointF beginning(double length, double width) const;
    QPointF anchorShift(const Scene& from, const Scene& to) const;
    void finishTransition();
    std::optional<Camera> cameraOf(const Scene& old, const Scene& next, bool isEdit);
    Camera firstLook() const;
    void advance(double t);
    void limitZoom();
    void countRegions();
    void findWay();
    void paint(QPainter& painter);
    QRectF view() const { return QRectF(q->rect()); }
    Frame frame(QPainter& painter, const QRectF& part) const;

    // ── selection, hover (canvas_selection.cpp), what is under the pointer (canvas_hits.cpp) ──
    void putInOrder(std::vector<fx::NodeId>& nodes) const;
    void select(std::vector<fx::NodeId> nodes);
    void toggle(fx::NodeId node);
    void add(const std::vector<fx::NodeId>& nodes);
    void setCurrent(ItemIndex item);
    void rebuildFlags();
    void hoverAt(QPointF at);
    /// The node or closed group, or else the edge, that would be highlighted there.
    std::pair<ItemIndex, std::uint32_t> hoverableAt(QPointF at) const;
    void checkHover();
    void clearHover();
    void emphasise();
    QString describe(ItemIndex item) const;
    QString describeNode(fx::NodeId node) const;
    QString describeGroup(const fx::GroupItem& group) const;
    QString moduleOf(const fx::Node& node) const;
    QString tooltipAt(QPointF at) const;
    ItemIndex itemAt(QPointF at) const { return state.scene->itemAt(worldAt(at)); }
    fx::Point worldAt(QPointF at) const;
    static constexpr double kEdgeReach = 5;
    std::uint32_t edgeAt(QPointF at, double reach = kEdgeReach) const;
    fx::NodeId nodeNear(QPointF at, double reach) const;
    /// The edge whose badge is under the pointer, or kNoEdge.
    std::uint32_t badgeAt(QPointF at) const;
    bool pressBadge(QPointF at);
    /// The node whose chip is under the pointer, or kNoNode.
    fx::NodeId chipAt(QPointF at) const;
    /// The target of the stub label under the pointer.
    ItemIndex stubTargetAt(QPointF at) const;
    void reveal(ItemIndex item);
    void revealArea(const fx::Rect& area);
    fx::Rect areaAround(const std::vector<fx::NodeId>& nodes) const;
    fx::Rect selectedArea() const;

    // ── pointer (canvas_pointer.cpp) ──
    void press(QMouseEvent& event);
    void move(QMouseEvent& event);
    void release(QMouseEvent& event);
    void doubleClick(QMouseEvent& event);
    void pressItem(ItemIndex item, QMouseEvent& event);
    void wheel(QWheelEvent& event);
    bool gesture(QEvent& event);
    void finishRubberBand(Qt::KeyboardModifiers modifiers);
    void finishConnection(QPointF at);
    void paintConnection(QPainter& painter) const;
    void paintDrop(QPainter& painter) const;
    QPainterPath edgeCurve(fx::NodeId from, fx::NodeId to) const;
    void updateCursor();
    bool onChevron(ItemIndex item, QPointF at) const;

    // ── cuts between bands (canvas_cuts.cpp) ──
    bool flowsDown() const;
    QRectF cutHandle(std::size_t cut) const;
    /// The cut under the pointer, or -1.
    int cutAt(QPointF at) const;
    bool pressCut(QPointF at);
    void dragCutTo(QPointF at);
    bool cutKey(QKeyEvent& event);
    /// Whether the key is about cuts, also when an action of the window has it.
    bool takesCutKey(const QKeyEvent& event) const;

    // ── keyboard (canvas_keys.cpp) ──
    bool key(QKeyEvent& event);
    bool walkTo(int key, bool extend);
    void go(ItemIndex item, bool extend);
    void toggleGroup(ItemIndex item);
    void deselectIn(ItemIndex group); ///< kNoItem: in every group
    void activate(ItemIndex item);

    GraphCanvas* q;
    CanvasState state;
    CameraMotion motion;
    std::unique_ptr<CanvasFonts> fonts;
    std::shared_ptr<const fx::GraphModule> module;
    std::vector<fx::NodeId> selection, way;
    RegionSource regions;
    ItemIndex current = kNoItem;
    bool touched = false; ///< the user moved the view, so it is not fitted automatically
    bool growing = false; ///< what comes is no edit of the user's
    QSize seenBy;         ///< of the canvas, when the camera was set

    std::unique_ptr<Transition> transition;
    QVariantAnimation transitionClock;
    QPointF transitionShift; ///< total movement of the world under the camera during the transition
    std::string anchorPath;  ///< the last toggled group, which keeps its position
    /// A version that an edit or an undo left, and the camera of then.
    struct Left {
        std::shared_ptr<const fx::GraphModule> version;
        Camera camera;
    };
    std::vector<Left> left;                       ///< as long as nobody moves the view
    std::shared_ptr<const fx::GraphModule> drawn; ///< the version of the scene
    Camera expected;                              ///< when the scene has come in and nobody has moved the view
    QTimer hoverDelay;

    enum class Drag {
        None,
        Pan,
        Press,
        Band,
        Hold,
        Connect,
        Cut
    } drag = Drag::None; ///< Hold: a node is pressed, Connect: a line is drawn from it; Cut: between bands
    fx::NodeId connectFrom = fx::kNoNode;
    int dragCut = -1;
    double dragOffset = 0; ///< from the pointer to the dragged cut
    QPointF pressedAt, lastAt;
    QRectF band;
    bool spaceHeld = false;
    std::optional<Spot> drop; ///< current drop target
    bool dropAccepts = false;
};

} // namespace ui
