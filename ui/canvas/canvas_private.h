// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera_motion.h"
#include "ui/canvas/canvas_frame.h"
#include "ui/canvas/canvas_hits.h"
#include "ui/canvas/canvas_texts.h"
#include "ui/canvas/graph_canvas.h"

#include <QPainterPath>
#include <QTimer>

#include <optional>

namespace ui {

inline constexpr double kViewMargin = 32; ///< margin around the fitted area in pixels

/// The implementation of GraphCanvas: its state and event handling.
class GraphCanvas::Private {
public:
    explicit Private(GraphCanvas* canvas); ///< Starts with an empty scene.

    // ── scene (canvas_scene.cpp) and view (graph_canvas.cpp) ──

    /// Shows another scene; see `GraphCanvas::setScene`.
    void replaceScene(std::shared_ptr<const Scene> next, bool animate);
    /// Returns the middle, across the flow, of the nodes within `length` of the picture's start. If they take more than
    /// `width`, returns the first input among them.
    QPointF beginning(double length, double width) const;
    /// Returns the movement of the item that the user looks at: the toggled group, else a visible selected node, else
    /// the item nearest to the middle of the view that both scenes have.
    QPointF anchorShift(const Scene& from, const Scene& to) const;
    void finishTransition(); ///< Ends a transition at its target.
    /// Returns the camera with which `next` was left, as after undo; nullopt if the user has moved the view since.
    /// Stores the camera of a version that an edit leaves.
    std::optional<Camera> cameraOf(const Scene& old, const Scene& next, bool isEdit);
    /// Returns the camera that shows the whole picture if it is legible then, else its beginning.
    Camera firstLook() const;
    /// Returns `camera` if it shows one of `nodes` (of all, if it is empty), else one with the nearest node in
    /// the middle.
    Camera seeing(const Camera& camera, const std::vector<fx::NodeId>& nodes = {}) const;
    void advance(double t);                           ///< Moves a transition to its progress `t`, 0..1.
    void limitZoom();                                 ///< Lets the user zoom out until the whole picture is visible.
    void countRegions();                              ///< Computes the shares of regions in closed groups.
    void findWay();                                   ///< Finds the edges of the displayed path.
    void paint(QPainter& painter);                    ///< Paints the scene, and what is being dragged.
    QRectF view() const { return QRectF(q->rect()); } ///< The rectangle of the widget.
    /// Returns the hit tests of the current view. Valid until state, camera or fonts change.
    CanvasHits hits() const { return {state, *fonts, motion.camera(), view()}; }
    CanvasTexts texts() const { return CanvasTexts(state); } ///< Returns the descriptions of the current state.
    /// Returns the frame for painting `part` of the view.
    Frame frame(QPainter& painter, const QRectF& part) const;

    // ── selection, hover (canvas_selection.cpp) ──

    /// Sorts nodes in graph order. Drops duplicates and unknown ids.
    void putInOrder(std::vector<fx::NodeId>& nodes) const;
    /// Selects exactly these nodes, and moves the keyboard focus to the first unless it is on a selected node.
    void select(std::vector<fx::NodeId> nodes);
    void toggle(fx::NodeId node);                   ///< Selects or deselects a node.
    void add(const std::vector<fx::NodeId>& nodes); ///< Adds nodes to the selection.
    void setCurrent(ItemIndex item);                ///< Moves the keyboard focus to an item.
    void rebuildFlags();                            ///< Recomputes the flags of all items.
    void hoverAt(QPointF at);                       ///< Updates the hovered item or edge.
    void checkHover();                              ///< Ends hovering if the item has moved away from the pointer.
    void clearHover();                              ///< Ends hovering and its emphasis.
    void emphasise();            ///< Emphasises the hovered item with its inputs and users, and dims the others.
    void reveal(ItemIndex item); ///< Moves the view to an item.
    /// Moves the view as little as needed to show an area. Zooms in if it would be illegible, and out if it does not
    /// fit.
    void revealArea(const fx::Rect& area);
    /// Returns the bounding box of nodes; empty if none is drawn.
    fx::Rect areaAround(const std::vector<fx::NodeId>& nodes) const;
    /// Returns the bounding box of the selection, else of the item with the keyboard focus.
    fx::Rect selectedArea() const;

    // ── pointer (canvas_pointer.cpp) ──

    /// Begins the drag or the selection that the item under the pointer implies.
    void press(QMouseEvent& event);
    void move(QMouseEvent& event);    ///< Continues a drag, or hovers.
    void release(QMouseEvent& event); ///< Ends a drag.
    /// Toggles a group, goes to the far end of an edge, or activates a node.
    void doubleClick(QMouseEvent& event);
    bool pressBadge(QPointF at);                        ///< Handles a press on a badge. Returns false if none exists.
    void pressItem(ItemIndex item, QMouseEvent& event); ///< Handles a press on an item or the background.
    void wheel(QWheelEvent& event);                     ///< Zooms or pans.
    bool gesture(QEvent& event); ///< Handles pinch gestures and tooltips. Returns false for other events.
    /// Selects the nodes in the rubber band; Shift adds, Ctrl toggles.
    void finishRubberBand(Qt::KeyboardModifiers modifiers);
    void finishConnection(QPointF at);             ///< Requests a connection to the node under the pointer.
    void paintConnection(QPainter& painter) const; ///< Paints the line that is being drawn.
    /// Paints the drop target: solid if dropping is allowed, else dashed.
    void paintDrop(QPainter& painter) const;
    /// Returns the curves of the edges between two nodes, in the view.
    QPainterPath edgeCurve(fx::NodeId from, fx::NodeId to) const;
    void updateCursor(); ///< Sets the shape of the pointer.

    // ── cuts between bands (canvas_cuts.cpp) ──

    /// True if the picture flows from top to bottom.
    bool flowsDown() const;
    bool pressCut(QPointF at);  ///< Begins to drag the cut under the pointer. Returns false if none exists.
    void dragCutTo(QPointF at); ///< Reports the position of the dragged cut.
    /// Handles a key that acts on the current cut. Returns false for other keys.
    bool cutKey(QKeyEvent& event);
    /// True if the key acts on cuts, even if an action of the window has the same shortcut.
    bool takesCutKey(const QKeyEvent& event) const;

    // ── keyboard (canvas_keys.cpp) ──

    /// Handles a key. Returns false if it has no meaning here.
    bool key(QKeyEvent& event);
    /// Moves the keyboard focus by an arrow key. Returns false for other keys.
    bool walkTo(int key, bool extend);
    /// Moves the keyboard focus to an item, selects it or adds it, and reveals it.
    void go(ItemIndex item, bool extend);
    void toggleGroup(ItemIndex item); ///< Requests to open or close a group.
    void deselectIn(ItemIndex group); ///< Deselects the nodes in a group; kNoItem: in every group.
    void activate(ItemIndex item);    ///< Toggles a group, goes to the node of a copy, or activates a node.

    GraphCanvas* q;                                ///< the widget
    CanvasState state;                             ///< the scene and its emphasis
    CameraMotion motion;                           ///< the camera
    std::unique_ptr<CanvasFonts> fonts;            ///< recreated when the font of the widget changes
    std::shared_ptr<const fx::GraphModule> module; ///< the version of the next scene
    std::vector<fx::NodeId> selection, way;        ///< in graph order; the displayed path
    RegionSource regions;                          ///< empty: no regions
    ItemIndex current = kNoItem;                   ///< the item with the keyboard focus
    bool touched = false;                          ///< the user moved the view, so it is not fitted automatically
    bool growing = false;                          ///< new versions come from typed source, not from edits
    QSize seenBy;                                  ///< size of the canvas when the camera was last set

    std::unique_ptr<Transition> transition; ///< null: no animation
    QVariantAnimation transitionClock{q};
    QPointF transitionShift; ///< total movement of the world under the camera during the transition
    std::string anchorPath;  ///< the last toggled group, which keeps its position
    /// A version that was left by an edit or undo, and its last camera.
    struct Left {
        std::shared_ptr<const fx::GraphModule> version;
        Camera camera;
    };
    std::vector<Left> left;                       ///< kept until the user moves the view
    std::shared_ptr<const fx::GraphModule> drawn; ///< the version of the scene
    Camera expected; ///< the camera if the user has not moved the view since the last scene
    QTimer hoverDelay{q};

    /// The running drag. Press: on the background; Band: a rubber band; Hold: a node is pressed; Connect: a line is
    /// drawn from it; Cut: a cut is dragged.
    enum class Drag { None, Pan, Press, Band, Hold, Connect, Cut } drag = Drag::None;
    fx::NodeId connectFrom = fx::kNoNode; ///< the pressed node
    int dragCut = -1;                     ///< the dragged cut, or -1
    double dragOffset = 0;                ///< from the pointer to the dragged cut
    QPointF pressedAt, lastAt;            ///< positions of the press and of the last move
    QRectF band;                          ///< the rubber band, in the view
    bool spaceHeld = false;               ///< the space bar is down: dragging pans
    std::optional<Spot> drop;             ///< the current drop target
    bool dropAccepts = false;             ///< dropping is allowed there
};

} // namespace ui
