// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/call_form.h"

#include "core/ops/catalogue.h"
#include "core/ops/near_names.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace fx::ops {
namespace {

using Type = SignatureParameter::Type;

// ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────

/// A value that only the run knows, or that Lancet cannot judge.
bool isAnything(const fx::Argument& value) {
    return value.isNode() || value.as<Symbolic>() || value.as<OpaqueObject>() || value.as<EnumMember>() ||
           value.as<CallableValue>();
}
bool isInteger(const fx::Argument& value) { return value.as<std::int64_t>() || value.as<BigInt>(); }
bool isReal(const fx::Argument& value) { return isInteger(value) || value.as<double>() || value.as<bool>(); }
bool isNumber(const fx::Argument& value) { return isReal(value) || value.as<Complex>(); }
bool isConstant(const fx::Argument& value, TorchConstant::Kind kind) {
    const auto* constant = value.as<TorchConstant>();
    return constant && constant->kind == kind;
}

template<class Predicate> bool isListOf(const fx::Argument& value, Predicate fits) {
    const auto* sequence = value.as<Sequence>();
    return sequence && std::all_of(sequence->items.begin(), sequence->items.end(),
                                   [&](const fx::Argument& item) { return isAnything(item) || fits(item); });
}

/// PyTorch's `FunctionParameter::check`, for what it looks at without a tensor's values.
bool accepts(const SignatureParameter& parameter, const fx::Argument& value, const CallForm& form) {
    const bool casts = form.conversion == Conversion::Schema;
    if (form.conversion == Conversion::Untyped || isAnything(value)) return true;
    const auto isIndex = [casts](const fx::Argument& item) { return isInteger(item) || (casts && item.as<bool>()); };
    switch (parameter.type) {
    case Type::Tensor: return (form.numbersAsTensors && isNumber(value)) || (casts && value.isNone());
    case Type::TensorList: return isListOf(value, [](const fx::Argument& item) { return item.isNone(); });
    case Type::Scalar: return isNumber(value);
    case Type::ScalarList: return isListOf(value, isNumber);
    case Type::Int: return isIndex(value);
    case Type::Double: return isReal(value);
    case Type::Bool: return value.as<bool>() || (casts && (isNumber(value) || value.isNone()));
    case Type::IntList:
        if (const auto* list = value.as<Sequence>())
            return list->items.empty() || isAnything(list->items[0]) || isIndex(list->items[0]);
        return value.as<Range>() || (parameter.size > 0 && isIndex(value));
    case Type::DoubleList: return isListOf(value, isReal);
    case Type::String: return value.as<std::string>();
    case Type::Dtype: return isConstant(value, TorchConstant::Kind::Dtype) || (casts && isIndex(value));
    case Type::Layout: return isConstant(value, TorchConstant::Kind::Layout) || (casts && isIndex(value));
    case Type::Device: return value.as<Device>() || value.as<std::string>() || isInteger(value);
    case Type::MemoryFormat: return isConstant(value, TorchConstant::Kind::MemoryFormat) || (casts && isIndex(value));
    case Type::Generator: return false;
    case Type::Other: return true;
    }
    return true;
}

std::string_view typeWords(const SignatureParameter& parameter) {
    switch (parameter.type) {
    case Type::Tensor: return "a tensor";
    case Type::TensorList: return "a list of tensors";
    case Type::Scalar: return "a number";
    case Type::ScalarList: return "a list of numbers";
    case Type::Int: return "an integer";
    case Type::Double: return "a real number";
    case Type::Bool: return "True or False";
    case Type::IntList: return parameter.size > 0 ? "an integer or a list of integers" : "a list of integers";
    case Type::DoubleList: return "a list of real numbers";
    case Type::String: return "a string";
    case Type::Dtype: return "a dtype";
    case Type::Layout: return "a layout";
    case Type::Device: return "a device";
    case Type::MemoryFormat: return "a memory format";
    default: return "another value";
    }
}

std::string_view valueWords(const fx::Argument& value) {
    if (value.isNone()) return "None";
    if (value.as<bool>()) return "a bool";
    if (isInteger(value)) return "an integer";
    if (value.as<double>()) return "a float";
    if (value.as<Complex>()) return "a complex number";
    if (value.as<std::string>()) return "a string";
    if (const auto* sequence = value.as<Sequence>())
        return sequence->kind == Sequence::Kind::List ? "a list" : "a tuple";
    if (value.as<Dict>()) return "a dict";
    if (value.as<Slice>()) return "a slice";
    if (value.as<EllipsisValue>()) return "...";
    return "another value";
}

// ── one form ─────────────────────────────────────────────────────────────────────────────────────────────────────

/// One attempt to call a form.
class Fit {
public:
    Fit(const CallForm& form, const GivenCall& call) : m_form(form), m_call(call) {}

    std::optional<FormMismatch> tried() {
        if (takesIntegers()) return std::nullopt;
        if (listsIntegers() && m_call.args.size() > 1) return wrongInteger();
        std::size_t next = 0; // of the positional arguments
        for (const SignatureParameter& parameter : m_form.parameters) {
            const bool byPosition = next < m_call.args.size() && !parameter.keywordOnly;
            const fx::Argument* named = keyword(parameter);
            if (byPosition && named) return givenTwice(parameter.name);
            const fx::Argument* value = byPosition ? &m_call.args[next] : named;
            next += byPosition;
            m_keywords += named != nullptr;
            if (!value && !parameter.optional) return missing(parameter.name);
            if (!value || (value->isNone() && parameter.nullable) || accepts(parameter, *value, m_form))
                m_fits += value != nullptr;
            else return wrongType(parameter, *value);
        }
        if (next < m_call.args.size() && !m_form.takesMore) return tooMany();
        if (m_keywords < m_call.kwargs.size() && !m_form.takesAnyKeyword) return unknownKeyword();
        return std::nullopt;
    }

private:
    /// `x.view(2, 3)`: integers may stand for the list.
    bool listsIntegers() const {
        return m_form.conversion == Conversion::Parser && m_form.positional == 1 &&
               m_form.parameters[0].type == Type::IntList;
    }
    static bool isIndexLike(const fx::Argument& value) { return isAnything(value) || isInteger(value); }
    bool takesIntegers() const {
        return listsIntegers() && !m_call.args.empty() &&
               std::all_of(m_call.args.begin(), m_call.args.end(), isIndexLike);
    }
    FormMismatch wrongInteger() {
        const auto wrong = std::find_if_not(m_call.args.begin(), m_call.args.end(), isIndexLike);
        m_fits = static_cast<std::size_t>(wrong - m_call.args.begin());
        SignatureParameter element = m_form.parameters[0];
        element.type = Type::Int;
        return wrongType(element, *wrong);
    }
    const fx::Argument* keyword(const SignatureParameter& parameter) const {
        for (const auto& [key, value] : m_call.kwargs)
            if (m_form.conversion == Conversion::Parser ? namesParameter(key, parameter.name) : key == parameter.name)
                return &value;
        return nullptr;
    }
    FormMismatch missing(std::string_view name) const { return wrong("call.missing_argument", name); }
    FormMismatch givenTwice(std::string_view name) const { return wrong("call.given_twice", name); }
    FormMismatch wrong(MessageCode code, std::string_view name) const {
        return {Message(code, {{"function", m_call.function}, {"name", name}, {"form", m_form.text(m_call.function)}}),
                m_fits};
    }
    FormMismatch wrongType(const SignatureParameter& parameter, const fx::Argument& value) const {
        return {Message("call.argument_type", {{"function", m_call.function},
                                               {"name", parameter.name},
                                               {"expected", typeWords(parameter)},
                                               {"got", valueWords(value)},
                                               {"form", m_form.text(m_call.function)}}),
                m_fits};
    }
    FormMismatch tooMany() const {
        return {Message("call.too_many", {{"function", m_call.function},
                                          {"most", m_form.positional},
                                          {"given", m_call.args.size()},
                                          {"form", m_form.text(m_call.function)}}),
                m_fits};
    }
    FormMismatch unknownKeyword() const {
        for (const auto& [key, value] : m_call.kwargs) {
            const auto is = [&name = key](const SignatureParameter& each) { return namesParameter(name, each.name); };
            if (std::any_of(m_form.parameters.begin(), m_form.parameters.end(), is)) continue;
            const std::string_view near = nearestOf(key, m_form.parameters, &SignatureParameter::name);
            return {Message("call.unknown_keyword", {{"function", m_call.function}, {"name", key}, {"near", near}}),
                    m_fits};
        }
        return givenTwice(m_call.kwargs.back().first);
    }

    const CallForm& m_form;
    const GivenCall& m_call;
    std::size_t m_fits = 0, m_keywords = 0;
};

// ── where forms come from ────────────────────────────────────────────────────────────────────────────────────────

/// "Tensor(a!)?", "SymInt[2]" of a schema.
Type typeOf(std::string_view text, int& size) {
    constexpr std::pair<std::string_view, Type> kTypes[] = {
        {"Tensor", Type::Tensor},   {"Scalar", Type::Scalar},
        {"int", Type::Int},         {"SymInt", Type::Int},
        {"float", Type::Double},    {"bool", Type::Bool},
        {"str", Type::String},      {"ScalarType", Type::Dtype},
        {"Layout", Type::Layout},   {"Device", Type::Device},
        {"Generator", Type::Other}, {"Dimname", Type::Other},
        {"Storage", Type::Other},   {"MemoryFormat", Type::MemoryFormat}};
    const std::size_t open = text.find('[');
    const std::string_view base = text.substr(0, text.find_first_of("(?["));
    Type type = Type::Other;
    for (const auto& [name, known] : kTypes)
        if (name == base) type = known;
    if (open == text.npos) return type;
    std::from_chars(text.data() + open + 1, text.data() + text.size(), size);
    switch (type) {
    case Type::Tensor: return Type::TensorList;
    case Type::Scalar: return Type::ScalarList;
    case Type::Int: return Type::IntList;
    case Type::Double: return Type::DoubleList;
    default: return Type::Other;
    }
}

CallForm formOf(const Operator& op) {
    CallForm form;
    form.conversion = Conversion::Schema;
    form.numbersAsTensors = takesNumbersAsTensors(op.name());
    form.takesMore = form.takesAnyKeyword = op.isVariadic();
    for (const Argument argument : op.arguments()) {
        SignatureParameter parameter;
        parameter.name = argument.name();
        parameter.type = typeOf(argument.type(), parameter.size);
        parameter.nullable = argument.type().ends_with('?') || argument.defaultValue() == "None";
        parameter.optional = argument.hasDefault();
        parameter.defaultValue = argument.defaultValue();
        parameter.keywordOnly = argument.isKeywordOnly();
        form.positional += !parameter.keywordOnly;
        form.parameters.push_back(parameter);
    }
    return form;
}

CallForm formOf(PythonSignature signature) {
    CallForm form;
    form.op = signature.op;
    form.deprecated = !signature.operatorArguments.empty();
    form.numbersAsTensors = takesNumbersAsTensors(signature.op);
    form.parameters = std::move(signature.parameters);
    form.positional = signature.positional;
    return form;
}

CallForm formOf(const std::vector<Parameter>& parameters) {
    CallForm form;
    form.conversion = Conversion::Untyped;
    for (const Parameter& each : parameters) {
        using Kind = Parameter::Kind;
        form.takesMore = form.takesMore || each.kind == Kind::VarPositional;
        form.takesAnyKeyword = form.takesAnyKeyword || each.kind == Kind::VarKeyword;
        if (each.kind == Kind::VarPositional || each.kind == Kind::VarKeyword) continue;
        SignatureParameter parameter;
        parameter.name = each.name;
        parameter.optional = !each.defaultValue.empty();
        parameter.defaultValue = each.defaultValue;
        parameter.keywordOnly = each.kind == Kind::KeywordOnly;
        form.positional += !parameter.keywordOnly;
        form.parameters.push_back(parameter);
    }
    return form;
}

std::vector<CallForm> readForms(std::string_view name) {
    std::vector<CallForm> forms;
    if (name.starts_with("torch.ops.")) {
        const bool isOverload = std::count(name.begin(), name.end(), '.') > 3;
        if (const auto op = isOverload ? findOperator(name) : std::nullopt) forms.push_back(formOf(*op));
        else if (!isOverload)
            for (const Operator& each : overloads(name)) forms.push_back(formOf(each));
        return forms;
    }
    // A function in Python may stand before a C function of the same name (torch.Tensor.norm).
    const auto function = findFunction(name);
    const bool isPython = function && function->kind() == PythonFunction::Kind::Function;
    const auto parameters = isPython ? function->parameters() : std::vector<Parameter>();
    if (!parameters.empty()) forms.push_back(formOf(parameters));
    else if (!isPython)
        for (PythonSignature& signature : pythonSignatures(name)) forms.push_back(formOf(std::move(signature)));
    return forms;
}

} // namespace

std::string CallForm::text(std::string_view function) const {
    std::string out;
    bool named = false;
    const auto add = [&out](std::string_view part) { out += (out.empty() ? "" : ", ") + std::string(part); };
    for (const SignatureParameter& parameter : parameters) {
        if (parameter.keywordOnly && !std::exchange(named, true)) add(takesMore ? "*args" : "*");
        add(parameter.name);
        if (parameter.optional) out += "=" + std::string(parameter.defaultValue);
    }
    if (takesMore && !named) add("*args");
    if (takesAnyKeyword) add("**kwargs");
    return std::string(function) + "(" + out + ")";
}

std::optional<FormMismatch> mismatch(const CallForm& form, const GivenCall& call) { return Fit(form, call).tried(); }

bool namesParameter(std::string_view keyword, std::string_view parameter) {
    static constexpr std::pair<std::string_view, std::string_view> kOfNumpy[] = {
        {"axis", "dim"}, {"keepdims", "keepdim"}, {"x2", "other"}, {"x", "input"}, {"a", "input"}, {"x1", "input"}};
    return keyword == parameter ||
           std::find(std::begin(kOfNumpy), std::end(kOfNumpy), std::pair(keyword, parameter)) != std::end(kOfNumpy);
}

bool takesAsMany(const CallForm& form, const GivenCall& call) {
    const auto isRequired = [](const SignatureParameter& parameter) { return !parameter.optional; };
    const std::size_t given = call.args.size() + call.kwargs.size();
    const auto least = std::count_if(form.parameters.begin(), form.parameters.end(), isRequired);
    const bool listsIntegers = form.positional == 1 && form.parameters[0].type == Type::IntList;
    return given >= static_cast<std::size_t>(least) &&
           (given <= form.parameters.size() || form.takesMore || form.takesAnyKeyword || listsIntegers);
}

CallForm forwardForm(const NnModule& module) { return formOf(module.forwardParameters()); }

const std::vector<CallForm>& callForms(const std::string& qualifiedName) {
    thread_local std::unordered_map<std::string, std::vector<CallForm>> known;
    const auto found = known.find(qualifiedName);
    return found != known.end() ? found->second : known.emplace(qualifiedName, readForms(qualifiedName)).first->second;
}

bool takesNumbersAsTensors(std::string_view op) {
    static constexpr std::string_view kNames[] = {"add",      "div",         "divide",       "mul", "multiply", "sub",
                                                  "subtract", "true_divide", "floor_divide", "to",  "_to_copy", "copy"};
    std::string_view base = op.substr(op.find("::") + 2);
    base = base.substr(0, base.find('.'));
    if (base.ends_with("_")) base.remove_suffix(1);
    return std::find(std::begin(kNames), std::end(kNames), base) != std::end(kNames);
}

} // namespace fx::ops
