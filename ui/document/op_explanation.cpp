// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/op_explanation.h"

#include "ui/widgets/core_text.h"

#include <QCoreApplication>

namespace ui {

namespace {
struct OpText {
    Q_DECLARE_TR_FUNCTIONS(ui::OpText)
};
} // namespace

QString opExplanation(fx::Op op) {
    const auto text = [&](const QString& what, const QString& fields, const QString& call) {
        return QStringLiteral("<p><b>%1</b></p><p>%2<br>%3</p><p><code>%4</code></p>")
            .arg(fromCore(fx::opName(op)), what, fields, call.toHtmlEscaped());
    };
    switch (op) {
    case fx::Op::Placeholder:
        return text(OpText::tr("An input of the graph: a parameter of forward."),
                    OpText::tr("target is the name of the parameter; args holds its default, if it has one."),
                    QStringLiteral("x = graph.placeholder(\"x\")"));
    case fx::Op::CallModule:
        return text(OpText::tr("Calls the forward of a module: self.conv1(x)."),
                    OpText::tr("target is the path of the module in the tree; args and kwargs are those of forward."),
                    QStringLiteral("graph.call_module(\"conv1\", (x,))"));
    case fx::Op::CallFunction:
        return text(OpText::tr("Calls a free function: torch.relu(x), x + 1."),
                    OpText::tr("target is the function itself; args and kwargs are its arguments."),
                    QStringLiteral("graph.call_function(torch.relu, (x,))"));
    case fx::Op::CallMethod:
        return text(OpText::tr("Calls a method of its first argument: x.view(4, -1)."),
                    OpText::tr("target is the method's name, a string; args[0] is the object."),
                    QStringLiteral("graph.call_method(\"view\", (x, 4, -1))"));
    case fx::Op::GetAttr:
        return text(OpText::tr("Reads a parameter, buffer or other attribute of a module: self.fc.weight."),
                    OpText::tr("target is the path of the attribute; there are no arguments."),
                    QStringLiteral("graph.get_attr(\"fc.weight\")"));
    case fx::Op::Output:
        return text(OpText::tr("What forward returns; the last node of the graph."),
                    OpText::tr("args[0] is the returned value, which may be a tuple, list or dict of nodes."),
                    QStringLiteral("graph.output((y,))"));
    }
    return {};
}

} // namespace ui
