// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/fitting_guesses.h"
#include "core/inputs/input_guess.h"
#include "core/inputs/layer_inputs.h"
#include "core/model_files/open.h"

#include <QTest>

using namespace fx;
using Sureness = InputGuess::Sureness;

namespace {

using Settings = std::vector<std::pair<std::string, std::variant<Argument, TensorPtr>>>;

CallablePtr function(const std::string& name) {
    auto out = std::make_shared<Callable>();
    out->qualifiedName = name;
    return out;
}

std::shared_ptr<Module> layer(const char* className, const char* package, Settings settings) {
    auto out = std::make_shared<Module>();
    out->className = className;
    out->classModule = std::string("torch.nn.modules.") + package;
    out->attributes = std::move(settings);
    return out;
}

/// x -> relu -> layer -> output
std::shared_ptr<GraphModule> through(std::shared_ptr<Module> module, std::vector<std::string> before = {"torch.relu"}) {
    auto model = std::make_shared<GraphModule>();
    model->root->children.push_back({"layer", std::move(module)});
    NodeId value = model->graph.placeholder("x");
    for (const std::string& name : before) value = model->graph.callFunction(function(name), {value, Argument(1)});
    model->graph.output(model->graph.createNode(Op::CallModule, "layer", {value}));
    return model;
}

InputGuess only(const GraphModule& model) { return guessInputs(model).at(0); }

} // namespace

class TestInputGuess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Observers and quantisation give what they get, and a fused layer takes what its first part takes.
    void quantised_isSeenThrough() {
        const auto conv = layer("Conv2d", "conv", {{"in_channels", Argument(std::int64_t{3})}});
        auto fused = std::make_shared<Module>();
        fused->className = "ConvReLU2d", fused->classModule = "torch.ao.nn.intrinsic.modules.fused";
        fused->children.push_back({"0", conv});
        QCOMPARE(inputText(only(*through(fused, {"torch.quantize_per_tensor"})).input),
                 std::string("1×3×224×224 float32, normal"));
        auto observer = std::make_shared<Module>();
        observer->className = "HistogramObserver", observer->classModule = "torch.ao.quantization.observer";
        auto model = std::make_shared<GraphModule>();
        model->root->children = {{"seen", observer}, {"layer", conv}};
        const NodeId x = model->graph.placeholder("x");
        const NodeId seen = model->graph.createNode(Op::CallModule, "seen", {x});
        model->graph.output(model->graph.createNode(Op::CallModule, "layer", {seen}));
        QCOMPARE(inputText(only(*model).input), std::string("1×3×224×224 float32, normal"));
    }

    void batchNormInTraining_needsABatchOfTwo() {
        const auto guessed = [](bool training) {
            const auto norm = layer("BatchNorm1d", "batchnorm", {{"num_features", Argument(std::int64_t{8})}});
            norm->training = training;
            return only(*through(norm)).input.sizes.at(0);
        };
        QCOMPARE(guessed(true), 2);
        QCOMPARE(guessed(false), 1);
    }

    void packedWeight_saysChannels() {
        auto packed = std::make_shared<Module>();
        packed->className = "Conv2dPackedParamsBase", packed->classModule = "__torch__.torch.classes.quantized";
        auto weight = std::make_shared<TensorRef>();
        weight->sizes = {8, 3, 5, 5};
        packed->attributes = {{"weight", weight}, {"groups", Argument(std::int64_t{2})}};
        GraphModule model;
        model.root->children.push_back({"packed", packed});
        const NodeId x = model.graph.placeholder("x"), get = model.graph.createNode(Op::GetAttr, "packed");
        const NodeId quantised = model.graph.callFunction(function("torch.quantize_per_tensor"), {x});
        model.graph.output(model.graph.callFunction(function("torch.ops.quantized.conv2d.new"), {quantised, get}));
        QCOMPARE(inputText(only(model).input), std::string("1×6×32×32 float32, normal"));
    }

    void signals_takeOtherLengths() {
        const auto model = through(layer("Conv1d", "conv", {{"in_channels", Argument(std::int64_t{6})}}));
        const std::vector<InputGuess> guesses = guessInputs(*model);
        QVERIFY(hasAssumedSquare(guesses));
        const auto other = withOtherSquares(guesses, [](const auto& some) { return some[0].input.sizes[2] == 128; });
        QVERIFY(other);
        QVERIFY((*other)[0].input.sizes == (std::vector<std::int64_t>{1, 6, 128}));
        std::int64_t largest = 0;
        const auto volume = through(layer("Conv3d", "conv", {{"in_channels", Argument(std::int64_t{3})}}));
        QVERIFY(!withOtherSquares(guessInputs(*volume), [&](const auto& some) {
            largest = std::max(largest, some[0].input.sizes[2]);
            return false;
        }));
        QCOMPARE(largest, std::int64_t{256});
        const auto words = through(layer("LSTM", "rnn", {{"input_size", Argument(std::int64_t{16})}}));
        QVERIFY(!hasAssumedSquare(guessInputs(*words)));
    }

    void layers_sayWhatTheyTake_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("package");
        QTest::addColumn<QString>("setting");
        QTest::addColumn<int>("value");
        QTest::addColumn<QString>("text");
        QTest::addColumn<Sureness>("sureness");
        const auto row = [](const char* name, const char* package, const char* setting, int value, const char* text,
                            Sureness sureness) {
            QTest::newRow(name) << name << package << setting << value << text << sureness;
        };
        row("Conv1d", "conv", "in_channels", 6, "1×6×64 float32, normal", Sureness::Assumed);
        row("Conv2d", "conv", "in_channels", 3, "1×3×224×224 float32, normal", Sureness::Assumed);
        row("ConvTranspose2d", "conv", "in_channels", 7, "1×7×32×32 float32, normal", Sureness::Assumed);
        row("Conv3d", "conv", "in_channels", 2, "1×2×16×16×16 float32, normal", Sureness::Assumed);
        row("Linear", "linear", "in_features", 20, "1×20 float32, normal", Sureness::Follows);
        row("BatchNorm1d", "batchnorm", "num_features", 5, "2×5 float32, normal", Sureness::Follows);
        row("GroupNorm", "normalization", "num_channels", 8, "1×8×32×32 float32, normal", Sureness::Assumed);
        row("LSTM", "rnn", "input_size", 9, "16×1×9 float32, normal", Sureness::Assumed);
        row("GRUCell", "rnn", "input_size", 9, "1×9 float32, normal", Sureness::Follows);
        row("MultiheadAttention", "activation", "embed_dim", 32, "16×1×32 float32, normal", Sureness::Assumed);
        row("Embedding", "sparse", "num_embeddings", 1000, "1×16 int64, integers 0 to 999", Sureness::Assumed);
    }
    void layers_sayWhatTheyTake() {
        QFETCH(QString, name);
        QFETCH(QString, package);
        QFETCH(QString, setting);
        QFETCH(int, value);
        QFETCH(QString, text);
        QFETCH(Sureness, sureness);
        const InputGuess guess =
            only(*through(layer(name.toUtf8(), package.toUtf8(), {{setting.toStdString(), Argument(value)}})));
        QCOMPARE(QString::fromStdString(inputText(guess.input)), text);
        QCOMPARE(guess.sureness, sureness);
        QCOMPARE(guess.reasons.size(), 1u);
        QCOMPARE(QString::fromStdString(guess.reasons[0].argument("layer")), QString("layer (" + name + ")"));
    }

    void flatten_leavesOnlyFeatures() {
        const auto linear = layer("Linear", "linear", {{"in_features", Argument(784)}});
        QCOMPARE(inputText(only(*through(linear, {"torch.flatten"})).input), std::string("1×784 float32, normal"));
        const auto conv = layer("Conv2d", "conv", {{"in_channels", Argument(3)}});
        QCOMPARE(only(*through(conv, {"torch.flatten"})).sureness, Sureness::Unknown);
        QCOMPARE(only(*through(linear, {"torch.cat"})).sureness, Sureness::Unknown); // not followed
    }

    void poolBeforeConv_leavesTheChannelsToTheConv() {
        const auto pool = layer("MaxPool2d", "pooling", {});
        QCOMPARE(inputText(only(*through(pool)).input), std::string("1×3×224×224 float32, normal"));
        auto model = std::make_shared<GraphModule>();
        model->root->children = {{"conv", layer("Conv2d", "conv", {{"in_channels", Argument(7)}})}};
        const NodeId x = model->graph.placeholder("x");
        const NodeId pooled = model->graph.callFunction(function("torch.nn.functional.max_pool2d"), {x, Argument(2)});
        model->graph.output(Argument::tuple({pooled, model->graph.createNode(Op::CallModule, "conv", {x})}));
        QCOMPARE(inputText(only(*model).input), std::string("1×7×32×32 float32, normal"));
    }

    void batchFirst_movesTheBatch() {
        const InputGuess guess =
            only(*through(layer("GRU", "rnn", {{"input_size", Argument(9)}, {"batch_first", Argument(true)}})));
        QVERIFY((guess.input.sizes == std::vector<std::int64_t>{1, 16, 9}));
        QCOMPARE(guess.input.batchDim, 0);
    }

    void nestedGraph_isLookedInto() {
        auto child = std::make_shared<Module>();
        child->graphModule = through(layer("Linear", "linear", {{"in_features", Argument(6)}}));
        const InputGuess guess = only(*through(child));
        QCOMPARE(guess.reason(), std::string("layer.layer (Linear) takes 6 features"));
    }

    void otherInputs_defaultUnusedMaskAndPartner() {
        auto model = std::make_shared<GraphModule>();
        model->root->children.push_back({"layer", layer("Linear", "linear", {{"in_features", Argument(4)}})});
        Graph& graph = model->graph;
        const NodeId y = graph.placeholder("y"), x = graph.placeholder("x"), mask = graph.placeholder("mask");
        const NodeId scale = graph.placeholder("scale", {Argument(2.0)});
        graph.placeholder("nobody");
        graph.placeholder("*rest");
        const NodeId taken = graph.createNode(Op::CallModule, "layer", {x});
        const NodeId sum = graph.callFunction(function("operator.add"), {x, y});
        const NodeId filled = graph.createNode(Op::CallMethod, "masked_fill", {sum, mask, scale});
        graph.output(Argument::tuple({taken, filled}));
        const auto guesses = guessInputs(*model);
        QCOMPARE(guesses.size(), 5u);
        QVERIFY((guesses[0].input.sizes == std::vector<std::int64_t>{1, 4}));
        QCOMPARE(guesses[0].sureness, Sureness::Assumed);
        QCOMPARE(guesses[1].sureness, Sureness::Follows);
        QCOMPARE(guesses[2].input.dtype, std::string("torch.bool"));
        QCOMPARE(guesses[3].sureness, Sureness::Default);
        QCOMPARE(guesses[4].sureness, Sureness::Unused);
        QVERIFY(guesses[4].isSafe());
        QVERIFY(!guesses[0].isSafe());
        // What has a default is left to it, and those after it are still paired with their guesses.
        InputDescription inputs = guessedInputs(guesses);
        QCOMPARE(inputs.inputs.size(), 4u);
        QCOMPARE(inputs.inputs[3].name, std::string("nobody"));
        QVERIFY(isForGuesses(inputs, guesses));
        QCOMPARE(guessFor(guesses, "nobody"), &guesses[4]);
        QVERIFY(!guessFor(guesses, "rest"));
        inputs.inputs.insert(inputs.inputs.begin() + 3, guesses[3].input); // somebody gave it a value
        QVERIFY(isForGuesses(inputs, guesses));
        std::swap(inputs.inputs[0], inputs.inputs[1]);
        QVERIFY(!isForGuesses(inputs, guesses));
        inputs.inputs.erase(inputs.inputs.begin());
        QVERIFY(!isForGuesses(inputs, guesses));
    }

    void indices_areFoundThroughViewsAndLists() {
        auto model = std::make_shared<GraphModule>();
        auto table = std::make_shared<TensorRef>();
        table->sizes = {7, 4}, table->strides = {4, 1};
        model->root->parameters.push_back({"table", table, true});
        model->root->children.push_back({"layer", layer("Embedding", "sparse", {{"num_embeddings", Argument(9)}})});
        Graph& graph = model->graph;
        const NodeId a = graph.placeholder("a"), b = graph.placeholder("b"), c = graph.placeholder("c"),
                     d = graph.placeholder("d");
        const NodeId weight = graph.createNode(Op::GetAttr, "table");
        const NodeId turned = graph.createNode(Op::CallMethod, "transpose", {a, Argument(0), Argument(1)});
        const NodeId joined = graph.callFunction(function("torch.cat"), {Argument::list({turned, b}), Argument(1)});
        const NodeId rows = graph.createNode(Op::CallModule, "layer", {joined});
        const NodeId picked = graph.callFunction(function("operator.getitem"), {weight, c});
        const NodeId chosen =
            graph.callFunction(function("torch.ops.aten.index.Tensor"), {weight, Argument::list({Argument(), d})});
        const NodeId other = graph.createNode(Op::CallModule, "layer", {c}); // of another table: the smaller counts
        graph.output(Argument::tuple({rows, picked, chosen, other}));
        const auto guesses = guessInputs(*model);
        const std::int64_t expected[] = {9, 9, 7, 4};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(guesses[i].input.dtype, std::string("torch.int64"));
            QCOMPARE(guesses[i].input.high, expected[i]);
            QCOMPARE(guesses[i].input.generator, Generator::Integers);
        }
    }

    void viewsAndCopies_keepElements() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        for (const char* name :
             {"cat",    "concat",    "stack",  "to",     "_to_copy",   "clone",   "repeat",  "tile",
              "flip",   "roll",      "add",    "sub",    "t",          "permute", "squeeze", "transpose",
              "expand", "unsqueeze", "slice",  "select", "contiguous", "narrow",  "chunk",   "expand_as",
              "unbind", "swapaxes",  "detach", "alias",  "movedim",    "view_as", "diagonal"})
            QVERIFY2(
                keepsElements(graph.node(graph.callFunction(function(std::string("torch.ops.aten.") + name), {x}))),
                name);
        for (const char* name : {"long", "int", "type_as", "split", "transpose", "mT", "add_"})
            QVERIFY2(keepsElements(graph.node(graph.createNode(Op::CallMethod, name, {x}))), name);
        for (const char* name : {"mul", "matmul", "sum", "exp", "sort", "where"})
            QVERIFY2(!keepsElements(graph.node(graph.createNode(Op::CallMethod, name, {x}))), name);
    }

    void declaredContainers_areNotGuessed_data() {
        QTest::addColumn<QString>("outer");
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("declared");
        QTest::newRow("list") << "List"
                              << "Tensor"
                              << "typing.List[torch.Tensor]";
        QTest::newRow("dict") << "Dict"
                              << "str Tensor"
                              << "typing.Dict[str, torch.Tensor]";
        QTest::newRow("optional tensor") << "Optional"
                                         << "Tensor"
                                         << "";
    }
    void declaredContainers_areNotGuessed() {
        QFETCH(QString, outer);
        QFETCH(QString, inner);
        QFETCH(QString, declared);
        const auto type = [](const QString& name) {
            TypeExpr out;
            out.name = name.toStdString(), out.module = name == "str" ? "builtins" : "torch";
            return std::make_shared<const TypeExpr>(out);
        };
        TypeExpr whole;
        whole.kind = TypeExpr::Kind::Generic, whole.module = "typing", whole.name = outer.toStdString();
        for (const QString& part : inner.split(' ')) whole.args.push_back(type(part));
        auto model = std::make_shared<GraphModule>();
        Graph& graph = model->graph;
        const NodeId x = graph.placeholder("x", {}, std::make_shared<const TypeExpr>(whole));
        graph.output(graph.callFunction(function("operator.getitem"), {x, Argument(0)}));
        const InputGuess guess = only(*model);
        QCOMPARE(QString::fromStdString(guess.declared), declared);
        QCOMPARE(guess.sureness, Sureness::Unknown);
        QCOMPARE(guess.reasons[0].is("inputs.declared_as"), !declared.isEmpty());
    }

    void assumedSquares_areTriedInTheUsualSizes() {
        const auto model = through(layer("Conv2d", "conv", {{"in_channels", Argument(3)}}));
        const auto guesses = guessInputs(*model);
        QVERIFY(hasAssumedSquare(guesses));
        std::vector<std::int64_t> tried;
        const auto takes = [&](std::int64_t side) {
            return [&tried, side](const std::vector<InputGuess>& some) {
                tried.push_back(some[0].input.sizes[3]);
                return some[0].input.sizes == std::vector<std::int64_t>{1, 3, side, side};
            };
        };
        const auto fitting = withOtherSquares(guesses, takes(16));
        QVERIFY(fitting);
        QCOMPARE((*fitting)[0].reasons.back().argument("shape"), std::string("1×3×16×16"));
        QCOMPARE(tried.front(), std::int64_t(32));
        QVERIFY(!withOtherSquares(guesses, takes(17)));
        QVERIFY(std::find(tried.begin(), tried.end(), 224) == tried.end()); // was refused before
        const auto features = guessInputs(*through(layer("Linear", "linear", {{"in_features", Argument(4)}})));
        QVERIFY(!hasAssumedSquare(features));
        QVERIFY(!withOtherSquares(features, takes(4)));
    }

    void features_areTriedAsSequences() {
        const auto norm = layer("LayerNorm", "norm", {{"normalized_shape", Argument::tuple({Argument(32)})}});
        for (const auto& model : {through(layer("Linear", "linear", {{"in_features", Argument(32)}})), through(norm)}) {
            const auto guesses = guessInputs(*model);
            QCOMPARE(guesses[0].input.sizes.size(), std::size_t{2});
            const auto found = withSequences(guesses, [](const std::vector<InputGuess>&) { return true; });
            QVERIFY(found);
            QVERIFY((*found)[0].input.sizes == (std::vector<std::int64_t>{1, 16, 32}));
            QCOMPARE((*found)[0].sureness, Sureness::Assumed);
            QVERIFY(!withSequences(guesses, [](const std::vector<InputGuess>&) { return false; }));
            QVERIFY(hasOtherSizes(guesses));
            const auto other = otherSizes(guesses, [](const std::vector<InputGuess>&) { return true; });
            QVERIFY(other);
            QCOMPARE((*other)[0].input.sizes, (*found)[0].input.sizes);
        }
        const auto image = through(layer("Conv2d", "conv", {{"in_channels", Argument(3)}}));
        QVERIFY(!withSequences(guessInputs(*image), [](const std::vector<InputGuess>&) { return true; }));
    }

    void batchesOfTwo_takeThePlaceOfAnAssumedOne() {
        const auto guesses = guessInputs(*through(layer("Linear", "linear", {{"in_features", Argument(4)}})));
        QVERIFY(guesses[0].input.sizes == (std::vector<std::int64_t>{1, 4}));
        const auto two = withBatchesOfTwo(guesses);
        QVERIFY(two.at(0).input.sizes == (std::vector<std::int64_t>{2, 4}));
        QVERIFY(withBatchesOfTwo(two).empty());
    }

    void export_signatureAndMetadata() {
        const auto guesses = guessInputs(*openModel(LANCET_SOURCE_DIR "/resources/samples/transformer.pt2"));
        QCOMPARE(guesses.size(), 2u); // tokens and mask; parameters are inputs of the graph too, and not listed
        QCOMPARE(guesses[0].input.dtype, std::string("torch.int64"));
        QCOMPARE(guesses[0].input.high, 100); // rows of the embedding that it goes to
        QCOMPARE(guesses[0].input.generator, Generator::Integers);
        QVERIFY(guesses[0].reasons.front().is("inputs.of_file"));
        QVERIFY(guesses[0].reasons.back().is("inputs.below_rows"));
        QCOMPARE(guesses[0].reasons.back().argument("count"), std::string("100"));
    }

    void manyInputs_areQuick() { // 3,000 inputs added up: what is followed stays bounded
        auto model = std::make_shared<GraphModule>();
        std::vector<NodeId> inputs;
        for (int i = 0; i < 3000; ++i) inputs.push_back(model->graph.placeholder("x" + std::to_string(i)));
        NodeId sum = inputs[0];
        for (std::size_t i = 1; i < inputs.size(); ++i)
            sum = model->graph.callFunction(function("operator.add"), {sum, inputs[i]});
        model->graph.output(sum);
        QCOMPARE(guessInputs(*model).size(), 3000u);
    }
};

QTEST_APPLESS_MAIN(TestInputGuess)
#include "tst_input_guess.moc"
