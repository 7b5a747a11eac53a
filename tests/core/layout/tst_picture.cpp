// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout.h"
#include "tests/core/layout/picture_checks.h"
#include "tests/sanitized.h"
#include "tests/support/model_graphs.h"

#include <QtTest>

#include <chrono>
#include <pthread.h>
#include <thread>
#include <time.h>

using fx::Direction;
using fx::Layout;
using fx::LayoutOptions;
using fx::Picture;
using model_graphs::ModulePtr;

/// Properties of pictures on generated graphs, and what hierarchy and hubs look like in them.
class TestPicture : public QObject {
    Q_OBJECT

    static LayoutOptions open(std::set<std::string> paths, Direction direction = Direction::TopDown) {
        LayoutOptions options;
        options.expanded = std::move(paths);
        options.direction = direction;
        return options;
    }
    static LayoutOptions openAll(Direction direction = Direction::TopDown) {
        LayoutOptions options;
        options.expandAll = true;
        options.direction = direction;
        return options;
    }
    static const fx::GroupItem* group(const Picture& picture, const std::string& path) {
        for (const auto& item : picture.groups)
            if (item.path == path) return &item;
        return nullptr;
    }
    static const fx::NodeItem* node(const Picture& picture, const std::string& title, std::uint32_t copy = 0) {
        for (const auto& item : picture.nodes)
            if (item.title == title && item.copy == copy) return &item;
        return nullptr;
    }
    static const fx::NodeItem* named(const Picture& picture, const fx::GraphModule& module, const std::string& name) {
        for (const auto& item : picture.nodes)
            if (module.graph.node(item.node).name() == name && item.copy == 0) return &item;
        return nullptr;
    }
    static void addModels() {
        using namespace model_graphs;
        QTest::addColumn<ModulePtr>("module");
        QTest::newRow("empty") << std::make_shared<fx::GraphModule>();
        QTest::newRow("single node") << chain(0);
        QTest::newRow("resnet 18") << resnet(2);
        QTest::newRow("resnet 400 nodes") << resnet(14);
        QTest::newRow("densenet 121") << densenet({6, 12, 24, 16});
        QTest::newRow("unet") << unet(5);
        QTest::newRow("transformer") << transformer(12);
        QTest::newRow("transformer 1k") << transformer(39);
        QTest::newRow("inception") << inception(6);
        QTest::newRow("chain") << chain(150);
        QTest::newRow("chain 1k") << chain(1000);
        QTest::newRow("wide") << wide(190);
        QTest::newRow("wide 1k") << wide(1000);
        QTest::newRow("disconnected") << disconnected(60);
        QTest::newRow("module called twice") << siamese();
        for (unsigned seed = 0; seed < 6; ++seed) {
            QTest::addRow("random %u", seed)
                << randomDag(40 + static_cast<int>(seed) * 25, 3 + static_cast<int>(seed) * 8, seed);
            QTest::addRow("random 1k %u", seed) << randomDag(1000, 20 + static_cast<int>(seed) * 30, seed);
        }
    }

    /// Processor time of a thread, which other processes do not count in.
    static double millisOf(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }

private Q_SLOTS:
    void picture_onGeneratedGraph_keepsTheRules_data() { addModels(); }
    void picture_onGeneratedGraph_keepsTheRules() {
        QFETCH(ModulePtr, module);
        Layout layout(module);
        for (const auto direction : {Direction::TopDown, Direction::LeftRight}) {
            QCOMPARE(picture_checks::all(layout.layered(openAll(direction))), std::string());
            QCOMPARE(picture_checks::all(layout.layered(open({}, direction))), std::string());
        }
    }

    void picture_withSomeGroupsOpen_keepsTheRules_data() { addModels(); }
    void picture_withSomeGroupsOpen_keepsTheRules() {
        QFETCH(ModulePtr, module);
        Layout layout(module);
        const auto paths = layout.groupPaths();
        for (std::size_t step = 2; step < 5; ++step) {
            LayoutOptions options;
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (i % step != 0) options.expanded.insert(paths[i]);
            QCOMPARE(picture_checks::all(layout.layered(options)), std::string());
        }
    }

    void picture_madeTwice_isTheSame_data() { addModels(); }
    void picture_madeTwice_isTheSame() {
        QFETCH(ModulePtr, module);
        Layout first(module), second(module);
        // The second comes there another way: what was shown before must not matter.
        second.layered(open({}));
        second.layered(openAll(Direction::LeftRight));
        QCOMPARE(picture_checks::same(first.layered(openAll()), second.layered(openAll())), std::string());
    }

    void picture_ofLargeGraph_keepsTheRules() {
        Layout layout(model_graphs::randomDag(10000, 60, 7));
        QCOMPARE(picture_checks::all(layout.layered(open({}))), std::string());
        QCOMPARE(picture_checks::all(layout.layered(openAll())), std::string());
        Layout resnet(model_graphs::resnet(345));
        QCOMPARE(picture_checks::all(resnet.layered(openAll())), std::string());
    }

    void picture_ofLargeGraph_isCancelledInTime() {
        clockid_t clock{};
        QCOMPARE(pthread_getcpuclockid(pthread_self(), &clock), 0);
        for (const int delay : {1, 40, 120, 250}) {
            Layout layout(model_graphs::randomDag(100000, 200, 3));
            std::stop_source stop;
            double requested = 0;
            std::thread canceller([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(delay));
                requested = millisOf(clock);
                stop.request_stop();
            });
            bool cancelled = false;
            try {
                layout.layered(openAll(), fx::Progress(stop.get_token()));
            } catch (const fx::Error& error) { cancelled = error.kind() == fx::ErrorKind::Cancelled; }
            const double end = millisOf(clock);
            canceller.join();
            QVERIFY(cancelled);
            const double millis = end - requested;
            QVERIFY2(millis < kPatience * 100,
                     qPrintable(QStringLiteral("took %1 ms after %2 ms").arg(millis).arg(delay)));
        }
    }

    void residualAdd_ofBasicBlock_isInItsBlock() {
        const auto module = model_graphs::resnet(2);
        Layout layout(module);
        QCOMPARE(layout.groupOf(module->graph.find("add")), std::string("layer1.0"));
        QCOMPARE(layout.groupOf(module->graph.find("add_1")), std::string("layer1.1"));
        QCOMPARE(layout.groupOf(module->graph.find("flatten")), std::string());
        QCOMPARE(layout.groupOf(module->graph.find("layer2_0_downsample_1")), std::string("layer2.0.downsample"));
        QCOMPARE(layout.groupsAround(module->graph.find("layer2_0_downsample_1")),
                 (std::vector<std::string>{"layer2", "layer2.0", "layer2.0.downsample"}));
    }

    void mainPath_ofResNet_isStraight() {
        const auto module = model_graphs::resnet(2);
        const auto picture = Layout(module).layered(openAll());
        const double x = named(picture, *module, "conv1")->rect.center().x;
        for (const auto* name :
             {"maxpool", "layer1_0_conv1", "layer1_1_bn2", "add", "layer2_0_conv1", "add_2", "layer4_1_relu_1", "fc"})
            QCOMPARE(named(picture, *module, name)->rect.center().x, x);
    }

    void cards_inABox_haveNamesWithoutItsPath_andWhatTheyDo() {
        const auto module = model_graphs::resnet(2);
        auto options = openAll();
        const auto picture = Layout(module).layered(options);
        const auto* add = named(picture, *module, "add");
        QCOMPARE(named(picture, *module, "layer1_0_bn2")->title, std::string("bn2"));
        QCOMPARE(add->what, std::string("bn2 + maxpool"));
        options.fullNames = true;
        const auto full = Layout(module).layered(options);
        QCOMPARE(named(full, *module, "layer1_0_bn2")->title, std::string("layer1_0_bn2"));
        QCOMPARE(named(full, *module, "add")->what, std::string("layer1_0_bn2 + maxpool"));
    }

    void fullNames_areNotCut() {
        model_graphs::Builder b;
        const std::string name(90, 'n');
        b.graph().setNameUnchecked(b.method("relu", {b.input("x")}), name);
        LayoutOptions options;
        const auto cut = Layout(b.module).layered(options);
        QVERIFY(!node(cut, name));
        options.fullNames = true;
        const auto full = Layout(b.module).layered(options);
        QVERIFY(node(full, name));
        QCOMPARE(picture_checks::all(full), std::string());
    }

    void repeatedBlocks_haveTheSameGeometry() {
        const auto picture = Layout(model_graphs::resnet(3)).layered(openAll());
        const auto *first = group(picture, "layer1.0"), *second = group(picture, "layer1.1"),
                   *other = group(picture, "layer2.0");
        QCOMPARE(first->sameAs, fx::kNoGroup);
        QCOMPARE(picture.groups[second->sameAs].path, std::string("layer1.0"));
        QCOMPARE(other->sameAs, fx::kNoGroup);
        QCOMPARE(second->rect.w, first->rect.w);
        QCOMPARE(second->rect.h, first->rect.h);
        QCOMPARE(first->type, std::string("BasicBlock"));
        QCOMPARE(first->nodeCount, 7u);
    }

    void expandedGroup_keepsTheOthersInOrder() {
        Layout layout(model_graphs::inception(4));
        const auto before = layout.layered(open({"mixed1"})),
                   after = layout.layered(open({"mixed1", "mixed1.branch2", "mixed2"}));
        for (const auto* path : {"mixed0", "mixed1", "mixed3"}) QVERIFY(group(after, path) != nullptr);
        for (int i = 0; i + 1 < 4; ++i) {
            const auto left = "mixed1.branch" + std::to_string(i), right = "mixed1.branch" + std::to_string(i + 1);
            QCOMPARE(group(before, left)->rect.x < group(before, right)->rect.x,
                     group(after, left)->rect.x < group(after, right)->rect.x);
        }
    }

    void hub_isDrawnAgainAtItsUses() {
        const auto module = model_graphs::transformer(12);
        Layout layout(module);
        const auto picture = layout.layered(openAll());
        QVERIFY(node(picture, "mul"));
        for (std::uint32_t k = 1; k < 12; ++k) {
            const auto* copy = node(picture, "mul", k);
            QVERIFY(copy != nullptr);
            QCOMPARE(picture.groups[copy->group].path, "h." + std::to_string(k) + ".attn");
        }
        QVERIFY(!node(picture, "mul", 12));
        QCOMPARE(std::count_if(picture.edges.begin(), picture.edges.end(),
                               [&](const auto& e) {
                                   return e.from < picture.nodes.size() && picture.nodes[e.from].title == "mul";
                               }),
                 12);
    }

    void eightUses_areNoHub() {
        model_graphs::Builder b;
        const auto x = b.input("x");
        for (int i = 0; i < 8; ++i) b.function("torch.relu", {x});
        const auto picture = Layout(b.module).layered({});
        QCOMPARE(picture.nodes.size(), std::size_t{9});
        b.function("torch.relu", {x});
        QCOMPARE(Layout(b.module).layered({}).nodes.size(), std::size_t{18});
    }

    void parameter_isAChipOnEveryUser() {
        model_graphs::Builder b;
        const auto w = b.attribute("layer.weight");
        const auto y = b.function("torch.nn.functional.linear", {b.input("x"), w});
        b.output(b.function("torch.matmul", {y, w}));
        const auto unused = b.graph().createNode(fx::Op::GetAttr, "unused");
        const auto picture = Layout(b.module).layered(openAll());
        QCOMPARE(node(picture, "linear")->chips, std::vector<std::string>{"weight"});
        QCOMPARE(node(picture, "matmul")->chips, std::vector<std::string>{"weight"});
        QCOMPARE(node(picture, "matmul")->chipNodes, std::vector<fx::NodeId>{w});
        QVERIFY(!node(picture, "layer_weight"));
        QVERIFY(
            std::any_of(picture.nodes.begin(), picture.nodes.end(), [&](const auto& n) { return n.node == unused; }));
    }

    void liftedParameter_isAChip() {
        model_graphs::Builder b;
        const auto w = b.input("p_weight"), x = b.input("x");
        b.module->lifted = {{w, fx::LiftedInput::Kind::Parameter, "layer.weight"},
                            {x, fx::LiftedInput::Kind::UserInput, ""}};
        b.output(b.function("torch.ops.aten.mul.Tensor", {x, w}));
        const auto picture = Layout(b.module).layered({});
        QCOMPARE(picture.nodes.size(), std::size_t{3});
        QCOMPARE(node(picture, "mul_tensor") == nullptr, node(picture, "tensor") != nullptr);
        QVERIFY(std::any_of(picture.nodes.begin(), picture.nodes.end(),
                            [](const auto& n) { return n.chips == std::vector<std::string>{"weight"}; }));
    }

    void edgeOverManyRanks_isALabelledStub() {
        model_graphs::Builder b;
        const auto x = b.input("x");
        auto y = x;
        for (int i = 0; i < 45; ++i) y = b.function("torch.relu", {y});
        b.output(b.function("torch.add", {y, x}));
        const auto picture = Layout(b.module).layered({});
        QCOMPARE(std::count_if(picture.edges.begin(), picture.edges.end(), [](const auto& e) { return e.stub; }), 1);
        QCOMPARE(picture.stubLabels.size(), std::size_t{2});
        for (const auto& label : picture.stubLabels) QCOMPARE(label.text, std::string(label.atTarget ? "x" : "add"));
        QCOMPARE(picture_checks::all(picture), std::string());
    }

    void flatGraph_isCutIntoArtificialGroups() {
        Layout layout(model_graphs::chain(5000));
        const auto picture = layout.layered({});
        QVERIFY(picture.nodes.size() + picture.groups.size() <= 200);
        std::uint32_t inside = 0;
        for (const auto& item : picture.groups) {
            QVERIFY(item.artificial);
            QVERIFY(item.path.find('#') != std::string::npos);
            inside += item.nodeCount;
        }
        QCOMPARE(inside + picture.nodes.size(), std::size_t{5002});
    }

    void longSequential_isCutByTheNumbersOfItsModules() {
        model_graphs::Builder b;
        auto x = b.input("x");
        for (int i = 0; i < 2000; ++i) x = b.call("b." + std::to_string(i), x);
        b.output(x);
        LayoutOptions options;
        options.expanded.insert("b");
        const auto picture = Layout(b.module).layered(options);
        std::size_t next = 0;
        for (const auto& item : picture.groups) {
            const std::size_t dash = item.title.find("–");
            if (!item.artificial || dash == std::string::npos) continue;
            QCOMPARE(std::stoul(item.title.substr(0, dash)), next);
            next = std::stoul(item.title.substr(dash + std::string("–").size())) + 1;
        }
        QCOMPARE(next, std::size_t{2000});
    }

    void moduleCalledTwice_isSplit() {
        const auto picture = Layout(model_graphs::siamese()).layered({});
        QVERIFY(group(picture, "encoder"));
        QVERIFY(group(picture, "encoder@2"));
        QVERIFY(group(picture, "mixer@2"));
        QCOMPARE(picture_checks::monotone(picture), std::string());
    }

    void moduleCalledTwice_oneBox_hasNoNumber() {
        auto module = std::make_shared<fx::GraphModule>();
        fx::Graph& graph = module->graph;
        const auto call = [&](const char* path, fx::NodeId x) {
            return graph.createNode(fx::Op::CallModule, path, {x});
        };
        const fx::NodeId first = call("stem.0", graph.createNode(fx::Op::Placeholder, "x"));
        const fx::NodeId last = call("stem.2", call("stem.1", call("between", first)));
        graph.createNode(fx::Op::Output, "output", {last});
        const auto picture = Layout(module).layered({});
        QCOMPARE(picture.groups.size(), std::size_t{1});
        QCOMPARE(picture.groups[0].title, std::string("stem"));
    }

    void hiddenNodes_areLeftOut() {
        const auto module = model_graphs::resnet(2);
        Layout layout(module);
        auto options = openAll();
        options.hidden = {module->graph.find("add"), module->graph.find("fc")};
        const auto picture = layout.layered(options);
        QCOMPARE(picture.nodes.size(), std::size_t{69});
        QVERIFY(!node(picture, "add"));
        QCOMPARE(picture_checks::all(picture), std::string());
    }
};

QTEST_APPLESS_MAIN(TestPicture)
#include "tst_picture.moc"
