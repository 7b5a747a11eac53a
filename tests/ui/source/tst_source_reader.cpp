// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_list.h"
#include "core/model_files/save_project.h"
#include "core/python/tracing/source_reader.h"
#include "tests/ui/source/source_fixture.h"
#include "ui/edit/value_steps.h"
#include "ui/pattern/pattern_search.h"

#include <atomic>

using namespace ui;

namespace {

/// Follows Python in this process and counts what it is asked.
class CountingReader final : public fx::SourceReader {
public:
    std::atomic<int> texts = 0, sources = 0, definitions = 0, passes = 0;

    std::shared_ptr<fx::GraphModule> traceText(const std::string& file, const std::string& text,
                                               const fx::SourceOptions& options,
                                               const fx::Progress& progress) override {
        return ++texts, fx::traceText(file, text, here(options), progress);
    }
    fx::SourceTrace traceSource(const std::string& file, const std::string& text, const fx::SourceOptions& options,
                                const fx::Progress& progress) override {
        return ++sources, fx::traceSource(file, text, here(options), progress);
    }
    fx::GraphModule traceDefinition(std::string_view source, const fx::SourceDefinition& definition,
                                    const fx::DefinitionSettings& settings) override {
        return ++definitions, fx::traceDefinition(source, definition, here(settings));
    }
    void rehearse(const std::string&, const std::string&, const std::string&, const fx::PassRun&) override { ++passes; }
    std::vector<fx::TracedCall> traceCalls(const std::string& file, const std::string& text,
                                           const fx::GraphModule& model, const std::vector<std::string>& nodes,
                                           const fx::SourceOptions& options, const fx::Progress& progress) override {
        return fx::traceCalls(file, text, model, nodes, here(options), progress);
    }

private:
    template<class Options> static Options here(Options options) { return options.reader = nullptr, options; }
};

} // namespace

/// The window hands its reader to everything that follows Python.
class TestSourceReader : public SourceFixture {
    Q_OBJECT

    std::shared_ptr<CountingReader> m_reader;

private Q_SLOTS:
    void init() {
        m_reader = std::make_shared<CountingReader>();
        startUp(m_reader);
        open(write("net.py", kNet));
    }
    void cleanup() { shutDown(); }

    void sources_areFollowedByIt() {
        QVERIFY(m_reader->sources > 0);
        const int opened = m_reader->sources;
        type("# typed\n" + kNet);
        QVERIFY(m_reader->sources > opened);
    }

    void patternsOfSteps_areFollowedByIt() {
        QVERIFY(document().versions().edit(
            QStringLiteral("Replace"),
            fx::StepList().replacePattern("def pattern(x):\n    return torch.relu(x)\n",
                                          "def replacement(x):\n    return torch.sigmoid(x)\n", {})));
        QCOMPARE(m_reader->definitions.load(), 2);
    }

    void patternsOfASearch_areFollowedByIt() {
        PatternQuery query;
        query.pattern = "def pattern(x):\n    return torch.relu(x)\n";
        QCOMPARE(searchPattern(*document().module(), query, {}, document().readers()).matches.size(), 1u);
        explainPattern(*document().module(), query, 1, {}, document().readers());
        QCOMPARE(m_reader->definitions.load(), 2);
    }

    void passesInPython_areRehearsedByIt() {
        QVERIFY(document().versions().edit(
            QStringLiteral("Pass"),
            fx::StepList().passes(
                R"({"passes": [{"file": "/nowhere/own.py", "text": "import torch\ndef own(gm):\n)"
                R"(    for node in gm.graph.nodes:\n        if node.name == 'relu': node.target = torch.tanh\n"}]})")));
        QCOMPARE(m_reader->passes.load(), 1);
    }

    void editsOfAProject_areFollowedByIt() {
        QVERIFY(document().versions().edit(
            QStringLiteral("Replace"),
            fx::StepList().replacePattern("def pattern(x):\n    return torch.relu(x)\n",
                                          "def replacement(x):\n    return torch.sigmoid(x)\n", {})));
        const std::string path = write("net.lancet", {}).toStdString();
        fx::saveProject(fx::projectOf(*document().versions().history()), *document().module(), path, false);
        m_reader->definitions = 0;
        fx::OpenOptions options;
        options.readers = document().readers();
        const auto opened = fx::openModel(path, options);
        QCOMPARE(m_reader->definitions.load(), 2);
        fx::projectOf(opened); // repeats nothing
        QCOMPARE(m_reader->definitions.load(), 2);
    }

    void computedValues_areFollowedByIt() {
        const fx::GraphModule& model = *document().module();
        argumentSteps(model.graph, model.graph.node(node("relu")), QStringLiteral("0"), QStringLiteral("2 * 3"),
                      document().readers());
        QCOMPARE(m_reader->definitions.load(), 1);
    }
};

QTEST_MAIN(TestSourceReader)

#include "tst_source_reader.moc"
