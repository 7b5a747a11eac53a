// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/model_files/plain_holders.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/json_steps.h"

#include <QTest>

using namespace fx;

/// Which modules keep their class in a file of torch.save.
class TestPlainHolders : public QObject {
    Q_OBJECT

    static std::string classOf(const GraphModule& model, std::string_view path) {
        const Module* module = resolvePath(*model.root, path).module;
        return module ? module->classModule + "." + module->className : "missing";
    }

private Q_SLOTS:
    void addedModules_keepTheirClassUnlessTheGraphOnlyPassesThroughThem() {
        const auto edited = History::edited(traceFunctionSource("def net(x):\n    return torch.relu(x)\n"), R"([
            {"step": "add_module", "path": "waiting",
             "module": {"type": "torch.nn.LSTM", "settings": {"input_size": 2, "hidden_size": 3}}},
            {"step": "add_module", "path": "block", "module": {"type": "torch.nn.Sequential"}},
            {"step": "add_module", "path": "block.act", "module": {"type": "torch.nn.GELU"}},
            {"step": "insert_after", "node": "relu", "op": "call_module", "target": "block.act",
             "args": [{"node": "relu"}]}])"_steps);
        const GraphModule saved = withPlainHolders(*edited);
        QCOMPARE(classOf(saved, "waiting"), std::string("torch.nn.modules.rnn.LSTM"));
        QCOMPARE(classOf(saved, "block"), std::string("torch.nn.modules.module.Module"));
        QCOMPARE(classOf(saved, "block.act"), std::string("torch.nn.modules.activation.GELU"));
        QCOMPARE(classOf(*edited, "block"), std::string("torch.nn.modules.container.Sequential"));
    }
};

QTEST_APPLESS_MAIN(TestPlainHolders)
#include "tst_plain_holders.moc"
