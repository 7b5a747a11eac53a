// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"
#include "core/engine/shapes/shapes.h"
#include "core/engine/value_conversion.h"
#include "core/engine/verify/verify.h"
#include "core/ir/print.h"
#include "core/shapes/cost.h"
#include "core/textpasses/computing.h"
#include "tests/core/passes/pass_case.h"

#include <cmath>

using namespace fx;
using engine::Value;

namespace {

/// Five digits, as Python's "%.5g".
QString numberText(double value, const char* pattern = "%.5g") {
    char text[40];
    std::snprintf(text, sizeof text, pattern, value);
    return std::isnan(value) ? QString("nan") : QString(text);
}
QString truthText(bool value) { return value ? "True" : "False"; }

QString elementText(const TensorRef& tensor, const std::vector<double>& values, std::size_t at) {
    switch (tensor.dtype) {
    case DType::Bool: return truthText(values[at] != 0);
    case DType::Complex64:
    case DType::Complex128: return numberText(values[2 * at]) + numberText(values[2 * at + 1], "%+.5g") + "j";
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64: return numberText(values[at]);
    default: return QString::number(static_cast<qint64>(values[at]));
    }
}

QString shown(const Value& value);

QString sequenceText(const engine::Values& items) {
    QStringList out;
    for (const Value& item : items) out << shown(item);
    return out.join(", ");
}

/// "float32[2]: 1 2.5"
QString tensorText(const at::Tensor& given) {
    const TensorPtr tensor = engine::toTensorRef(given);
    QStringList sizes, elements;
    for (const std::int64_t size : tensor->sizes) sizes << QString::number(size);
    const std::vector<double> values = elementValues(*tensor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor->elementCount()); ++i)
        elements << elementText(*tensor, values, i);
    const QString head =
        QString::fromUtf8(dtypeName(tensor->dtype).substr(6).data()) + "[" + sizes.join(", ") + "]"; // without "torch."
    return elements.empty() ? head : head + ": " + elements.join(' ');
}

/// As `shown` in make_tables.py.
QString shown(const Value& value) {
    if (value.isTensor() && value.tensor().is_quantized())
        return "quantized " + shown(engine::callMethod("int_repr", engine::Values{value})) + " " +
               shown(engine::callMethod("dequantize", engine::Values{value}));
    if (value.isTensor()) return tensorText(value.tensor());
    if (const auto* items = value.items()) {
        const QString inner = sequenceText(items->items);
        return items->kind == engine::Items::Kind::List ? "[" + inner + "]" : "(" + inner + ")";
    }
    if (const auto* real = value.as<double>()) return numberText(*real);
    if (const auto* text = value.text()) return QString::fromStdString(*text);
    const auto argument = engine::toArgument(value);
    return argument ? QString::fromStdString(reprOf(Graph(), *argument)) : QString("?");
}

/// Computes what constructors compute with tensors.
class OwnEngine final : public TensorEngine {
public:
    NodeShapes shapes(const GraphModule&) override { return {}; }
    std::vector<ValueTree> values(const GraphModule& model) override {
        engine::Interpreter interpreter(std::make_shared<GraphModule>(model), std::make_shared<engine::TensorStore>());
        return engine::toTree(interpreter.run({})).items;
    }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule&) override { return {}; }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override { return {}; }
};

/// The result of the call in the last line: `Net()(torch.ones(2))`.
QString computed(const TableCase& given) {
    static const QRegularExpression call("^(f|Net\\(.*?\\))\\((.*)\\)$");
    const auto match = call.match(table::lastLine(given));
    if (!match.hasMatch()) return "the last line calls neither f nor Net(...)";
    try {
        SourceOptions options;
        options.name = match.captured(1).toStdString();
        options.weights = NewWeights::Drawn;
        OwnEngine computes;
        options.machine = computing(computes);
        const auto model = traceText("case.py", table::programOf(given), options, {});
        engine::RunInputs inputs;
        inputs.positional = engine::evaluateExpression("(" + match.captured(2).toStdString() + ",)").items()->items;
        engine::seed(0);
        return shown(engine::Interpreter(model, std::make_shared<engine::TensorStore>()).run(inputs));
    } catch (const Error& error) {
        const std::string reason = error.message().argument("reason");
        static const QRegularExpression type("^\\w+Error: ");
        return QString::fromStdString(reason.empty() ? error.message().text() : reason).remove(type);
    }
}

/// Inputs as Python's text: "torch.ones(2), 3".
engine::RunInputs inputsOf(const QString& text) {
    engine::RunInputs out;
    out.positional = engine::evaluateExpression("(" + text.toStdString() + ",)").items()->items;
    return out;
}

/// "relu: float32[2, 3] flops 12" for each node.
QString shapesOf(const TableCase& given) {
    const auto model = table::tracedIn(table::programOf(given), "net");
    QString inputs = table::lastLine(given).mid(2).trimmed();
    if (inputs.endsWith(',')) inputs.chop(1);
    const NodeShapes shapes = engine::nodeShapes(model, inputsOf(inputs));
    if (!shapes.failures.empty()) return "refused: " + QString::fromStdString(shapes.failures[0].what.text());
    CostModel costs(*model, shapes);
    QString text;
    for (const auto& [name, infos] : shapes.nodes) {
        const Node& node = model->graph.node(model->graph.find(name));
        if (node.op() == Op::Output) continue;
        QStringList words;
        for (const ValueInfo& info : infos) {
            QStringList sizes;
            for (const std::string& size : info.sizes) sizes << QString::fromStdString(size);
            words << QString::fromStdString(info.dtype).mid(6) + "[" + sizes.join(", ") + "]";
        }
        text += QString::fromStdString(name) + ": " + (words.empty() ? "-" : words.join(' '));
        if (const double flops = costs.of(node).matrixFlops; flops > 0)
            text += " flops " + QString::number(flops, 'f', 0);
        text += "\n";
    }
    return text;
}

/// What the program assigns to a name, as text.
QString assigned(const std::string& program, const QString& name) {
    const QRegularExpression line("^" + name + " = (.*)$", QRegularExpression::MultilineOption);
    return line.match(QString::fromStdString(program)).captured(1);
}

/// What `verify` says of `a` and `b`.
QString verdictOf(const TableCase& given) {
    const std::string program = (given.preamble + given.input).toStdString();
    const auto side = [&](const char* name) {
        const QString input = assigned(program, "given"); // a name in brackets
        const QString inputs = assigned(program, input.mid(1, input.size() - 3));
        return engine::VerifySide{
            table::tracedIn(program, name), std::make_shared<engine::TensorStore>(), inputsOf(inputs), {}};
    };
    engine::seed(0);
    engine::VerifyOptions options;
    options.freshA = [&] { return side("a"); };
    const VerifyReport report = engine::verify(side("a"), side("b"), options);
    if (report.agrees()) return "the same";
    return report.verdict == Verdict::Different ? "different" : "different elsewhere";
}

} // namespace

/// tests/data/engine: functions and modules on small tensors, and the values that PyTorch computes.
class TestEngineTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void call_isComputed_data() { table::addRows("engine", "functions*.txt modules*.txt more_*.txt operators*.txt"); }
    void call_isComputed() {
        QFETCH(const TableCase, given);
        table::compareDigits(given, computed(given).section('\n', 0, 0));
    }
    void constants_areFoldedAsInTorchFx_data() { table::addRows("engine", "passes_*.txt"); }
    void constants_areFoldedAsInTorchFx() {
        QFETCH(const TableCase, given);
        OwnEngine computes;
        table::compareDigits(given, afterPass(given, &computes));
    }
    void shapes_areThoseOfShapeProp_data() { table::addRows("shapes", "*.txt"); }
    void shapes_areThoseOfShapeProp() {
        QFETCH(const TableCase, given);
        table::compare(given, shapesOf(given));
    }
    void models_thatPyTorchTellsApart_areNotEqual_data() { table::addRows("engine", "verify_*.txt"); }
    void models_thatPyTorchTellsApart_areNotEqual() {
        QFETCH(const TableCase, given);
        table::compare(given, verdictOf(given));
    }
};

QTEST_GUILESS_MAIN(TestEngineTables)
#include "tst_engine_tables.moc"
