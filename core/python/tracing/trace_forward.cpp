// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_forward.h"

#include "core/pysrc/unparse.h"
#include "core/python/torch/pytrees.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
namespace {

using Kind = py::Parameter::Kind;

std::string inputName(const py::Parameter& parameter) {
    const char* stars = parameter.kind == Kind::VarArgs ? "*" : parameter.kind == Kind::VarKeywords ? "**" : "";
    return stars + std::string(parameter.name);
}

/// Whether torch.fx can compare an input with the value that it was given.
bool isComparable(const Value& value) {
    if (value.isNumber() || value.as<Str>()) return true;
    const auto* traced = value.as<Traced>();
    if (!traced) return false;
    const auto* argument = traced->value.as<Argument>();
    const auto* function = traced->value.as<trace::FunctionValue>();
    return (argument && (argument->as<TorchConstant>() || argument->as<Device>() || argument->as<Complex>())) ||
           (function && function->callable->kind == Callable::Kind::OpOverload);
}

class ForwardTrace {
public:
    ForwardTrace(Interpreter& in, const Value& program, const Value& concrete, PytreeForm& form)
        : m_in(in), m_tracer(in.tracer()), m_form(form) {
        auto* instance = program.as<Instance>();
        if (instance) m_self = program;
        const Value* member = instance ? instance->type->find("forward") : nullptr;
        const bool isGenerated = member && member->as<Property>(); // of a GraphModule
        const Value forward = isGenerated ? in.attribute(program, "forward") : member ? *member : program;
        m_function = forward.as<Method>() ? forward.get<Method>().function.as<Function>() : forward.as<Function>();
        if (!m_function)
            throw trace::PythonError("NotImplementedError: Module [" + (instance ? instance->type->name : "") +
                                     "] is missing the required \"forward\" function");
        m_shown = m_function;
        while (m_shown->shown) m_shown = m_shown->shown;
        fix(concrete);
    }

    void run() {
        m_in.stack().standAt(m_shown->file, headOffset());
        const bool isFlat = isFlatTuple();
        const Keywords bindings = isFlat ? Keywords() : inputs();
        const TypePtr type = m_form.isNested ? nullptr : resultType();
        const Value out = isFlat ? m_in.call(m_function, flatInputs()) : called(bindings);
        m_in.iteration().checkGenerators();
        m_in.stack().standAt(m_in.stack().leftAt.file, m_in.stack().leftAt.offset);
        if (out.as<Iterator>() && out.get<Iterator>().run)
            throw trace::PythonError("NotImplementedError: argument of type: <class 'generator'>");
        m_tracer.output(m_in.toTrace(m_form.isNested ? leavesOf(out) : out), type);
        m_in.stack().takeNotes();
        if (m_form.isNested) checkNames();
    }

private:
    /// torch.fx writes the inputs as targets of an assignment, which no default can stand in; where one is annotated,
    /// the default goes to the annotation.
    void checkNames() const {
        for (const Node& node : m_tracer.graph().nodes())
            if (node.op() == Op::Placeholder && !node.type() && (!node.args().empty() || node.target()[0] == '*'))
                throw trace::PythonError(Message("trace.pytree_default", {{"name", node.target()}}));
    }

    /// The fixed inputs by name; a tuple has them by position.
    void fix(const Value& concrete) {
        if (!concrete.isSet() || concrete.isNone()) return;
        if (const auto* byName = concrete.as<Dict>()) {
            byName->forEach([&](const Value& name, const Value& value) {
                m_concrete.emplace_back(name.as<Str>() ? name.get<Str>().text : m_in.str(name), value);
            });
            return;
        }
        const auto* byPlace = concrete.as<Tuple>();
        if (!byPlace) m_in.raise("TypeError", "concrete_args is neither a dict nor a tuple: " + m_in.repr(concrete));
        m_flat = byPlace->items;
        if (isFlatTuple()) return;
        const std::vector<std::string_view> names = namesOf();
        const std::size_t self = m_self.isSet() ? 1 : 0, wanted = names.size() - self;
        if (wanted != m_flat.size())
            m_in.raise("RuntimeError", "Tracing expected " + std::to_string(wanted) + " arguments but got " +
                                           std::to_string(m_flat.size()) + " concrete arguments");
        for (std::size_t i = 0; i < wanted; ++i) m_concrete.emplace_back(names[i + self], m_flat[i]);
    }

    /// The parameters that have names in a call: `*args` and `**kwargs` have none.
    std::vector<std::string_view> namesOf() const {
        std::vector<std::string_view> names;
        for (const Kind kind : {Kind::Normal, Kind::KeywordOnly})
            for (const auto& parameter : m_shown->parameters)
                if (parameter.kind == kind) names.push_back(parameter.name);
        return names;
    }

    /// `concrete_args` as a tuple is the inputs of a function that only has `*args`.
    bool isFlatTuple() const {
        const auto takesAny = [](const auto& each) {
            return each.kind == Kind::VarArgs || each.kind == Kind::VarKeywords;
        };
        const auto parameters = m_shown->parameters;
        return !m_flat.empty() && std::any_of(parameters.begin(), parameters.end(), takesAny) && namesOf().size() == 1;
    }

    Values flatInputs() {
        Values args;
        if (m_self.isSet()) args.push_back(m_self);
        for (std::size_t i = 0; i < m_flat.size(); ++i)
            args.push_back(m_in.fromTrace(m_tracer.placeholder("input_" + std::to_string(i), std::nullopt, nullptr)));
        return args;
    }

    Value called(const Keywords& bindings) {
        if (m_shown == m_function) return m_in.calls().callBound(*m_function, bindings);
        if (isPatched()) return m_in.calls().callBound(*m_function, patched(bindings));
        Values args;
        for (const auto& [name, value] : bindings) args.push_back(value);
        return m_in.call(m_function, std::move(args));
    }

    /// The result as a list of its leaves, which the code nests again.
    Value leavesOf(const Value& result) {
        List* leaves = m_in.listOf({});
        mapTree(
            m_in, result,
            [&](const Value& leaf) {
                leaves->items.push_back(leaf);
                return leaf;
            },
            m_form.outSpec);
        m_form.unflattens = true;
        return leaves;
    }

    std::size_t headOffset() const {
        return m_shown->lambda ? m_shown->lambda->offset : (*m_shown->file->tree)[m_shown->head].offset;
    }

    /// Whether torch.fx rewrites the code object: `forward` has `*args` or keywords alone.
    bool isPatched() const {
        const auto parameters = m_shown->parameters;
        return std::any_of(parameters.begin(), parameters.end(),
                           [](const auto& each) { return each.kind != Kind::Normal; });
    }

    /// torch.fx `_patch_function` makes the first names of a wrapper's code object its positional parameters, as many
    /// as what it wraps has inputs: `*args` gets one input, locals get others. With too few names Python refuses.
    Keywords patched(const Keywords& inputs) const {
        std::vector<std::string_view> names;
        for (const Kind kind : {Kind::Normal, Kind::KeywordOnly, Kind::VarArgs, Kind::VarKeywords})
            for (const auto& parameter : m_function->parameters)
                if (parameter.kind == kind) names.push_back(parameter.name);
        const auto add = [&](const py::Expr& target) {
            if (target.kind == py::ExprKind::Name && std::find(names.begin(), names.end(), target.text) == names.end())
                names.push_back(target.text);
        };
        const py::SourceTree& tree = *m_function->file->tree;
        const std::size_t end = m_function->lambda ? 0 : m_function->file->ends[m_function->head];
        for (std::size_t at = m_function->head + 1; at < end; ++at)
            for (const auto* target : tree[at].targets) {
                if (!target) continue;
                add(*target);
                for (const auto* part : target->items)
                    if (part && target->kind == py::ExprKind::Tuple) add(*part);
            }
        if (names.size() < inputs.size()) throw trace::PythonError("ValueError: code: co_varnames is too small");
        Keywords out;
        for (std::size_t i = 0; i < inputs.size(); ++i) out.emplace_back(names[i], inputs[i].second);
        return out;
    }

    /// torch.fx `create_args_for_root`.
    Keywords inputs() {
        const auto parameters = m_shown->parameters;
        const bool hasSelf = m_self.isSet();
        if (hasSelf && parameters.empty())
            throw trace::PythonError("RuntimeError: ``self`` argument cannot be part of *args expansion!");
        Keywords bindings;
        std::vector<Argument> specs;
        const auto bind = [&](std::string_view name, const Value& value) {
            bindings.emplace_back(name, mapTree(
                                            m_in, value, [](const Value& leaf) { return leaf; }, specs.emplace_back()));
        };
        if (hasSelf) bind(parameters[0].name, m_self);
        for (const Kind kind : {Kind::Normal, Kind::KeywordOnly, Kind::VarArgs, Kind::VarKeywords})
            for (std::size_t i = hasSelf ? 1 : 0; i < parameters.size(); ++i)
                if (parameters[i].kind == kind) bind(parameters[i].name, input(parameters[i], m_shown->defaults[i]));
        if (!std::all_of(specs.begin(), specs.end(), isLeafSpec)) describeNested(std::move(specs));
        return bindings;
    }

    void describeNested(std::vector<Argument> specs) {
        m_form.isNested = true;
        m_form.inSpec = tupleSpec(std::move(specs));
        for (const std::string_view name : namesOf()) m_form.parameters.emplace_back(name);
        m_form.bindsSelf = !m_form.parameters.empty() && m_form.parameters[0] == "self";
        if (m_form.bindsSelf) m_form.parameters.erase(m_form.parameters.begin());
        for (const Node& node : m_tracer.graph().nodes())
            if (node.op() == Op::Placeholder) m_form.inputs.push_back(node.target());
    }

    Value input(const py::Parameter& parameter, const Value& otherwise) {
        const std::string target = inputName(parameter);
        std::optional<trace::Value> value;
        if (otherwise.isSet()) value = m_in.toTrace(otherwise);
        const auto concrete =
            std::find_if(m_concrete.begin(), m_concrete.end(), [&](const auto& each) { return each.first == target; });
        if (concrete != m_concrete.end()) return fixedInput(target, value, concrete->second);
        const bool starred = target.starts_with('*');
        TypePtr type = parameter.annotation && !starred ? typeOf(*parameter.annotation) : nullptr;
        return m_in.fromTrace(m_tracer.placeholder(target, value, std::move(type)));
    }

    /// An input for each leaf of the given value: `PH` stays open, others are checked when the graph runs.
    Value fixedInput(const std::string& name, const std::optional<trace::Value>& otherwise, const Value& given) {
        const Class* open = m_in.resolve("torch.fx._symbolic_trace.PHBase").as<Class>();
        int count = 0;
        Argument spec;
        return mapTree(
            m_in, given,
            [&](const Value& leaf) {
                const std::string target = name + "_" + std::to_string(++count);
                const trace::Value out = m_tracer.placeholder(target, otherwise, nullptr);
                const auto* instance = leaf.as<Instance>();
                if (instance && instance->type->derivesFrom(open)) return m_in.fromTrace(out);
                check(name, out, leaf);
                return leaf;
            },
            spec);
    }

    void check(const std::string& name, const trace::Value& input, const Value& fixed) {
        const std::string text =
            name + " has been specialized to have value " + m_in.str(fixed) + " but got another value";
        if (fixed.isNone()) {
            m_tracer.recordFunction(resolveCallable("torch.fx._symbolic_trace._assert_is_none"),
                                    {input, {Argument(text)}}, {});
        } else if (isComparable(fixed)) {
            const trace::Value same = m_tracer.binary("eq", input, m_in.toTrace(fixed));
            m_tracer.recordFunction(resolveCallable("torch._assert"), {same, {Argument(text)}}, {});
        } else {
            m_in.warnings.push_back({Message("trace.no_assertion", {{"name", name}}), {}, {}, {}});
        }
    }

    /// The annotation of the result; torch.fx loses it where it patches the code object for `*args`.
    TypePtr resultType() {
        if (m_shown->lambda || (isPatched() && !isFlatTuple())) return nullptr;
        const auto* annotation = (*m_shown->file->tree)[m_shown->head].annotation;
        return annotation ? typeOf(*annotation) : nullptr;
    }

    TypePtr typeOf(const py::Expr& annotation) {
        if (m_shown->file->hasTextAnnotations)
            return m_in.bridge().textAnnotation(py::unparsed(annotation, m_shown->file->text));
        TypePtr type = m_in.bridge().annotationType(annotation, *m_shown->closure);
        if (type) requireWritable(*type);
        return type;
    }

    /// torch.fx cannot write some types of `typing` as code.
    static void requireWritable(const TypeExpr& type) {
        const bool isOfTyping = type.module == "typing" && !type.args.empty();
        if (isOfTyping && type.name == "Annotated")
            throw trace::PythonError("TypeError: type '" + (type.args[0] ? type.args[0]->name : "NoneType") +
                                     "' is not subscriptable");
        if (isOfTyping && type.name == "Callable" && type.args[0] && type.args[0]->name.starts_with('['))
            throw trace::PythonError("TypeError: unhashable type: 'list'");
        const trace::Deeper deeper;
        for (const TypePtr& arg : type.args)
            if (arg) requireWritable(*arg);
    }

    Interpreter& m_in;
    trace::Tracer& m_tracer;
    PytreeForm& m_form;
    Keywords m_concrete;
    Values m_flat; ///< `concrete_args` as a tuple
    Value m_self;
    Function *m_function = nullptr, *m_shown = nullptr;
};

} // namespace

void traceForward(Interpreter& in, const Value& program, const Value& concrete, PytreeForm& form) {
    ForwardTrace(in, program, concrete, form).run();
}

} // namespace fx::python
