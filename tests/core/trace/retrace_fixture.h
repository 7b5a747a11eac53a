// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/print.h"
#include "core/module/module.h"
#include "core/trace/retrace.h"

#include <QTest>

/// What tests of saved code share: a model, and its graph after its code was loaded.
namespace retracing {

inline constexpr const char* kImports =
    "NoneType = type(None)\nfrom math import inf\nfrom math import nan\nfrom math import sqrt as math_sqrt\n"
    "from torch import device\nimport torch\nimport torch.fx._pytree as fx_pytree\n"
    "import torch.utils._pytree as pytree\nfrom _operator import not_ as _operator_not_\n"
    "from mine import helper as mine_helper\nfrom mine import Pair as mine_Pair\nfrom mine import Color as Color\n"
    "from typing import List as typing_List\n";

inline fx::TensorPtr tensor(std::vector<std::int64_t> sizes, bool parameter) {
    auto out = std::make_shared<fx::TensorRef>();
    out->sizes = std::move(sizes);
    out->isParameter = parameter;
    return out;
}

/// A root with parameter p, buffer b, plain tensor t, number eps, a submodule path layer1.0.conv and a tied parameter.
inline fx::GraphModule sampleModule() {
    fx::GraphModule module;
    auto conv = std::make_shared<fx::Module>();
    conv->className = "Conv2d";
    conv->parameters.push_back({"weight", tensor({4, 3, 3, 3}, true)});
    auto inner = std::make_shared<fx::Module>();
    inner->children.push_back({"conv", conv});
    auto outer = std::make_shared<fx::Module>();
    outer->children.push_back({"0", inner});
    module.root->children.push_back({"layer1", outer});
    module.root->parameters.push_back({"p", tensor({3}, true)});
    module.root->parameters.push_back({"tied", module.root->parameters[0].tensor});
    module.root->buffers.push_back({"b", tensor({3, 4}, false)});
    module.root->attributes.emplace_back("t", tensor({2}, false));
    module.root->attributes.emplace_back("eps", fx::Argument(1e-5));
    return module;
}

/// The buffer b lies in rows.
inline fx::GraphModule withStrides() {
    fx::GraphModule module = sampleModule();
    auto rows = std::make_shared<fx::TensorRef>(*module.root->buffers[0].tensor);
    rows->strides = {4, 1};
    module.root->buffers[0].tensor = rows;
    return module;
}

/// Loads a body into `sampleModule` and returns the graph without its first line.
inline QString retraced(const QString& body, fx::GraphModule* keep = nullptr, const QString& parameters = "x",
                        decltype(fx::retraceSavedCode)& follow = fx::retraceSavedCode) {
    fx::GraphModule module = sampleModule();
    const std::string code = ("\n\n\ndef forward(self, " + parameters + "):\n    " + body + "\n    ").toStdString();
    follow(module, kImports, code, {});
    QString text = QString::fromStdString(fx::graphText(module.graph));
    if (keep) *keep = std::move(module);
    return text.section('\n', 1).replace("\n    ", "\n").trimmed();
}
/// Joins lines.
inline QString lines(std::initializer_list<const char*> list) {
    QStringList out;
    for (const char* line : list) out << line;
    return out.join('\n');
}

} // namespace retracing
