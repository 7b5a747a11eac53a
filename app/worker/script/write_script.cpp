// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/script/write_script.h"

#include "app/worker/model_inputs.h"
#include "app/worker/script/script.h"
#include "app/worker/script/script_attributes.h"
#include "core/base/joined_path.h"
#include "core/base/python_text.h"
#include "core/engine/calls.h"
#include "core/engine/ivalues.h"
#include "core/engine/machine.h"
#include "core/engine/modules/script_block.h"
#include "core/engine/outside.h"
#include "core/engine/quant/quantized_modules.h"
#include "core/engine/verify/compare.h"
#include "core/model_files/unlift.h"
#include "core/module/script_object.h"
#include "core/ops/catalogue.h"
#include "core/remote/descriptor_channel.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/torchscript.h"
#include "core/torchscript/writing/script_quantised.h"
#include "core/torchscript/writing/script_writer.h"

#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cerrno>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace app {
namespace {

namespace jit = torch::jit;
using fx::Error;
using fx::ErrorKind;

/// `ops.aten.relu`
struct OperatorNames : jit::SugaredValue {
    std::string kind() const override { return "ops"; }
    std::shared_ptr<SugaredValue> attr(const jit::SourceRange&, jit::GraphFunction&,
                                       const std::string& field) override {
        return std::make_shared<jit::BuiltinModule>(field);
    }
};

/// The names that `fx::script::writeScript` uses.
struct Words : jit::Resolver {
    std::shared_ptr<jit::SugaredValue> resolveValue(const std::string& name, jit::GraphFunction&,
                                                    const jit::SourceRange&) override {
        if (name == "torch" || name == "math") return std::make_shared<jit::BuiltinModule>("aten");
        if (name == "ops") return std::make_shared<OperatorNames>();
        if (name == "annotate") return jit::SpecialFormValue::create(c10::prim::annotate);
        return nullptr;
    }
};

[[noreturn]] void refuse(const std::exception& error) {
    throw Error(ErrorKind::Refused, fx::Message("script.does_not_compile", {{"detail", scriptReason(error)}}));
}

/// The module tree with its tensors.
class Builder {
public:
    explicit Builder(fx::engine::TensorStore& tensors)
        : m_unit(std::make_shared<jit::CompilationUnit>()), m_tensors(tensors) {}

    jit::Module build(const fx::Module& module, const std::string& path) {
        m_byPath.emplace(path, module_(module, path));
        return m_byPath.at(path);
    }
    const jit::Module& at(const std::string& path) const { return m_byPath.at(path); }

    void define(const fx::script::ScriptText::Method& method) {
        jit::Module module = at(method.path);
        if (method.isExtra && !compiles(module, method.source)) return;
        if (method.block.empty()) return module.define(method.source, std::make_shared<Words>());
        auto graph = std::make_shared<jit::Graph>();
        jit::parseIR(method.block, graph.get());
        if (graph->outputs().size() != 1) {
            jit::Node* tuple = graph->appendNode(graph->createTuple(graph->outputs()));
            while (!graph->outputs().empty()) graph->eraseOutput(graph->outputs().size() - 1);
            graph->registerOutput(tuple->output());
        }
        graph->insertInput(0, "self")->setType(module.type());
        module.type()->addMethod(
            m_unit->create_function(c10::QualifiedName(*module.type()->name(), method.name), graph));
    }

    /// The methods of a file that the model calls as a whole, under their names: `reset(...)` is `script.reset(...)`.
    static void defineOtherMethods(jit::Module& root, const fx::Module& module) {
        const auto* file = fx::script::onlyScriptFile(module);
        if (!file) return;
        const jit::Module called = root.attr(file->name).toModule();
        for (const jit::Method& method : called.get_methods()) {
            const std::string& name = method.name(); // `__setstate__` would run on loading
            if (root.find_method(name) || root.hasattr(name) || name.starts_with("__")) continue;
            const c10::FunctionSchema& schema = method.function().getSchema();
            auto graph = std::make_shared<jit::Graph>();
            jit::Value* self = graph->addInput("self")->setType(root.type());
            jit::Value* inner = graph->insertGetAttr(self, file->name);
            std::vector<jit::Value*> values{inner};
            for (std::size_t i = 1; i < schema.arguments().size(); ++i)
                values.push_back(graph->addInput(schema.arguments()[i].name())->setType(schema.arguments()[i].type()));
            jit::Node* call = graph->insertNode(graph->create(c10::prim::CallMethod, values));
            call->s_(c10::attr::name, method.name());
            call->output()->setType(schema.returns().at(0).type());
            graph->registerOutput(call->output());
            std::vector<c10::Argument> arguments = schema.arguments(); // with their defaults
            arguments.at(0) = c10::Argument("self", root.type());
            jit::Function* made = root._ivalue()->compilation_unit()->create_function(
                c10::QualifiedName(*root.type()->name(), method.name()), graph);
            made->setSchema(schema.cloneWithArguments(std::move(arguments)));
            root.type()->addMethod(made);
        }
    }

private:
    static bool compiles(const jit::Module& module, const std::string& source) {
        try {
            module.clone().define(source, std::make_shared<Words>());
            return true;
        } catch (const std::exception&) { return false; }
    }

    static std::string className(const fx::Module& module) {
        std::string out = "__torch__", type = module.qualifiedType();
        for (char& c : type)
            if (!fx::isNamePart(c) && c != '.') c = '_';
        return out + "." + (type.empty() ? "Module" : type);
    }

    jit::Module module_(const fx::Module& module, const std::string& path) {
        if (const auto known = m_built.find(&module); known != m_built.end()) return known->second;
        jit::Module out(c10::QualifiedName(className(module)), m_unit, true);
        m_built.emplace(&module, out);
        for (const auto& slot : module.parameters)
            if (slot.tensor) out.register_parameter(slot.name, m_tensors.tensor(slot.tensor), false);
            else out.register_attribute(slot.name, c10::NoneType::get(), {}, true);
        for (const auto& slot : module.buffers)
            if (slot.tensor) out.register_buffer(slot.name, m_tensors.tensor(slot.tensor));
            else out.register_attribute(slot.name, c10::NoneType::get(), {}, false, true);
        out.register_attribute("training", c10::BoolType::get(), module.training);
        const std::string_view packed = fx::script::packedAttribute(module);
        if (!packed.empty()) addPacked(out, std::string(packed), module);
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<fx::TensorPtr>(&value);
                tensor && *tensor && (packed.empty() || (name != "weight" && name != "bias")))
                out.register_attribute(name, c10::TensorType::get(), m_tensors.tensor(*tensor));
        for (const fx::Module::Child& child : module.children)
            if (child.module && fx::isScriptObject(*child.module)) addPacked(out, child.name, *child.module);
            else if (child.module && fx::script::isScriptFile(*child.module))
                out.register_module(child.name, calledFile(*child.module));
            else if (child.module)
                out.register_module(child.name, build(*child.module, fx::joinedPath(path, child.name)));
        if (!fx::script::isScriptBlock(module)) addLiterals(out, module);
        return out;
    }

    static jit::Module calledFile(const fx::Module& module) {
        fx::script::requireCalledFile(module);
        return loadScript(fx::script::scriptFilePath(module));
    }

    void addPacked(jit::Module& out, const std::string& name, const fx::Module& module) {
        const fx::engine::Value packed = fx::engine::packedParams(module, m_tensors);
        const c10::IValue value = packed.isTensor() ? c10::IValue(packed.tensor()) : packed.scriptObject()->value;
        const std::string type = module.qualifiedType();
        if (type == fx::script::kSparseParameter) out.register_parameter(name, value.toTensor(), false);
        else if (type == fx::script::kSparseBuffer) out.register_buffer(name, value.toTensor());
        else out.register_attribute(name, value.type(), value);
    }

    std::shared_ptr<jit::CompilationUnit> m_unit;
    fx::engine::TensorStore& m_tensors;
    std::map<const fx::Module*, jit::Module> m_built;
    std::map<std::string, jit::Module> m_byPath;
};

/// The operator of a value that a variable of the source names: "aten::add.Tensor"; empty if it is none.
std::string operatorOf(const jit::Value* value) {
    const jit::Node* node = value->node();
    if (node->kind() == c10::prim::TupleConstruct && !node->inputs().empty()) node = node->inputs()[0]->node();
    const auto* schema = node->maybeSchema();
    if (!schema) return {};
    return schema->name() + (schema->overload_name().empty() ? "" : "." + schema->overload_name());
}

/// Whether a target is that of an operator without an overload, "torch.ops.quantized.conv2d_relu": PyTorch chooses one
/// by the arguments, as a script does.
bool choosesOverload(const std::string& target) {
    return std::count(target.begin(), target.end(), '.') < 4; // torch.ops.aten.add.Tensor
}

/// A script chooses overloads by types: they are those of the graph. A number where the graph has one for a tensor is
/// the same to all operators.
void checkOverloads(const fx::Graph& graph, const jit::Module& module) {
    std::map<std::string, std::string> chosen;
    for (const jit::Node* node : module.get_method("forward").graph()->nodes())
        for (const jit::Value* value : node->outputs()) {
            const std::string name = value->hasDebugName() ? value->debugName() : "";
            chosen.emplace(name.substr(0, name.find('.')), operatorOf(value));
        }
    for (const fx::Node& node : graph.nodes()) {
        const bool names = node.target().starts_with("torch.ops.") && !choosesOverload(node.target());
        const auto known = names ? fx::ops::findOperator(node.target()) : std::nullopt;
        const auto got = known ? chosen.find(node.name()) : chosen.end();
        if (got == chosen.end() || got->second.empty()) continue;
        const std::string name(known->name()), overload(known->overload());
        const std::string wanted = overload.empty() ? name : name + "." + overload;
        const bool numbered = got->second == name + ".Scalar" && overload.find("Tensor") != overload.npos;
        if (got->second != wanted && got->second.starts_with(name) && !numbered && got->second != name)
            throw Error(ErrorKind::Refused,
                        fx::Message("script.other_overload", {{"wanted", wanted}, {"got", got->second}}))
                .onNode(node.name());
    }
}

void flatten(const fx::engine::Value& value, std::vector<fx::engine::Value>& out) {
    if (const auto* items = value.items())
        for (const auto& item : items->items) flatten(item, out);
    else if (const auto* mapping = value.mapping())
        for (const auto& [key, item] : mapping->items) flatten(item, out);
    else out.push_back(value);
}

bool isClose(const fx::engine::Value& a, const fx::engine::Value& b) {
    std::vector<fx::engine::Value> left, right;
    flatten(a, left), flatten(b, right);
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!left[i].isTensor() || !right[i].isTensor()) {
            if (left[i].isTensor() != right[i].isTensor()) return false;
            continue;
        }
        const at::Tensor &x = left[i].tensor(), &y = right[i].tensor();
        if (x.scalar_type() != y.scalar_type() || x.sizes() != y.sizes()) return false;
        // Quantised tensors have no allclose.
        const fx::engine::Value close = fx::engine::callOperator(
            "aten::allclose", {{fx::engine::plain(x), fx::engine::plain(y), 1e-4, 1e-5, true}, {}});
        if (!fx::engine::truthOf(close)) return false;
    }
    return true;
}

/// A file that the client handed over.
class HandedOver final : public caffe2::serialize::ReadAdapterInterface {
public:
    explicit HandedOver(int descriptor) : m_descriptor(descriptor) {}
    ~HandedOver() override { ::close(m_descriptor); }
    HandedOver(const HandedOver&) = delete;
    HandedOver& operator=(const HandedOver&) = delete;

    std::size_t size() const override {
        struct stat status {};
        return ::fstat(m_descriptor, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
    }
    std::size_t read(std::uint64_t at, void* out, std::size_t bytes, const char*) const override {
        std::size_t done = 0;
        while (done < bytes) {
            const ssize_t got =
                ::pread(m_descriptor, static_cast<char*>(out) + done, bytes - done, static_cast<off_t>(at + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

private:
    int m_descriptor;
};

/// Sends what is written in Part frames.
class PartWriter {
public:
    explicit PartWriter(const Context& context) : m_context(context) {}

    std::size_t write(const void* bytes, std::size_t count) {
        const auto* start = static_cast<const std::byte*>(bytes);
        m_bytes.insert(m_bytes.end(), start, start + count);
        if (m_bytes.size() >= kPartBytes) send();
        return count;
    }
    void send() {
        if (m_bytes.empty()) return;
        m_context.progress.check();
        auto blob = std::make_shared<const std::vector<std::byte>>(std::exchange(m_bytes, {}));
        fx::remote::writeFrame(m_context.channel,
                               {fx::remote::FrameKind::Part, m_context.request, {}, std::move(blob), {}});
    }

private:
    static constexpr std::size_t kPartBytes = 1 << 20;
    const Context& m_context;
    std::vector<std::byte> m_bytes;
};

/// Runs the file and the model on the same inputs, if there are any.
fx::remote::CheckedScript runsAlike(const std::shared_ptr<const fx::GraphModule>& model,
                                    std::unique_ptr<HandedOver> file, const fx::remote::RunRequest& request) {
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    fx::engine::Interpreter interpreter(model, tensors);
    ModelInputs inputs, again;
    try {
        inputs = makeInputs(*model, interpreter.inputs(), request, *tensors);
        fx::engine::TensorStore fresh; // a run may change its own, also those of a file
        again = makeInputs(*model, interpreter.inputs(), request, fresh);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Usage) throw;
        return {false, error.what()};
    }
    jit::Module script = fx::engine::withRefusals([&] {
        return jit::load(std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(std::move(file)),
                         c10::Device(c10::kCPU));
    });
    const c10::FunctionSchema& schema = script.get_method("forward").function().getSchema();
    std::vector<c10::IValue> stack;
    for (std::size_t i = 1; i < schema.arguments().size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        const auto named = std::find_if(again.values.named.begin(), again.values.named.end(),
                                        [&](const auto& one) { return one.first == argument.name(); });
        if (i - 1 < again.values.positional.size())
            stack.push_back(fx::engine::toTyped(again.values.positional[i - 1], argument.type()));
        else if (named != again.values.named.end())
            stack.push_back(fx::engine::toTyped(named->second, argument.type()));
        else if (argument.default_value()) stack.push_back(*argument.default_value());
        else return {false, fx::Message("script.input_without_value", {{"name", argument.name()}}).text()};
    }
    const c10::InferenceMode inference;
    fx::engine::seed(request.seed);
    fx::engine::Value expected;
    try {
        expected = interpreter.run(inputs.values, {});
    } catch (const Error& error) {
        if (request.inputs || (!request.random.empty() && !request.anyGuess)) throw;
        return {false, fx::Message("script.guess_fails", {{"reason", error.what()}}).text()};
    }
    fx::engine::seed(request.seed);
    const fx::engine::Value got =
        fx::engine::fromIValue(script.forward(std::move(stack)), fx::engine::ResultStyle::Overload, nullptr);
    if (!isClose(expected, got)) throw Error(ErrorKind::Refused, fx::Message("script.runs_differently"));
    return {true, {}};
}

/// The annotation that a value has in a script; empty if it has none, or any.
std::string typeOf(const fx::engine::Value& value) {
    if (value.isTensor()) return "Tensor";
    if (value.as<bool>()) return "bool";
    if (value.as<std::int64_t>()) return "int";
    if (value.as<double>()) return "float";
    if (value.text()) return "str";
    if (const fx::engine::Items* items = value.items()) {
        if (items->items.empty()) return {};
        const bool isTuple = items->kind == fx::engine::Items::Kind::Tuple;
        std::string all;
        for (const fx::engine::Value& item : items->items) {
            const std::string type = typeOf(item);
            if (type.empty() || (!isTuple && !all.empty() && type != all)) return {};
            all = isTuple && !all.empty() ? all + ", " + type : type;
        }
        return (isTuple ? "Tuple[" : "List[") + all + "]";
    }
    const fx::engine::Mapping* mapping = value.mapping();
    if (!mapping || mapping->items.empty()) return {};
    const auto& [key, first] = mapping->items.front();
    const std::string types = typeOf(key) + ", " + typeOf(first);
    for (const auto& [other, item] : mapping->items)
        if (typeOf(other) + ", " + typeOf(item) != types) return {};
    return types.starts_with(',') || types.ends_with(' ') ? std::string() : "Dict[" + types + "]";
}

/// Inputs without a type get that of the values that are given for them.
void setTypes(fx::GraphModule& model, const fx::remote::RunRequest& request) {
    if (!request.inputs) return;
    const auto tensors = std::make_shared<fx::engine::TensorStore>();
    const fx::engine::Interpreter interpreter(std::make_shared<const fx::GraphModule>(model), tensors);
    const auto given = makeInputs(model, interpreter.inputs(), request, *tensors).values;
    std::size_t place = 0;
    for (const fx::NodeId id : interpreter.inputs()) {
        const fx::Node& node = model.graph.node(id);
        const auto named = std::find_if(given.named.begin(), given.named.end(),
                                        [&](const auto& one) { return one.first == node.target(); });
        const fx::engine::Value* value = place < given.positional.size() ? &given.positional[place]
                                         : named != given.named.end()    ? &named->second
                                                                         : nullptr;
        ++place;
        if (value && !node.type()) model.graph.setType(id, fx::script::inputType(typeOf(*value)));
    }
}

/// The model of a request as it is written.
std::shared_ptr<const fx::GraphModule> typedModel(const fx::remote::RunRequest& request, const Context& context) {
    auto typed = std::make_shared<fx::GraphModule>(fx::unlifted(*context.models.get(request.model)));
    setTypes(*typed, request);
    return typed;
}

} // namespace

void writeScriptFile(const fx::remote::RunRequest& request, const Context& context) {
    fx::engine::disarmScriptOperators();
    fx::engine::setThreads(request.threads);
    const std::shared_ptr<const fx::GraphModule> model = typedModel(request, context);
    const fx::script::ScriptText text = fx::script::writeScript(*model);
    fx::engine::TensorStore tensors;
    tensors.addModel(model);
    try {
        Builder builder(tensors);
        jit::Module root = builder.build(*model->root, "");
        for (const auto& method : text.methods) context.progress.check(), builder.define(method);
        root.define(text.forward, std::make_shared<Words>());
        builder.defineOtherMethods(root, *model->root);
        checkOverloads(model->graph, root);
        context.progress.report("writing the script", 0.5);
        PartWriter parts(context);
        jit::ExportModule(root, [&parts](const void* bytes, std::size_t count) { return parts.write(bytes, count); });
        parts.send();
    } catch (const Error&) { throw; } catch (const std::exception& error) {
        refuse(error);
    }
}

fx::remote::CheckedScript checkScriptFile(const fx::remote::RunRequest& request, const Context& context) {
    std::vector<int> handed = fx::remote::receiveDescriptors(context.descriptors);
    if (handed.size() != 1) throw Error(ErrorKind::Run, fx::Message("remote.not_a_message"));
    auto file = std::make_unique<HandedOver>(handed.front());
    fx::engine::setThreads(request.threads);
    const std::shared_ptr<const fx::GraphModule> model = typedModel(request, context);
    try {
        return runsAlike(model, std::move(file), request);
    } catch (const Error&) { throw; } catch (const std::exception& error) {
        refuse(error);
    }
}

} // namespace app
