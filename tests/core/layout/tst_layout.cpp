// SPDX-License-Identifier: GPL-3.0-or-later
// What every picture promises, on graphs with the topologies of real models and on odd ones.
#include "core/layout/child_process.h"
#include "core/layout/dot_order.h"
#include "core/layout/layout.h"
#include "core/layout/svg.h"
#include "tests/sanitized.h"
#include "tests/support/model_graphs.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

using model_graphs::ModulePtr;

namespace {
bool overlap(const fx::Rect& a, const fx::Rect& b) {
    const double slack = 0.01;
    return a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() && b.y + slack < a.bottom();
}
bool inside(const fx::Rect& a, const fx::Rect& outer) {
    return a.x >= outer.x - 0.01 && a.y >= outer.y - 0.01 && a.right() <= outer.right() + 0.01 &&
           a.bottom() <= outer.bottom() + 0.01;
}
/// Boxes of one level: nodes and the groups beside them, by parent group.
QString firstOverlap(const fx::Picture& picture) {
    struct Box {
        std::uint32_t parent;
        const fx::Rect* rect;
        std::string name;
    };
    std::vector<Box> boxes;
    for (const auto& node : picture.nodes) boxes.push_back({node.group, &node.rect, node.title});
    for (const auto& group : picture.groups) boxes.push_back({group.parent, &group.rect, group.path});
    std::sort(boxes.begin(), boxes.end(),
              [](const Box& a, const Box& b) { return std::tie(a.parent, a.rect->y) < std::tie(b.parent, b.rect->y); });
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t j = i + 1;
             j < boxes.size() && boxes[j].parent == boxes[i].parent && boxes[j].rect->y < boxes[i].rect->bottom(); ++j)
            if (overlap(*boxes[i].rect, *boxes[j].rect))
                return QString::fromStdString(boxes[i].name + " and " + boxes[j].name);
    return {};
}

QString firstOutside(const fx::Picture& picture) {
    for (const auto& node : picture.nodes)
        if (!inside(node.rect, node.group == fx::kNoGroup ? picture.bounds : picture.groups[node.group].rect))
            return QString::fromStdString(node.title);
    for (const auto& group : picture.groups)
        if (!inside(group.rect, group.parent == fx::kNoGroup ? picture.bounds : picture.groups[group.parent].rect))
            return QString::fromStdString(group.path);
    return {};
}

/// A node box that an edge which neither starts nor ends there runs through, sampled along the polyline.
QString firstCrossedBox(const fx::Picture& picture) {
    for (const auto& edge : picture.edges) {
        if (edge.stub) continue;
        for (std::uint32_t n = 0; n < picture.nodes.size(); ++n) {
            if (n == edge.from || n == edge.to) continue;
            const auto& r = picture.nodes[n].rect;
            const fx::Rect core{r.x + 1, r.y + 1, r.w - 2, r.h - 2};
            for (std::size_t i = 0; i + 1 < edge.points.size(); ++i) {
                const auto a = edge.points[i], b = edge.points[i + 1];
                if (std::max(a.y, b.y) < core.y || std::min(a.y, b.y) > core.bottom()) continue;
                for (int s = 0; s <= 20; ++s) {
                    const double x = a.x + (b.x - a.x) * s / 20, y = a.y + (b.y - a.y) * s / 20;
                    if (x > core.x && x < core.right() && y > core.y && y < core.bottom())
                        return QString::fromStdString(picture.nodes[n].title);
                }
            }
        }
    }
    return {};
}

bool same(const fx::Rect& a, const fx::Rect& b) { return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h; }
} // namespace

class TestLayout : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void picture_anyGraph_keepsItsPromises_data() {
        QTest::addColumn<ModulePtr>("module");
        QTest::newRow("resnet-18") << model_graphs::resnet(2);
        QTest::newRow("densenet-121") << model_graphs::densenet({6, 12, 24, 16});
        QTest::newRow("u-net") << model_graphs::unet(4);
        QTest::newRow("transformer, mask to every layer") << model_graphs::transformer(12);
        QTest::newRow("inception") << model_graphs::inception(4);
        QTest::newRow("chain") << model_graphs::chain(1000);
        QTest::newRow("random, near") << model_graphs::randomDag(300, 6, 1);
        QTest::newRow("random, far") << model_graphs::randomDag(300, 200, 2);
        QTest::newRow("wide") << model_graphs::wide(100);
        QTest::newRow("disconnected") << model_graphs::disconnected(20);
        QTest::newRow("module called twice") << model_graphs::siamese();
        QTest::newRow("one node") << model_graphs::chain(1);
        QTest::newRow("empty") << std::make_shared<fx::GraphModule>();
    }
    void picture_anyGraph_keepsItsPromises() {
        QFETCH(ModulePtr, module);
        fx::Layout layout(module);
        for (const bool open : {false, true}) {
            fx::LayoutOptions options;
            options.expandAll = open;
            const auto picture = layout.layered(options);
            QCOMPARE(firstOverlap(picture), QString());
            QCOMPARE(firstOutside(picture), QString());
            QCOMPARE(firstCrossedBox(picture), QString());
            for (const auto& edge : picture.edges) {
                QVERIFY(edge.from < picture.nodes.size() + picture.groups.size());
                QVERIFY(edge.to < picture.nodes.size() + picture.groups.size());
                QVERIFY(edge.points.size() >= 2);
                const bool copy =
                    edge.from < picture.nodes.size() && picture.nodes[edge.from].copy > 0; // stands beside its user
                if (!edge.stub && !copy)
                    QVERIFY2(edge.points.front().y <= edge.points.back().y + 0.01, "edges run downwards");
            }
            const auto again = fx::Layout(module).layered(options);
            QCOMPARE(again.nodes.size(), picture.nodes.size());
            for (std::size_t i = 0; i < picture.nodes.size(); ++i)
                QVERIFY(same(again.nodes[i].rect, picture.nodes[i].rect));
        }
    }
    void everyNode_expanded_isDrawnOnceOrAsChip() {
        const auto module = model_graphs::transformer(6);
        fx::LayoutOptions options;
        options.expandAll = true;
        const auto picture = fx::Layout(module).layered(options);
        std::multiset<std::uint32_t> drawn;
        std::set<std::uint32_t> chips;
        for (const auto& node : picture.nodes) {
            if (node.copy == 0) drawn.insert(fx::index(node.node));
            for (const auto chip : node.chipNodes) chips.insert(fx::index(chip));
        }
        for (const auto& node : module->graph.nodes()) {
            const bool chip = chips.contains(fx::index(node.id()));
            QVERIFY2(drawn.count(fx::index(node.id())) == (chip ? 0u : 1u), node.name().c_str());
        }
    }
    void membership_hasAllNodes_andThoseOfAGroupAreAroundEachOther() {
        const auto module = model_graphs::transformer(6);
        fx::Layout layout(module);
        const auto closed = layout.layered({});
        const fx::GroupMembership members = layout.membership();
        QCOMPARE(members.nodesIn(module->graph, "").size(), module->graph.size());
        for (const auto& group : closed.groups) {
            std::size_t inside = 0;
            for (const auto& node : module->graph.nodes())
                inside += std::ranges::count(layout.groupsAround(node.id()), group.path);
            const auto nodes = members.nodesIn(module->graph, group.path);
            QVERIFY(nodes.size() >= inside);
            QVERIFY(nodes.size() == group.nodeCount);
        }
        QVERIFY(members.nodesIn(module->graph, "no such group").empty());
    }
    void leftRight_flowsAlongX() {
        fx::LayoutOptions options;
        options.expandAll = true;
        options.direction = fx::Direction::LeftRight;
        const auto picture = fx::Layout(model_graphs::resnet(2)).layered(options);
        QCOMPARE(firstOverlap(picture), QString());
        for (const auto& edge : picture.edges)
            if (!edge.stub && picture.nodes[edge.from].copy == 0)
                QVERIFY(edge.points.front().x <= edge.points.back().x + 0.01);
    }
    void toggle_oneGroup_keepsTheOthersOrder() {
        const auto module = model_graphs::resnet(2);
        fx::Layout layout(module);
        fx::LayoutOptions options;
        const auto closed = layout.layered(options);
        options.expanded.insert(closed.groups.front().path);
        const auto open = layout.layered(options);
        QVERIFY(open.nodes.size() + open.groups.size() > closed.nodes.size() + closed.groups.size());
        std::map<std::uint32_t, double> y;
        for (const auto& node : closed.nodes) y[fx::index(node.node)] = node.rect.y;
        double lastOpen = -1, lastClosed = -1;
        std::vector<std::pair<double, double>> both;
        for (const auto& node : open.nodes)
            if (y.contains(fx::index(node.node))) both.emplace_back(y[fx::index(node.node)], node.rect.y);
        std::sort(both.begin(), both.end());
        for (const auto& [before, after] : both) {
            if (before > lastClosed) QVERIFY(after >= lastOpen);
            lastClosed = before, lastOpen = after;
        }
    }
    void cancel_largeGraph_stopsWithin100ms() {
        const auto module = model_graphs::randomDag(100000, 50, 3);
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        fx::LayoutOptions options;
        options.expandAll = true;
        try {
            fx::Layout(module).layered(options, fx::Progress(stop.get_token()));
            QSKIP("finished before it could be stopped");
        } catch (const fx::Error& error) {
            QCOMPARE(error.kind(), fx::ErrorKind::Cancelled);
            QVERIFY2(std::chrono::steady_clock::now() - asked < kPatience * std::chrono::milliseconds(300),
                     "100 ms, and room for a loaded machine");
        }
    }
    void refined_keepsPromises_andHasFewerCrossings() {
        const auto module = model_graphs::randomDag(60, 20, 5);
        fx::Layout layout(module);
        fx::LayoutOptions options;
        options.expandAll = true;
        layout.layered(options);
        const auto refined = layout.refined(options);
        if (!refined) QSKIP("dot is not installed, too slow here, or no better");
        QCOMPARE(refined->engine, std::string("mixed"));
        QCOMPARE(firstOverlap(*refined), QString());
        QCOMPARE(firstCrossedBox(*refined), QString());
        QVERIFY(!layout.refined(options)); // asked once
        options.engine = fx::LayoutOptions::Engine::Layered;
        QVERIFY(!fx::Layout(module).refined(options));
    }
    void filter_tooSlowOrMissing_isKilledAndReaped() {
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(!fx::runFilter({"sleep", "30"}, "", std::chrono::milliseconds(100)));
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
        // Closing its output is not its end.
        QVERIFY(!fx::runFilter({"sh", "-c", "exec <&- >&-; sleep 30"}, "", std::chrono::milliseconds(300)));
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(8));
        QVERIFY(!fx::runFilter({"no-such-program-anywhere"}, "", std::chrono::milliseconds(1000)));
        QVERIFY(!fx::runFilter({"false"}, "", std::chrono::milliseconds(5000)));
        const std::string large(3'000'000, 'x');
        QCOMPARE(fx::runFilter({"cat"}, large, kPatience * std::chrono::milliseconds(20000)).value_or("").size(),
                 large.size());
    }
    void initial_largeGraph_startsCollapsed() {
        QVERIFY(fx::LayoutOptions::initialFor(*model_graphs::resnet(2)).expandAll);
        const auto options = fx::LayoutOptions::initialFor(*model_graphs::transformer(40));
        QVERIFY(!options.expandAll);
    }
    void svg_hostileNames_areEscaped() {
        model_graphs::Builder builder;
        const auto x = builder.input("x");
        builder.graph().setNameUnchecked(builder.method("<script>&\"", {x}), "<script>&\"'");
        const std::string svg = fx::toSvg(fx::Layout(builder.module).layered({}), builder.module->graph);
        QVERIFY(svg.find("<script>") == std::string::npos);
        QVERIFY(svg.find("&lt;script&gt;&amp;") != std::string::npos);
        QVERIFY(svg.find("class=\"selected\"") == std::string::npos);
        QVERIFY(fx::toSvg(fx::Layout(builder.module).layered({}), builder.module->graph, fx::SvgTheme::Light, {x})
                    .find("class=\"selected\"") != std::string::npos);
    }
    void svg_orderedClasses_goFromLightToDark_valuesStandInTheNodes() {
        model_graphs::Builder builder;
        const auto x = builder.input("x");
        const auto relu = builder.method("relu", {x});
        fx::NodeClasses classes{{}, {"up to 1 s", "1 s to 2 s"}, true, {}};
        classes.classOf.assign(builder.graph().idLimit(), fx::NodeClasses::kNone);
        classes.values.resize(builder.graph().idLimit());
        classes.classOf[fx::index(x)] = 0, classes.classOf[fx::index(relu)] = 1;
        classes.values[fx::index(relu)] = "1.50 s";
        const std::string svg =
            fx::toSvg(fx::Layout(builder.module).layered({}), builder.module->graph, fx::SvgTheme::Light, {}, &classes);
        QVERIFY(svg.find("#EAF0FD") != std::string::npos);
        QVERIFY(svg.find("#123A9C") != std::string::npos);
        QVERIFY(svg.find(">1.50 s</text>") != std::string::npos);
        QVERIFY(svg.find("<title>relu: ") != std::string::npos);
        QVERIFY(svg.find("1 s to 2 s") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestLayout)
#include "tst_layout.moc"
