// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_definition.h"
#include "core/reader/reader_client.h"
#include "core/textpasses/computing.h"
#include "tests/app/reader/reader_fixture.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>

// The real lancet-reader: what it hands back is what this process traces itself, and nothing that a source does reaches
// this process.

using namespace fx;
using namespace std::chrono_literals;

namespace {

/// Answers that every value is 1, and keeps what it was asked.
class OneEngine final : public TensorEngine {
public:
    NodeShapes shapes(const GraphModule&) override { return {}; }
    std::vector<ValueTree> values(const GraphModule& model) override {
        forEachModule(*model.root, [&](const std::string&, const Module& module) {
            for (const Module::Slot& slot : module.buffers) {
                std::vector<std::byte> bytes(slot.tensor->storage->byteCount());
                slot.tensor->storage->read(0, bytes);
                read += bytes.size();
            }
        });
        ++asked;
        TensorRef one;
        const float value = 1;
        const auto* start = reinterpret_cast<const std::byte*>(&value);
        one.storage = Storage::inMemory({start, start + sizeof value});
        const Node& output = model.graph.node(model.graph.outputNode());
        return {output.args()[0].as<Sequence>()->items.size(), ValueTree::of(std::make_shared<const TensorRef>(one))};
    }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule&) override { return {}; }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override { return {}; }
    std::size_t asked = 0, read = 0;
};

} // namespace

/// What the reader hands back is what this process traces itself.
class TestReader : public ReaderFixture {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("LANCET_SOURCE_MEMORY"), qunsetenv("LANCET_SOURCE_SECONDS"); }

    void result_ofAllSources_isThatOfThisProcess_data() {
        QTest::addColumn<QString>("path");
        for (const char* folder : {"tests/oracle/sources_traced", "tests/data/stories", "tests/core/python/data"})
            for (const QFileInfo& file : QDir(QStringLiteral(LANCET_SOURCE_DIR "/") + QLatin1String(folder))
                                             .entryInfoList({QStringLiteral("*.py")}, QDir::Files))
                QTest::newRow(qPrintable(file.fileName())) << file.filePath();
    }
    void result_ofAllSources_isThatOfThisProcess() {
        QFETCH(QString, path);
        const std::string file = path.toStdString(), text = textOf(path).toStdString();
        auto reader = client(true);
        SourceOptions with = options();
        const SourceTrace all = traceSource(file, text, with, {});
        QVERIFY(!all.candidates.empty());
        for (const std::string& name : all.candidates) {
            with.name = name;
            const std::string here = described(traceSource(file, text, with, {}));
            const std::string there = described(reader.traceSource(file, text, with, {}));
            QVERIFY2(here == there, name.c_str());
            QVERIFY2(outcome([&] { return described(*traceText(file, text, with, {})); }) ==
                         outcome([&] { return described(*reader.traceText(file, text, with, {})); }),
                     name.c_str());
        }
    }

    void options_ofAllKinds_areThoseOfThisProcess() {
        const std::string text = std::string(kHead) +
                                 "class Net(nn.Module):\n    def __init__(self, a, b=2, *, c='x'):\n"
                                 "        super().__init__()\n        self.fc = nn.Linear(a, b)\n        self.c = c\n"
                                 "    def forward(self, x, y=None, z=None):\n"
                                 "        return self.fc(x) if y is None else self.fc(x) + z\n";
        SourceOptions with = options();
        with.args = {Argument(std::int64_t{5})}, with.kwargs = {{"c", Argument(std::string("\xc3\xa4\"\\"))}};
        with.concrete = {{"y", Argument()}}, with.concreteText = "z=3", with.seed = 18446744073709551615U;
        with.eval = true, with.leafs = {"Sequential"}, with.partial = true;
        auto reader = client();
        const auto made = reader.traceText("/nowhere/net.py", text, with, {});
        QCOMPARE(described(*made), described(*traceText("/nowhere/net.py", text, with, {})));
        with.weights = NewWeights::ShapesOnly, with.notes = false;
        QCOMPARE(described(*reader.traceText("/nowhere/net.py", text, with, {})),
                 described(*traceText("/nowhere/net.py", text, with, {})));
    }

    void imports_besideTheFile_areRead() {
        const QTemporaryDir folder;
        QFile part(folder.filePath(QStringLiteral("part.py")));
        QVERIFY(part.open(QIODevice::WriteOnly));
        QVERIFY(part.write("WIDTH = 7\n") > 0);
        part.close();
        const std::string file = folder.filePath(QStringLiteral("net.py")).toStdString();
        const std::string text = std::string(kHead) + "from part import WIDTH\nclass Net(nn.Module):\n"
                                                      "    def forward(self, x):\n        return x + WIDTH\n";
        auto reader = client();
        QCOMPARE(described(*reader.traceText(file, text, options(), {})),
                 described(*traceText(file, text, options(), {})));
    }

    void errors_quoteTheirSourceByteForByte() {
        const std::string text = std::string(kHead) + "def f(x):\n    y = \xff\xfe((x;\n    return y\n";
        const std::string here = outcome([&] { return described(*traceText("/nowhere/net.py", text, options(), {})); });
        QVERIFY2(here.find("\xff\xfe((x;") != here.npos, here.c_str());
        QCOMPARE(failureOf(text), here);
    }

    void notes_ofALoop_areShared() {
        const std::string text =
            std::string(kHead) + "def loop(x):\n    for i in range(500):\n        x = x + i\n    return x\n";
        const auto made = client().traceText("/nowhere/net.py", text, options(), {});
        std::set<const NodeMeta*> notes;
        for (const Node& node : made->graph.nodes()) notes.insert(node.sharedMeta().get());
        QCOMPARE(made->graph.size(), std::size_t{502});
        QVERIFY2(notes.size() < 5, qPrintable(QString::number(notes.size())));
    }

    /// More often than a worker keeps models.
    void values_ofAConstructor_areAskedOfTheEngineHere() {
        const std::string text = std::string(kHead) + "class Net(nn.Module):\n    def __init__(self):\n"
                                                      "        super().__init__()\n        x = torch.rand(300, 200)\n"
                                                      "        self.n = 0\n        for i in range(40):\n"
                                                      "            self.n += int((x * i).sum().item())\n"
                                                      "    def forward(self, x):\n        return x + self.n\n";
        OneEngine here, there;
        SourceOptions with = options();
        with.machine = computing(here), with.engine = &here;
        const std::string expected = outcome([&] { return described(*traceText("/nowhere/net.py", text, with, {})); });
        with.machine = computing(there), with.engine = &there;
        auto reader = client();
        QCOMPARE(outcome([&] { return described(*reader.traceText("/nowhere/net.py", text, with, {})); }), expected);
        QVERIFY2(here.asked > 16, expected.c_str());
        QCOMPARE(there.asked, here.asked);
        QCOMPARE(there.read, here.read);
        QVERIFY(there.read > 200'000);
    }

    void weights_thatAreLarge_areDrawnAllTheSame() {
        const std::string text = std::string(kHead) + "class Net(nn.Module):\n    def __init__(self):\n"
                                                      "        super().__init__()\n"
                                                      "        self.a = nn.Linear(4500, 4500)\n"
                                                      "        self.b = nn.Linear(4500, 4500)\n"
                                                      "        for each in self.parameters():\n"
                                                      "            nn.init.normal_(each)\n"
                                                      "    def forward(self, x):\n        return self.b(self.a(x))\n";
        auto reader = client();
        qputenv("LANCET_SOURCE_MEMORY", "100"); // 155 MB of weights, each drawn twice
        QCOMPARE(described(*reader.traceText("/nowhere/net.py", text, options(), {})),
                 described(*traceText("/nowhere/net.py", text, options(), {})));
    }

    /// Also modules that a definition creates, and weights that it draws.
    void definitions_areThoseOfThisProcess_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<bool>("isClass");
        QTest::newRow("function") << "def pattern(x, y: int = 3):\n    return torch.relu(x + y), {'a': [x, 2]}\n"
                                  << false;
        QTest::newRow("modules") << "def pattern(x):\n    a = nn.Sequential(nn.Linear(3, 4, bias=False), nn.ReLU6())\n"
                                    "    return nn.BatchNorm2d(3, eps=0.5)(a(a(x)))\n"
                                 << false;
        QTest::newRow("constants") << "def pattern(x):\n    return x + torch.ones(3) * 2\n" << false;
        QTest::newRow("known") << "def pattern(x):\n    return torch.brand_new(x)\n" << false;
        QTest::newRow("unknown") << "def pattern(x):\n    return torch.brand_old(x)\n" << false;
        QTest::newRow("failure") << "def pattern(x):\n    return x + 1 / 0\n" << false;
        QTest::newRow("not Python") << "def pattern(x):\n    return ((x\n" << false;
        QTest::newRow("class") << QString::fromLatin1(kNet).replace(QLatin1String("Net"), QLatin1String("pattern"))
                               << true;
    }
    void definitions_areThoseOfThisProcess() {
        QFETCH(QString, source);
        QFETCH(bool, isClass);
        const std::string text = kHead + source.toStdString();
        auto reader = client();
        const auto all = [&](auto&& trace) {
            return outcome([&] {
                NewModules made;
                DefinitionSettings settings;
                settings.seed = 5, settings.newModules = &made, settings.known = {"torch.brand_new"};
                std::string out = described(trace(text, SourceDefinition{"pattern", isClass}, settings));
                TorchGenerator random(1);
                for (const auto& [name, module] : made) {
                    GraphModule holder;
                    holder.root = module.make(random);
                    out += name + described(holder);
                }
                return out;
            });
        };
        QCOMPARE(all([&](const auto&... with) { return reader.traceDefinition(with...); }),
                 all([](const auto&... with) { return traceDefinition(with...); }));
    }
};

QTEST_GUILESS_MAIN(TestReader)
#include "tst_reader.moc"
