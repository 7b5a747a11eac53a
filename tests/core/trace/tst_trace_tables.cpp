// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/table_cases.h"

#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/module/module.h"
#include "core/trace/retrace.h"

using namespace fx;

namespace {

std::shared_ptr<Module> moduleOf(const char* name) {
    auto out = std::make_shared<Module>();
    out->className = name;
    return out;
}
TensorPtr tensorOf(std::vector<std::int64_t> sizes, bool isParameter) {
    auto out = std::make_shared<TensorRef>();
    out->sizes = std::move(sizes), out->isParameter = isParameter;
    return out;
}

/// The model of tests/data/trace/saved_*.txt, `Root` in make_tables.py.
GraphModule root() {
    GraphModule out;
    out.root->parameters = {{"p", tensorOf({3}, true)}};
    out.root->parameters.push_back({"tied", out.root->parameters[0].tensor});
    out.root->buffers = {{"b", tensorOf({3, 4}, false)}};
    out.root->attributes.emplace_back("t", tensorOf({2}, false));
    out.root->attributes.emplace_back("eps", Argument(1e-5));
    const auto conv = moduleOf("Conv2d"), inner = moduleOf("Module"), outer = moduleOf("Module");
    conv->classModule = "torch.nn.modules.conv";
    conv->parameters = {{"weight", tensorOf({4, 3, 3, 3}, true)}, {"bias", tensorOf({4}, true)}};
    inner->children = {{"conv", conv}};
    outer->children = {{"0", inner}};
    out.root->children = {{"layer1", outer}};
    return out;
}

QString graphOf(const GraphModule& model) {
    return QString::fromStdString(graphText(model.graph)).split('\n', Qt::SkipEmptyParts).join('\n');
}

/// The graph of a loaded GraphModule; "TypeError: ..." if Python could not load it.
QString loaded(const TableCase& given) {
    GraphModule model = root();
    try {
        retraceSavedCode(model, given.preamble.toStdString(), "\n\n\n" + given.input.toStdString() + "    ");
    } catch (const Error& error) { return QString::fromStdString(error.message().text()); }
    if (!model.notLoadable && model.warnings.empty()) return graphOf(model);
    const Message& why = model.warnings.front().what;
    const std::string reason = why.argument("reason");
    return (model.notLoadable ? "" : "loaded with a warning: ") +
           QString::fromStdString(reason.empty() ? why.text() : reason);
}

} // namespace

/// tests/data/trace: code of saved GraphModules, and the graphs that torch.load makes of it.
class TestTraceTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void savedCode_isLoaded_data() { table::addRows("trace", "saved_*.txt"); }
    void savedCode_isLoaded() {
        QFETCH(const TableCase, given);
        table::compare(given, loaded(given));
    }
};

QTEST_GUILESS_MAIN(TestTraceTables)
#include "tst_trace_tables.moc"
