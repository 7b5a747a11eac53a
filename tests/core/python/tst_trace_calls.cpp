// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_calls.h"

#include "source_files.h"

#include <QtTest>

using namespace fx;

namespace {
constexpr const char* kNet = R"(import torch
from torch import nn
import torch.nn.functional as F

class Settings:
    def __init__(self, gain):
        self.gain = gain

@torch.fx.wrap
def blend(x, weight=None, steps=2):
    if weight is None:
        weight = 0.5
    for _ in range(steps):
        x = x * weight
    return x, weight

class Scaled(nn.Linear):
    def forward(self, x, gain=1.0, *, flip=False):
        y = super().forward(x) * gain
        return y.flip(0) if flip else y

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.settings = Settings(4)
        self.register_buffer('calls', torch.zeros(1))
    def forward(self, x):
        self.calls.add_(1)
        return F.relu(self.fc(x)) * self.settings.gain + self.calls

class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0
    def forward(self, x):
        self.n += 1
        return x * self.n

class Shows(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
    def forward(self, x):
        self.last = x.softmax(-1)
        return self.last + 1

@torch.fx.wrap
def asks(x, kind):
    if kind == 'tensor':
        return x if isinstance(x, torch.Tensor) else x + 1
    if kind == 'is_tensor':
        return x if torch.is_tensor(x) else x + 1
    if kind == 'has':
        return x if hasattr(x, 'tensors') else x + 1
    if kind == 'list' and not isinstance(x, (list, tuple)):
        return x * (2 if torch.fx._symbolic_trace.is_fx_tracing() else 3)

def asked(x):
    return asks(x, 'tensor'), asks(x, 'is_tensor'), asks(x, 'has'), asks(x, 'list')

class Decides(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scaled = Scaled(3, 3)
        self.stack = nn.Sequential(Block())
        self.counts = Counts()
        self.shows = Shows()
        self.decides = Decides()
    def forward(self, x):
        x = self.scaled(x, 2.0, flip=True)
        x = blend(x, steps=3)[0]
        x = self.counts(self.stack(x))
        return self.decides(self.shows(x))
)";

constexpr const char* kOperators = R"(import torch
from torch.library import Library, custom_op

@custom_op("shop::shift", mutates_args=())
def shift(x: torch.Tensor, k: float) -> torch.Tensor:
    return x + k

@shift.register_fake
def _(x, k):
    return torch.empty_like(x)

shop = Library("shop2", "DEF")
shop.define("twice(Tensor x) -> Tensor")

@torch.library.impl(shop, "twice", "Meta")
def twice_meta(x):
    return x

@torch.library.impl(shop, "twice", "CPU")
def twice(x):
    return x * 2

def net(x):
    return shift(torch.ops.shop2.twice(x), 0.5) - torch.ops.shop.shift(x, 1.5)
)";

constexpr const char* kNames = R"(import functools
import torch
from torch import nn

class Part(nn.Module):
    def forward(self, x):
        return x * 2

First = Part

class Part(nn.Module):
    def forward(self, x):
        return x * 3

def twice(function):
    @functools.wraps(function)
    def inner(x):
        return function(x) * 2
    return inner

def plain(x):
    return x + 1

doubled = twice(plain)
torch.fx.wrap('doubled')

class Sets(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        self.drop.p = 0.9
        return self.drop(x)

class Slope(nn.LeakyReLU):
    def forward(self, x):
        y = super().forward(x)
        self.negative_slope = 0.7
        self.last = y
        return y

class Keeps(nn.LeakyReLU):
    def forward(self, x):
        self.last_of_all = x
        return super().forward(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.part, self.sets, self.slope, self.keeps = First(), Part(), Sets(), Slope(), Keeps()
    def forward(self, x):
        return self.keeps(self.slope(self.sets(self.part(self.first(doubled(x))))))
)";

constexpr const char* kKernels = R"(import torch

shop = torch.library.Library("shop4", "DEF")
shop.define("scaled(Tensor x) -> Tensor")
shop.impl("scaled", lambda x: x * 3, "Autograd")
shop.impl("scaled", lambda x: x * 2, "CPU")

def net(x):
    return torch.ops.shop4.scaled(x)
)";
} // namespace

/// What calls of a graph do that only Python source defines.
class TestTraceCalls : public QObject, SourceFiles {
    Q_OBJECT

    static QString refusalOf(const TracedCall& call) {
        return call.refusal
                   ? QString::fromStdString(call.refusal->message().code() + ": " + call.refusal->message().text())
                   : "traced";
    }
    static std::vector<TracedCall> calls(const std::string& file, const char* text, const SourceOptions& options) {
        const auto model = traceFile(file, options, {});
        std::vector<std::string> nodes;
        for (const NodeId id : ownCalls(*model)) nodes.push_back(model->graph.node(id).name());
        return traceCalls(file, text, *model, nodes, options, {});
    }

    SourceOptions m_options;
    std::map<std::string, TracedCall> m_calls;

private Q_SLOTS:
    void initTestCase() {
        m_options.name = "Net";
        m_options.leafs = {"Scaled", "Block", "Counts", "Shows", "Decides"};
        for (TracedCall& call : calls(write("net.py", kNet), kNet, m_options)) m_calls.emplace(call.node, call);
    }

    void onlyOwnCalls_areFound() {
        QStringList names;
        for (const auto& [name, call] : m_calls) names << QString::fromStdString(name);
        QCOMPARE(names.join(' '), "blend counts decides scaled shows stack_0");
    }

    void leafClass_isTracedWithTheArgumentsOfTheCall() {
        QCOMPARE(refusalOf(m_calls.at("scaled")), "traced");
        QCOMPARE(nodes(*m_calls.at("scaled").graph), "scaled_weight=scaled.weight scaled_bias=scaled.bias "
                                                     "linear=torch._C._nn.linear mul=_operator.mul flip=flip");
    }

    void function_takesTheBranchOfItsConstants() {
        QCOMPARE(nodes(*m_calls.at("blend").graph), "mul=_operator.mul mul_1=_operator.mul mul_2=_operator.mul");
        QCOMPARE(QString::fromStdString(graphText(m_calls.at("blend").graph->graph)).section("return ", 1),
                 "(mul_2, 0.5)");
    }

    void buffersAreReadAtEachCall_andObjectsAreThoseOfTheSource() {
        QCOMPARE(refusalOf(m_calls.at("stack_0")), "traced");
        const GraphModule& block = *m_calls.at("stack_0").graph;
        QCOMPARE(nodes(block), "stack_0_calls=stack.0.calls add_=add_ stack_0_fc=stack.0.fc "
                               "relu=torch.nn.functional.relu mul=_operator.mul add=_operator.add");
        const Node& mul = block.graph.node(block.graph.find("mul"));
        QVERIFY(mul.args()[1] == Argument(4)); // an attribute of an object that is no data of the module
    }

    void stateInPython_isRefused_valuesThatAreOnlyKeptAreNot() {
        QVERIFY(m_calls.at("counts").refusal->message().is("call.changes_object"));
        QCOMPARE(refusalOf(m_calls.at("shows")), "traced");
    }

    void branchOnValues_isRefusedWithItsPlace() {
        const Error& refusal = *m_calls.at("decides").refusal;
        QVERIFY(QString(refusal.what()).contains("control flow"));
        QCOMPARE(QString::fromStdString(refusal.where).section(',', 0, 0), "line 64");
        QVERIFY(refusal.file.ends_with("net.py"));
    }

    void questionsForTypes_haveTheAnswersOfTensors_whichTheGraphChecks() {
        SourceOptions options;
        options.name = "asked";
        const auto traced = calls(write("net.py", kNet), kNet, options);
        QCOMPARE(traced.size(), 4U);
        for (const int i : {0, 1, 3}) QCOMPARE(refusalOf(traced[i]), "traced");
        QCOMPARE(nodes(*traced[0].graph), "is_tensor=torch.is_tensor _assert=torch._assert");
        QVERIFY2(refusalOf(traced[2]).startsWith("call.asks_type"), qPrintable(refusalOf(traced[2])));
        QVERIFY(traced[3].graph->graph.node(traced[3].graph->graph.find("mul")).args()[1] == Argument(3));
    }

    void oneNameOfSeveral_isRefused() {
        SourceOptions options;
        options.name = "Net";
        options.leafs = {"Part", "Sets", "Slope", "Keeps"};
        std::map<std::string, QString> refusals;
        for (const TracedCall& call : calls(write("names.py", kNames), kNames, options))
            refusals[call.node] = refusalOf(call).section(':', 0, 0);
        QCOMPARE(refusals.at("plain"), "call.same_name");
        QCOMPARE(refusals.at("first"), "call.same_name");
        QCOMPARE(refusals.at("part"), "traced");
        QCOMPARE(refusals.at("sets"), "call.changes_object");
        QCOMPARE(refusals.at("slope"), "call.changes_object");
        QCOMPARE(refusals.at("keeps"), "traced");
    }

    void functionOfTheStandardLibrary_isNotTraced() {
        const auto model = traceFile(write("net.py", kNet), m_options, {});
        const char* imports = "import torch\nfrom os.path import join as blend\n";
        const std::string file = write("net.py", imports);
        QCOMPARE(refusalOf(traceCalls(file, imports, *model, {"blend"}, {}, {}).at(0)).section(':', 0, 0),
                 "call.not_found");
    }

    void kernelOfAutograd_isTheOneThatRuns() {
        SourceOptions options;
        options.name = "net";
        const auto traced = calls(write("kernels.py", kKernels), kKernels, options);
        QCOMPARE(refusalOf(traced.at(0)), "traced");
        const GraphModule& scaled = *traced[0].graph;
        QVERIFY(scaled.graph.node(scaled.graph.find("mul")).args()[1] == Argument(3));
        const char* own = "import torch\ntorch.library.Library('aten', 'IMPL').impl('relu', lambda x: x, 'CPU')\n"
                          "def net(x):\n    return torch.relu(x)\n";
        QVERIFY_EXCEPTION_THROWN(traceFile(write("own_kernels.py", own), options, {}), Error);
    }

    void moduleOfAFile_isFoundInTheFolders() {
        const auto model = traceFile(write("net.py", kNet), m_options, {});
        SourceOptions options;
        options.paths = {m_folder.path().toStdString()};
        const auto found =
            traceCalls(m_folder.filePath("__model__.py").toStdString(), "", *model, {"scaled", "blend"}, options, {});
        QCOMPARE(found.size(), 2U);
        QCOMPARE(refusalOf(found[0]), "traced");
        QCOMPARE(refusalOf(found[1]), "traced");
        options.paths = {};
        QTemporaryDir other;
        const auto lost =
            traceCalls(other.filePath("x.py").toStdString(), "", *model, {"scaled", "blend"}, options, {});
        QCOMPARE(refusalOf(lost[0]).section(':', 0, 0), "call.not_found");
        QVERIFY(refusalOf(lost[0]).contains("net.Scaled"));
        QVERIFY(refusalOf(lost[1]).contains("net.blend"));
    }

    void classThatRestoresStates_isRefusedForAFile() {
        const char* text =
            "import torch\nfrom torch import nn\nclass Part(nn.Module):\n    def __setstate__(self, d):\n"
            "        self.__dict__.update(d, k=3)\n    def forward(self, x):\n        return x * 2\n"
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.part = Part()\n    def forward(self, x):\n        return self.part(x)\n";
        SourceOptions options;
        options.name = "Net";
        options.leafs = {"Part"};
        const auto model = traceFile(write("states.py", text), options, {});
        QCOMPARE(refusalOf(calls(write("states.py", text), text, options).at(0)), "traced");
        SourceOptions found;
        found.paths = {m_folder.path().toStdString()};
        const std::string file = m_folder.filePath("__model__.py").toStdString();
        QVERIFY(refusalOf(traceCalls(file, "", *model, {"part"}, found, {}).at(0)).contains("__setstate__"));
    }

    void scriptsOwnClass_isFoundInTheFolders() {
        const auto model = traceFile(write("net.py", kNet), m_options, {});
        Module& scaled = *std::const_pointer_cast<Module>(resolvePath(*model->root, "scaled").shared);
        scaled.classModule = "__main__"; // as a script saves it
        QTemporaryDir folder;
        const auto put = [&](const char* name) {
            QVERIFY(QFile::copy(m_folder.filePath("net.py"), folder.filePath(name)));
        };
        const auto refusal = [&] {
            SourceOptions options;
            options.paths = {folder.path().toStdString()};
            return refusalOf(
                traceCalls(folder.filePath("__model__.py").toStdString(), "", *model, {"scaled"}, options, {}).at(0));
        };
        QCOMPARE(refusal().section(':', 0, 0), "call.not_found");
        put("script.py");
        QCOMPARE(refusal(), "traced");
        put("script2.py");
        QCOMPARE(refusal(), "call.several_sources: several files define Scaled: script, script2");
    }

    void operators_areFoundInTheFolders() {
        SourceOptions options;
        options.name = "net";
        const auto model = traceFile(write("ops.py", kOperators), options, {});
        SourceOptions found;
        found.paths = {m_folder.path().toStdString()};
        const std::string file = m_folder.filePath("__model__.py").toStdString();
        for (const TracedCall& call : traceCalls(file, "", *model, {"twice", "shift_default"}, found, {}))
            QCOMPARE(refusalOf(call), "traced");
    }

    void operators_areRecordedAndTheirImplementationsTraced() {
        const std::string file = write("ops.py", kOperators);
        SourceOptions options;
        options.name = "net";
        const auto model = traceFile(file, options, {});
        QCOMPARE(nodes(*model), "twice=torch.ops.shop2.twice shift_default=torch.ops.shop.shift.default "
                                "shift=torch.ops.shop.shift sub=_operator.sub");
        const auto traced = calls(file, kOperators, options);
        QCOMPARE(traced.size(), 3U);
        QCOMPARE(refusalOf(traced[0]), "traced");
        QCOMPARE(nodes(*traced[0].graph), "mul=_operator.mul");
        QCOMPARE(nodes(*traced[1].graph), "add=_operator.add");
        QCOMPARE(nodes(*traced[2].graph), "add=_operator.add");
    }
};

QTEST_GUILESS_MAIN(TestTraceCalls)
#include "tst_trace_calls.moc"
