// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/script/describe_script.h"

#include "app/worker/script/script.h"
#include "app/worker/script/script_constants.h"
#include "core/diag/error.h"
#include "core/json/json_writer.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <chrono>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace app {
namespace {

using fx::JsonWriter;
namespace jit = torch::jit;

/// Texts with numbers, in the order of first use.
class Table {
public:
    std::int64_t of(const std::string& text) {
        const auto [known, isNew] = m_numbers.emplace(text, m_texts.size());
        if (isNew) m_texts.push_back(text);
        return static_cast<std::int64_t>(known->second);
    }
    void write(JsonWriter& json) const { json.strings(m_texts); }

private:
    std::unordered_map<std::string, std::size_t> m_numbers;
    std::vector<std::string> m_texts;
};

/// The JSON of objects that refer to each other by number: each is written once, when its turn comes.
template<class T> class Queue {
public:
    std::int64_t of(const T* object) {
        const auto [known, isNew] = m_numbers.emplace(object, m_objects.size());
        if (isNew) m_objects.push_back(object);
        return static_cast<std::int64_t>(known->second);
    }
    const T* next() { return m_done < m_objects.size() ? m_objects[m_done++] : nullptr; }

private:
    std::unordered_map<const T*, std::size_t> m_numbers;
    std::vector<const T*> m_objects;
    std::size_t m_done = 0;
};

/// Named tuples as plain ones: only the file has their classes.
std::optional<std::string> plainTuple(const c10::Type& type) {
    const auto* tuple = type.castRaw<c10::TupleType>();
    if (!tuple || !tuple->name()) return std::nullopt;
    std::string items;
    for (const c10::TypePtr& item : tuple->elements())
        items += (items.empty() ? "" : ", ") + item->annotation_str(plainTuple);
    return "Tuple[" + items + "]";
}

class Describer {
public:
    explicit Describer(const fx::Progress& progress) : m_progress(progress) {}

    fx::script::ProgramText describe(const jit::Module& module, const std::vector<std::string>& missing,
                                     double loadMillis) {
        const std::int64_t root = m_classes.of(module.type().get());
        addClasses(module._ivalue().get());
        m_types.beginArray();
        JsonWriter classes, functions;
        classes.beginArray(), functions.beginArray();
        for (bool more = true; more;) {
            more = false;
            while (const c10::ClassType* type = m_classes.next()) writeClass(classes, *type), more = true;
            while (const jit::Function* function = m_functions.next()) writeMethod(functions, *function), more = true;
        }
        classes.endArray(), functions.endArray();
        m_types.endArray();
        JsonWriter json;
        json.beginObject().key("root").integer(root).key("kinds");
        m_kinds.write(json);
        json.key("sources");
        m_sources.write(json);
        json.key("types").raw(m_types.text()).key("constants").raw(m_constants.text());
        json.key("classes").raw(classes.text()).key("functions").raw(functions.text());
        json.key("missing").strings(missing).key("load_millis").integer(std::lround(loadMillis)).endObject();
        return {json.text(), m_constants.bytes()};
    }

private:
    struct Scope {
        std::unordered_map<const jit::Value*, std::int64_t> ids;
        JsonWriter values;
    };

    /// Those of the objects, too: an attribute may be declared with an interface, which has no code.
    void addClasses(const c10::ivalue::Object* root) {
        std::unordered_set<const c10::ivalue::Object*> seen = {root};
        std::vector<const c10::ivalue::Object*> left = {root};
        while (!left.empty()) {
            const c10::ivalue::Object* object = left.back();
            left.pop_back();
            m_classes.of(object->type().get());
            for (const c10::IValue& value : object->slots())
                if (value.isObject() && seen.insert(&value.toObjectRef()).second) left.push_back(&value.toObjectRef());
        }
    }

    void writeClass(JsonWriter& json, const c10::ClassType& type) {
        json.beginObject().key("name").string(type.name() ? type.name()->qualifiedName() : "");
        json.key("module").boolean(type.is_module()).key("attributes").beginArray();
        for (std::size_t i = 0; i < type.numAttributes(); ++i)
            json.beginObject()
                .key("name")
                .string(type.getAttributeName(i))
                .key("type")
                .integer(typeNumber(type.getAttribute(i)))
                .key("kind")
                .integer(!type.is_module()      ? 0
                         : type.is_parameter(i) ? 1
                         : type.is_buffer(i)    ? 2
                                                : 0)
                .endObject();
        json.endArray().key("constants").beginArray();
        for (std::size_t i = 0; i < type.numConstants(); ++i)
            json.beginObject()
                .key("name")
                .string(type.getConstantName(i))
                .key("value")
                .integer(m_constants.add(type.getConstant(i)))
                .endObject();
        json.endArray().key("methods").beginArray();
        for (const jit::Function* method : type.methods())
            if (method->isGraphFunction()) writeMethod(json, *method);
        json.endArray().endObject();
    }

    void writeMethod(JsonWriter& json, const jit::Function& function) {
        m_progress.check();
        json.beginObject().key("name").string(function.name()).key("parameters").beginArray();
        for (const c10::Argument& argument : function.getSchema().arguments())
            json.beginObject()
                .key("name")
                .string(argument.name())
                .key("type")
                .string(argument.type()->annotation_str(plainTuple))
                .key("default")
                .integer(argument.default_value() ? m_constants.add(*argument.default_value()) : -1)
                .endObject();
        json.endArray();
        Scope scope;
        scope.values.beginArray();
        JsonWriter body;
        if (const auto* graph = function.isGraphFunction() ? jit::toGraphFunction(function).graph().get() : nullptr)
            writeBlock(body, *graph->block(), scope);
        else body.raw(R"({"in":[],"out":[],"nodes":[]})");
        scope.values.endArray();
        json.key("values").raw(scope.values.text()).key("body").raw(body.text()).endObject();
    }

    static std::int64_t valueNumber(const jit::Value* value, const Scope& scope) { return scope.ids.at(value); }

    void define(const jit::Value* value, Scope& scope) {
        scope.ids.emplace(value, static_cast<std::int64_t>(scope.ids.size()));
        scope.values.beginArray()
            .string(value->hasDebugName() ? value->debugName() : "")
            .integer(typeNumber(value->type()))
            .endArray();
    }

    template<class Values> void writeValues(JsonWriter& json, const Values& values, const Scope& scope) {
        json.beginArray();
        for (const jit::Value* value : values) json.integer(valueNumber(value, scope));
        json.endArray();
    }

    void writeBlock(JsonWriter& json, const jit::Block& block, Scope& scope) {
        for (const jit::Value* input : block.inputs()) define(input, scope);
        json.beginObject().key("in");
        writeValues(json, block.inputs(), scope);
        json.key("nodes").beginArray();
        for (const jit::Node* node : block.nodes()) writeNode(json, *node, scope);
        json.endArray().key("out");
        writeValues(json, block.outputs(), scope);
        json.endObject();
    }

    void writeNode(JsonWriter& json, const jit::Node& node, Scope& scope) {
        const auto* schema = node.maybeSchema();
        std::string kind = node.kind().toQualString();
        if (schema && !schema->overload_name().empty()) kind += "." + schema->overload_name();
        json.beginArray().integer(m_kinds.of(kind));
        writeValues(json, node.inputs(), scope);
        for (const jit::Value* output : node.outputs()) define(output, scope);
        writeValues(json, node.outputs(), scope);
        json.integer(sourceNumber(node));
        if (node.kind() == c10::prim::Constant) {
            if (const auto value =
                    node.output()->type()->cast<c10::FunctionType>() ? std::nullopt : jit::toIValue(node.output()))
                json.integer(m_constants.add(*value));
        } else if (node.hasAttribute(c10::attr::name)) {
            json.string(node.s(c10::attr::name));
        } else if (node.kind() == c10::prim::TupleSlice) {
            json.beginObject()
                .key("from")
                .integer(node.i(c10::attr::beg))
                .key("to")
                .integer(node.i(c10::attr::end))
                .endObject();
        } else if (node.kind() == c10::prim::isinstance) {
            json.beginObject().key("types").beginArray();
            for (const c10::TypePtr& type : node.tys(c10::attr::types)) json.integer(typeNumber(type));
            json.endArray().endObject();
        } else if (node.hasAttributes()) {
            json.boolean(true);
        }
        std::vector<const jit::Block*> blocks(node.blocks().begin(), node.blocks().end());
        if (node.kind() == c10::prim::fork && node.hasAttribute(c10::attr::Subgraph))
            blocks.push_back(node.g(c10::attr::Subgraph)->block()); // what it runs, on its inputs
        if (!blocks.empty()) {
            json.beginArray();
            for (const jit::Block* block : blocks) writeBlock(json, *block, scope);
            json.endArray();
        }
        json.endArray();
    }

    /// Where the statement stood when the file was made: "/home/me/net.py:12".
    std::int64_t sourceNumber(const jit::Node& node) {
        jit::SourceRange range = node.sourceRange();
        if (const auto original = range.findSourceRangeThatGenerated()) range = *original;
        const auto place = range.file_line_col();
        if (!place || std::get<0>(*place).empty() || std::get<1>(*place) == 0) return -1;
        return m_sources.of(std::get<0>(*place) + ":" + std::to_string(std::get<1>(*place)));
    }

    std::int64_t typeNumber(const c10::TypePtr& type) {
        const auto [known, isNew] = m_typeNumbers.emplace(type.get(), m_typeNumbers.size());
        if (!isNew) return static_cast<std::int64_t>(known->second);
        m_held.push_back(type);
        const auto number = static_cast<std::int64_t>(known->second);
        m_types.beginObject().key("text").string(type->str());
        if (const auto object = type->cast<c10::ClassType>()) m_types.key("class").integer(m_classes.of(object.get()));
        if (const auto function = type->cast<c10::FunctionType>())
            m_types.key("function").integer(m_functions.of(function->function()));
        m_types.endObject();
        return number;
    }

    const fx::Progress& m_progress;
    Table m_kinds, m_sources;
    JsonWriter m_types;
    ScriptConstants m_constants;
    std::unordered_map<const c10::Type*, std::size_t> m_typeNumbers;
    std::vector<c10::TypePtr> m_held; ///< types that nothing else may keep, so that no other gets their address
    Queue<c10::ClassType> m_classes;
    Queue<jit::Function> m_functions;
};

} // namespace

fx::script::ProgramText describeScript(const std::string& path, const fx::Progress& progress) {
    progress.report("loading the script", 0);
    std::vector<std::string> missing;
    const auto start = std::chrono::steady_clock::now();
    const jit::Module module = loadScript(path, &missing);
    const std::chrono::duration<double, std::milli> loading = std::chrono::steady_clock::now() - start;
    progress.check();
    try {
        return Describer(progress).describe(module, missing, loading.count());
    } catch (const fx::Error&) { throw; } catch (const std::exception& error) {
        throw fx::Error(fx::ErrorKind::File,
                        fx::Message("worker.cannot_load_script", {{"detail", scriptReason(error)}}))
            .in(path);
    }
}

} // namespace app
