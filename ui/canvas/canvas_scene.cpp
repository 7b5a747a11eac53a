// SPDX-License-Identifier: GPL-3.0-or-later
// From one scene to the next.
#include "ui/canvas/canvas_private.h"
#include "ui/canvas/graph_walk.h"

#include <algorithm>
#include <unordered_set>

namespace ui {
namespace {

constexpr double kReadable = 0.8;       ///< the first look is not smaller than this
constexpr ItemIndex kAnimated = 40'000; ///< larger scenes change at once

/// Whether two versions differ in no more than what is known about their nodes, as when shapes arrive.
bool sameNodes(const fx::GraphModule* one, const fx::GraphModule* other) {
    if (one == other || !one || !other) return one == other;
    const fx::Graph &before = one->graph, &after = other->graph;
    if (before.size() != after.size()) return false;
    fx::NodeId a = before.first(), b = after.first();
    for (; a == b && a != fx::kNoNode; a = before.next(a), b = after.next(b)) {
        const fx::Node &was = before.node(a), &is = after.node(b);
        if (&was == &is) continue; // versions share what did not change
        const auto inputs = was.inputs(), now = is.inputs();
        if (was.op() != is.op() || was.name() != is.name() || was.target() != is.target() ||
            !std::equal(inputs.begin(), inputs.end(), now.begin(), now.end()))
            return false;
    }
    return a == b;
}

/// The placeholders of an exported program for parameters, buffers and the like.
std::unordered_set<fx::NodeId> liftedNodes(const fx::GraphModule* module) {
    std::unordered_set<fx::NodeId> nodes;
    if (!module) return nodes;
    for (const fx::LiftedInput& input : module->lifted)
        if (input.kind != fx::LiftedInput::Kind::UserInput) nodes.insert(input.node);
    return nodes;
}

} // namespace

void GraphCanvas::Private::replaceScene(std::shared_ptr<const Scene> next, bool animate) {
    finishTransition();
    const bool seesItems = state.scene->itemCount() > 0 && seeing(motion.camera()).origin == motion.camera().origin;
    const std::shared_ptr<const Scene> old = std::exchange(state.scene, std::move(next));
    const Scene& scene = *state.scene;
    const bool first = old->itemCount() == 0, isEdit = !first && !sameNodes(old->module(), scene.module());
    touched = touched || (isEdit && !growing); // who looks at an edit goes on looking there
    const std::string currentPath =
        current != kNoItem && old->isGroup(current) ? old->group(current).path : std::string();
    const fx::NodeId currentNode = current != kNoItem && !old->isGroup(current) ? old->node(current).node : fx::kNoNode;
    current = !currentPath.empty() ? scene.groupByPath(currentPath) : scene.itemOf(currentNode);
    clearHover();
    rebuildFlags();
    countRegions();
    findWay();
    if (!currentPath.empty() && current == kNoItem) Q_EMIT q->currentGroupChanged({});
    const bool wasTooSmall = motion.isTooSmall(); // the view has become larger
    limitZoom();
    const bool shrank = !wasTooSmall && motion.isTooSmall(); // little is left of a large picture
    const std::optional<Camera> back = cameraOf(*old, scene, isEdit);
    drawn = module;
    if (first || !touched || shrank) {
        motion.jumpTo(firstLook());
        expected = motion.camera();
        if (first) return;
    }
    QPointF shift;
    if (back && !shrank) shift = back->origin - motion.camera().origin;
    else if (touched && !shrank) shift = anchorShift(*old, scene);
    expected = motion.camera();
    expected.origin += shift;
    if (seesItems) expected = seeing(expected); // the anchor may be far from the view
    shift = expected.origin - motion.camera().origin;
    anchorPath.clear();
    if (!animate || motion.duration() == 0 || !q->isVisible() ||
        std::max(old->itemCount(), scene.itemCount()) > kAnimated) {
        motion.shiftWorld(shift);
        return;
    }
    transition = std::make_unique<Transition>(old, state.scene);
    transitionShift = shift;
    state.transition = transition.get();
    transitionClock.setDuration(motion.duration());
    transitionClock.start();
}

/// Ends where it leads, so that nothing of its movement is lost when another scene comes in meanwhile.
void GraphCanvas::Private::finishTransition() {
    if (transition) motion.shiftWorld(transitionShift * (1 - transition->time()));
    transitionClock.stop();
    transition.reset();
    state.transition = nullptr;
}

/// The camera with which a version was left that comes back now, as after undo; nothing when somebody has moved the
/// view since. Notes the version that is left by an edit.
std::optional<Camera> GraphCanvas::Private::cameraOf(const Scene& old, const Scene& next, bool isEdit) {
    constexpr std::size_t kRemembered = 8;
    const Camera now = motion.camera();
    const QPointF moved = (now.origin - expected.origin) * now.zoom;
    const bool isMoved = std::hypot(moved.x(), moved.y()) > 1 || std::abs(now.zoom / expected.zoom - 1) > 1e-6;
    // Groups that open, or another direction: the same nodes elsewhere.
    const bool isArranged = !isEdit && (old.itemCount() != next.itemCount() ||
                                        old.picture().direction != next.picture().direction || !anchorPath.empty());
    if (isMoved || isArranged) left.clear();
    const auto find = [&](const fx::GraphModule* version) {
        return std::find_if(left.begin(), left.end(),
                            [&](const Left& each) { return sameNodes(each.version.get(), version); });
    };
    const auto known = find(next.module());
    const auto camera = known == left.end() ? std::nullopt : std::optional(known->camera);
    if (isEdit && drawn && find(drawn.get()) == left.end()) {
        if (left.size() == kRemembered) left.erase(left.begin());
        left.push_back({drawn, now});
    }
    return camera;
}

/// All of the picture can be seen in the view, however small that is.
void GraphCanvas::Private::limitZoom() {
    const double fitting = Camera::fitting(state.scene->picture().bounds, view().size(), kViewMargin, 1).zoom;
    motion.setMinZoom(std::min(0.1, fitting * 0.6));
}

/// What closed groups hold of the regions.
void GraphCanvas::Private::countRegions() {
    const auto& groups = state.scene->picture().groups;
    state.regionsIn.clear();
    state.hasRegions = static_cast<bool>(regions);
    if (!regions) return;
    state.regionsIn.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (!groups[g].expanded) state.regionsIn[g] = regions(groups[g].path);
}

void GraphCanvas::Private::findWay() {
    state.wayEdges.clear();
    for (std::size_t i = 1; i < way.size(); ++i) {
        const ItemIndex from = state.scene->itemOf(way[i - 1]), to = state.scene->itemOf(way[i]);
        if (from == kNoItem || to == kNoItem) continue;
        for (const std::uint32_t edge : state.scene->edgesFrom(from))
            if (state.scene->picture().edges[edge].to == to) state.wayEdges.insert(edge);
    }
}

void GraphCanvas::Private::advance(double t) {
    if (!transition) return;
    motion.shiftWorld(transitionShift * (t - transition->time()));
    transition->setTime(t);
    if (t >= 1) {
        state.transition = nullptr;
        transition.reset();
    }
    q->update();
}

/// How far the thing that the user looks at moves from one scene to the other: the group just toggled, else where the
/// keyboard is and seen, else what of both is nearest to the middle of the view.
QPointF GraphCanvas::Private::anchorShift(const Scene& from, const Scene& to) const {
    ItemIndex before = anchorPath.empty() ? kNoItem : from.groupByPath(anchorPath);
    ItemIndex after = anchorPath.empty() ? kNoItem : to.groupByPath(anchorPath);
    const auto counterpart = [&](ItemIndex item) {
        return from.isGroup(item) ? to.groupByPath(from.group(item).path) : to.itemOf(from.node(item).node);
    };
    const fx::Rect seen = motion.camera().toWorld(view());
    const auto match = [&](ItemIndex item) {
        before = item;
        after = item == kNoItem ? kNoItem : counterpart(item);
    };
    const auto found = [&] { return before != kNoItem && after != kNoItem; };
    if (!found() && !selection.empty())
        if (const ItemIndex item = from.itemOf(selection.front()); item != kNoItem && touches(from.rect(item), seen))
            match(item);
    for (const fx::Rect& part : {seen, from.picture().bounds})
        if (!found())
            match(
                walk::nearest(from, seen.center(), part, [&](ItemIndex item) { return counterpart(item) != kNoItem; }));
    if (!found()) return {};
    return {to.rect(after).x - from.rect(before).x, to.rect(after).y - from.rect(before).y};
}

/// The middle, across the flow, of the nodes that begin within `length` of the picture's start: long pictures wander
/// sideways. If they take more than `width`, of the first input among them.
QPointF GraphCanvas::Private::beginning(double length, double width) const {
    const Scene& scene = *state.scene;
    const fx::Rect& all = scene.picture().bounds;
    const bool down = scene.picture().direction == fx::Direction::TopDown;
    double low = down ? all.right() : all.bottom(), high = down ? all.x : all.y;
    const std::unordered_set<fx::NodeId> lifted = liftedNodes(scene.module());
    const fx::Rect* input = nullptr;
    for (ItemIndex item = 0; item < scene.picture().nodes.size(); ++item) {
        const fx::Rect& r = scene.node(item).rect;
        if ((down ? r.y - all.y : r.x - all.x) > length) continue;
        low = std::min(low, down ? r.x : r.y);
        high = std::max(high, down ? r.right() : r.bottom());
        if (!input && scene.op(item) == fx::Op::Placeholder && !lifted.contains(scene.node(item).node)) input = &r;
    }
    if (low > high) return {all.center().x, all.center().y};
    const fx::Point first = input ? input->center() : fx::Point{(low + high) / 2, (low + high) / 2};
    const double middle = high - low <= width ? (low + high) / 2 : down ? first.x : first.y;
    return down ? QPointF(middle, all.center().y) : QPointF(all.center().x, middle);
}

/// Everything if it can be read then, else the beginning at a readable size.
Camera GraphCanvas::Private::firstLook() const {
    const fx::Rect& all = state.scene->picture().bounds;
    Camera camera = Camera::fitting(all, view().size(), kViewMargin, 1);
    if (camera.zoom >= kReadable || all.w <= 0) return camera;
    const bool down = state.scene->picture().direction == fx::Direction::TopDown;
    const double across =
        down ? view().width() / (all.w + 2 * kViewMargin) : view().height() / (all.h + 2 * kViewMargin);
    camera.zoom = std::clamp(across, kReadable, 1.0);
    const QSizeF seen = view().size() / camera.zoom;
    camera.centerOn(beginning(down ? seen.height() : seen.width(), down ? seen.width() : seen.height()), view().size());
    // Room for the bar at the top.
    (down ? camera.origin.ry() : camera.origin.rx()) = (down ? all.y : all.x) - (kViewMargin + 16) / camera.zoom;
    return seeing(camera);
}

/// The camera itself if it shows one of the nodes (or of all, if there are none) or a closed group; else the nearest is
/// in the middle. Wide pictures have much room without anything.
Camera GraphCanvas::Private::seeing(const Camera& camera, const std::vector<fx::NodeId>& nodes) const {
    constexpr int kEdge = 24; // px: less of a box tells nothing
    const Scene& scene = *state.scene;
    std::unordered_set<ItemIndex> wanted;
    for (const fx::NodeId node : nodes) wanted.insert(scene.seatOf(node));
    const auto accepts = [&](ItemIndex item) { return wanted.empty() || wanted.contains(item); };
    const fx::Rect seen = camera.toWorld(view().adjusted(kEdge, kEdge, -kEdge, -kEdge));
    if (walk::nearest(scene, seen.center(), seen, accepts) != kNoItem) return camera;
    const ItemIndex item = walk::nearest(scene, seen.center(), scene.picture().bounds, accepts);
    if (item == kNoItem) return camera;
    Camera moved = camera;
    const fx::Point middle = scene.rect(item).center();
    moved.centerOn({middle.x, middle.y}, view().size());
    return moved;
}

} // namespace ui
