// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/argument_parser.h"

#include "core/ops/call_form.h"
#include "core/tensor/promotion.h"
#include "core/trace/constants/size_errors.h"
#include "core/trace/function_calls.h"

#include <algorithm>
#include <map>

namespace fx::trace {
namespace {

using ops::CallForm;
using ops::SignatureParameter;
using ParameterType = SignatureParameter::Type;

template<class T> const T* scalar(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument ? argument->as<T>() : nullptr;
}
bool isConstantOf(const Value& value, TorchConstant::Kind kind) {
    const auto* constant = scalar<TorchConstant>(value);
    return constant && constant->kind == kind;
}

/// The `tp_name` of the type of a value; empty for kinds of values that Lancet does not judge.
std::string_view typeOfGiven(const Value& value) {
    if (value.asLazy()) return "Attribute";
    if (value.isProxy()) return "Proxy";
    if (const auto* tensor = value.as<TensorValue>()) return tensor->object().isParameter ? "Parameter" : "Tensor";
    if (const auto* sequence = value.as<ValueSequence>())
        return sequence->isSize ? "torch.Size" : sequence->list ? "list" : "tuple";
    if (value.as<ValueDict>()) return "dict";
    if (value.as<ValueSlice>()) return "slice";
    if (value.isNone()) return "NoneType";
    if (scalar<bool>(value)) return "bool";
    if (scalar<std::int64_t>(value) || scalar<BigInt>(value)) return "int";
    if (scalar<double>(value)) return "float";
    if (scalar<Complex>(value)) return "complex";
    if (scalar<std::string>(value)) return "str";
    if (scalar<EllipsisValue>(value)) return "ellipsis";
    if (scalar<Device>(value)) return "torch.device";
    if (isConstantOf(value, TorchConstant::Kind::Dtype)) return "torch.dtype";
    if (isConstantOf(value, TorchConstant::Kind::Layout)) return "torch.layout";
    if (isConstantOf(value, TorchConstant::Kind::MemoryFormat)) return "torch.memory_format";
    return {};
}

bool isWhole(const Value& value) { return scalar<std::int64_t>(value) || scalar<BigInt>(value); }
bool isRealNumber(const Value& value) { return isWhole(value) || scalar<double>(value) || scalar<bool>(value); }
bool isAnyNumber(const Value& value) { return isRealNumber(value) || scalar<Complex>(value); }

/// A tensor without dimensions, as far as the sizes are known, which may stand for a number.
bool isNumberTensor(const Value& value) {
    const auto* tensor = value.as<TensorValue>();
    return tensor && !(tensor->shapeKnown && !tensor->tensor->sizes.empty()) && !tensor->object().requiresGrad;
}
/// A tensor with one whole number, as far as the sizes are known, which has `__index__`.
bool isIndexTensor(const Value& value) {
    const auto* tensor = value.as<TensorValue>();
    return tensor && !(tensor->shapeKnown && tensor->tensor->elementCount() != 1) &&
           dtypeKind(tensor->tensor->dtype) == DTypeKind::Integer;
}
bool isIndexValue(const Value& value) { return isWhole(value) || isIndexTensor(value); }

/// `FunctionParameter::check` for values that are no proxies.
bool takes(const SignatureParameter& parameter, const Value& value, const CallForm& form);

std::size_t requiredCount(const CallForm& form) {
    return static_cast<std::size_t>(
        std::count_if(form.parameters.begin(), form.parameters.end(), [](const auto& each) { return !each.optional; }));
}

/// The parse of one signature.
class SignatureParse {
public:
    SignatureParse(const CallForm& form, std::string_view name, std::span<const Value> args,
                   const KeywordValues& kwargs)
        : m_form(form), m_name(name), m_args(args), m_kwargs(kwargs),
          m_listsIntegers(form.positional == 1 && form.parameters[0].type == ParameterType::IntList) {}

    /// Returns true if the arguments fit. With `raises`, throws why they do not.
    bool fits(bool raises) const;
    /// Raises TypeError for lists of integers with something else behind the first item. PyTorch has chosen the
    /// signature when it reads them.
    void requireIntegers() const;

private:
    /// Only what is raised is put into words: most functions have several signatures.
    template<class Why> bool fail(bool raises, const Why& why) const {
        if (raises) raiseAs("TypeError", std::string(m_name) + "()" + why());
        return false;
    }
    const Value* given(const SignatureParameter& parameter) const {
        for (const auto& [key, value] : m_kwargs)
            if (ops::namesParameter(key, parameter.name)) return &value;
        return nullptr;
    }
    std::string tooMany() const;
    std::string missing(std::size_t first) const;
    std::string wrongType(const SignatureParameter& parameter, const Value& value, std::size_t place,
                          bool isNamed) const;
    std::string unknownKeyword() const;

    const CallForm& m_form;
    std::string_view m_name;
    std::span<const Value> m_args;
    const KeywordValues& m_kwargs;
    bool m_listsIntegers; ///< permute(1, 2, 3)
};

/// Kinds of values that Lancet does not judge.
bool isUnjudged(const Value& value) { return typeOfGiven(value).empty(); }

/// The first item decides.
bool takesItems(std::span<const Value> items) {
    return items.empty() || items[0].isProxy() || isIndexValue(items[0]) || isUnjudged(items[0]);
}

/// A list of tensors; PyTorch raises at once for a list with something else.
bool takesTensors(const Value& value) {
    const auto* sequence = value.as<ValueSequence>();
    if (!sequence) return false;
    for (std::size_t i = 0; i < sequence->items.size(); ++i) {
        const Value& item = sequence->items[i];
        if (!item.as<TensorValue>() && !item.isProxy() && !item.isNone() && !isUnjudged(item))
            raiseAs("TypeError", "expected Tensor as element " + std::to_string(i) + " in argument 0, but got " +
                                     std::string(typeOfGiven(item)));
    }
    return true;
}

bool takes(const SignatureParameter& parameter, const Value& value, const CallForm& form) {
    if (value.isProxy() || isUnjudged(value)) return true;
    const auto* sequence = value.as<ValueSequence>();
    switch (parameter.type) {
    case ParameterType::Tensor: return value.as<TensorValue>() || (form.numbersAsTensors && isAnyNumber(value));
    case ParameterType::TensorList: return takesTensors(value);
    case ParameterType::Scalar: return isAnyNumber(value) || isNumberTensor(value);
    case ParameterType::ScalarList:
        return sequence && std::all_of(sequence->items.begin(), sequence->items.end(),
                                       [](const Value& item) { return isAnyNumber(item) || isUnjudged(item); });
    case ParameterType::Int:
        return parameter.symbolic ? isIndexValue(value)
                                  : isWhole(value) || (isNumberTensor(value) && isIndexTensor(value));
    case ParameterType::Double: return isRealNumber(value) || isNumberTensor(value);
    case ParameterType::Bool: return scalar<bool>(value);
    case ParameterType::IntList:
        return sequence ? takesItems(sequence->items) : parameter.size > 0 && isIndexValue(value);
    case ParameterType::DoubleList:
        return sequence &&
               (sequence->items.empty() || isAnyNumber(sequence->items[0]) || isUnjudged(sequence->items[0]));
    case ParameterType::String: return scalar<std::string>(value);
    case ParameterType::Dtype: return isConstantOf(value, TorchConstant::Kind::Dtype);
    case ParameterType::Layout: return isConstantOf(value, TorchConstant::Kind::Layout);
    case ParameterType::Device: return scalar<Device>(value) || scalar<std::string>(value) || isWhole(value);
    case ParameterType::MemoryFormat: return isConstantOf(value, TorchConstant::Kind::MemoryFormat);
    case ParameterType::Generator: return false; // objects of the program are not judged
    case ParameterType::Other: return true;
    }
    return true;
}

std::string_view typeNameOf(const SignatureParameter& parameter) {
    switch (parameter.type) {
    case ParameterType::Tensor: return "Tensor";
    case ParameterType::TensorList: return "tuple of Tensors";
    case ParameterType::Scalar: return "Number";
    case ParameterType::ScalarList: return "tuple of Scalars";
    case ParameterType::Int: return "int";
    case ParameterType::Double: return "float";
    case ParameterType::Bool: return "bool";
    case ParameterType::IntList: return "tuple of ints";
    case ParameterType::DoubleList: return "tuple of floats";
    case ParameterType::String: return "str";
    case ParameterType::Dtype: return "torch.dtype";
    case ParameterType::Layout: return "torch.layout";
    case ParameterType::Device: return "torch.device";
    case ParameterType::MemoryFormat: return "torch.memory_format";
    case ParameterType::Generator: return "torch.Generator";
    case ParameterType::Other: break;
    }
    return "object";
}

bool SignatureParse::fits(bool raises) const {
    const auto tooManyGiven = [&] { return tooMany(); };
    if (m_args.size() > m_form.positional && !(m_listsIntegers && takesItems(m_args)))
        return fail(raises, tooManyGiven);
    std::size_t next = 0, keywords = 0;
    for (std::size_t i = 0; i < m_form.parameters.size(); ++i) {
        const SignatureParameter& parameter = m_form.parameters[i];
        const bool isPositional = next < m_args.size();
        if (isPositional && parameter.keywordOnly) return fail(raises, tooManyGiven);
        const Value* value = isPositional ? &m_args[next] : m_kwargs.empty() ? nullptr : given(parameter);
        if (!value && !parameter.optional) return fail(raises, [&] { return missing(i); });
        if (value && !(value->isNone() && parameter.nullable) && !takes(parameter, *value, m_form)) {
            if (!m_listsIntegers || !isPositional || next != 0 || !takesItems(m_args))
                return fail(raises, [&] { return wrongType(parameter, *value, next, !isPositional); });
            next = m_args.size(); // permute(1, 2, 3)
            continue;
        }
        if (isPositional) ++next;
        else keywords += value != nullptr;
    }
    return keywords == m_kwargs.size() || fail(raises, [&] { return unknownKeyword(); });
}

void SignatureParse::requireIntegers() const {
    const bool isSpread = m_listsIntegers && m_args.size() > 1;
    for (std::size_t i = 0; i < m_form.parameters.size(); ++i) {
        const SignatureParameter& parameter = m_form.parameters[i];
        if (parameter.type != ParameterType::IntList) continue;
        const Value* value = i < m_args.size() ? &m_args[i] : m_kwargs.empty() ? nullptr : given(parameter);
        const auto* sequence = value ? value->as<ValueSequence>() : nullptr;
        const std::span<const Value> items = isSpread   ? m_args
                                             : sequence ? std::span<const Value>(sequence->items)
                                                        : std::span<const Value>();
        for (std::size_t at = 1; at < items.size(); ++at)
            if (!items[at].isProxy() && !isIndexValue(items[at]) && !scalar<bool>(items[at]) && !isUnjudged(items[at]))
                raiseAs("TypeError", std::string(m_name) + "(): argument '" + std::string(parameter.name) +
                                         "' failed to unpack the object at pos " + std::to_string(at + 1) +
                                         " with error \"type must be tuple of ints,but got " +
                                         std::string(typeOfGiven(items[at])) + "\"");
    }
}

std::string SignatureParse::tooMany() const {
    const std::string text = tooManyArguments("", requiredCount(m_form), m_form.positional, m_args.size());
    return text.substr(text.find(' '));
}

std::string SignatureParse::missing(std::size_t first) const {
    std::string names;
    std::size_t count = 0;
    for (std::size_t i = first; i < m_form.parameters.size(); ++i) {
        if (m_form.parameters[i].optional) continue;
        names += (count++ ? ", \"" : "\"") + std::string(m_form.parameters[i].name) + "\"";
    }
    return " missing " + std::to_string(count) + " required positional argument" + (count == 1 ? "s" : "") + ": " +
           names; // as PyTorch writes it
}

std::string SignatureParse::wrongType(const SignatureParameter& parameter, const Value& value, std::size_t place,
                                      bool isNamed) const {
    const auto* sequence = value.as<ValueSequence>();
    const bool isItem = !isNamed && parameter.type == ParameterType::IntList && sequence && !sequence->items.empty();
    return ": argument '" + std::string(parameter.name) + "'" +
           (isNamed ? "" : " (position " + std::to_string(place + 1) + ")") + " must be " +
           std::string(typeNameOf(parameter)) + ", " +
           (isItem ? "but found element of type " + std::string(typeOfGiven(sequence->items[0])) + " at pos 0"
                   : "not " + std::string(typeOfGiven(value)));
}

std::string SignatureParse::unknownKeyword() const {
    for (const auto& [key, value] : m_kwargs) {
        const auto found = std::find_if(m_form.parameters.begin(), m_form.parameters.end(),
                                        [&name = key](const auto& each) { return each.name == name; });
        if (found == m_form.parameters.end()) return " got an unexpected keyword argument '" + key + "'";
        if (static_cast<std::size_t>(found - m_form.parameters.begin()) < m_args.size())
            return " got multiple values for argument '" + key + "'";
    }
    return ": invalid keyword arguments";
}

/// " * (Tensor input, *, Number alpha = 1)"
std::string signatureText(const CallForm& form) {
    std::string out;
    bool isNamed = false;
    const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
    for (const SignatureParameter& each : form.parameters) {
        if (each.keywordOnly && !std::exchange(isNamed, true)) add("*");
        add(std::string(typeNameOf(each)) + " " + std::string(each.name) +
            (each.optional ? " = " + std::string(each.defaultValue) : ""));
    }
    return "(" + out + ")";
}

/// `print_error` of the parser, for arguments that no signature takes.
[[noreturn]] void refuseAll(const std::vector<CallForm>& forms, const std::string& name, std::span<const Value> args,
                            const KeywordValues& kwargs) {
    std::vector<const CallForm*> plausible, listed;
    for (const CallForm& form : forms) {
        const std::size_t count = args.size() + kwargs.size();
        if (form.deprecated) continue;
        listed.push_back(&form);
        if (count >= requiredCount(form) && count <= form.parameters.size()) plausible.push_back(&form);
    }
    if (plausible.size() == 1) (void)SignatureParse(*plausible[0], name, args, kwargs).fits(true);
    std::string got;
    const auto add = [&got](std::string_view part) { got += (got.empty() ? "" : ", ") + std::string(part); };
    for (const Value& arg : args) add(typeOfGiven(arg));
    for (const auto& [key, value] : kwargs) add(key + "=" + std::string(typeOfGiven(value)));
    std::string expected = listed.size() == 1 ? signatureText(*listed[0]) : "one of:";
    if (listed.size() > 1)
        for (const CallForm* form : listed) expected += "\n * " + signatureText(*form);
    raiseAs("TypeError",
            name + "() received an invalid combination of arguments - got (" + got + "), but expected " + expected);
}

/// Functions whose bindings PyTorch writes by hand (tools/autograd/templates/python_torch_functions.cpp), and which the
/// table of signatures therefore lacks.
const std::vector<CallForm>& formsOf(const std::string& qualifiedName) {
    static const auto kByHand = [] {
        const auto ofTensor = [](std::string_view op) {
            CallForm form;
            form.op = op;
            form.positional = 1;
            form.parameters.resize(1);
            form.parameters[0].name = "input";
            form.parameters[0].type = ParameterType::Tensor;
            return form;
        };
        const auto named = [](std::string_view name, ParameterType type, std::string_view value) {
            SignatureParameter out;
            out.name = name;
            out.type = type;
            out.defaultValue = value;
            out.nullable = value == "None";
            out.optional = out.keywordOnly = true;
            return out;
        };
        CallForm nonzero = ofTensor("aten::nonzero");
        nonzero.parameters.push_back(named("as_tuple", ParameterType::Bool, "False"));
        nonzero.parameters.push_back(named("out", ParameterType::Tensor, "None"));
        return std::map<std::string_view, std::vector<CallForm>>{{"torch.nonzero", {nonzero}},
                                                                 {"torch.numel", {ofTensor("aten::numel")}},
                                                                 {"torch.get_device", {ofTensor("aten::get_device")}}};
    }();
    const auto found = kByHand.find(qualifiedName);
    return found != kByHand.end() ? found->second : ops::callForms(qualifiedName);
}

} // namespace

void requireParsed(const std::string& qualifiedName, std::span<const Value> args, const KeywordValues& kwargs) {
    const std::vector<CallForm>& forms = formsOf(qualifiedName);
    if (forms.empty() || forms[0].conversion != ops::Conversion::Parser) return;
    std::string_view name = forms[0].op.substr(forms[0].op.find("::") + 2);
    name = name.substr(0, name.find('.'));
    for (const CallForm& form : forms)
        if (const SignatureParse parse(form, name, args, kwargs); parse.fits(forms.size() == 1))
            return parse.requireIntegers();
    refuseAll(forms, std::string(name), args, kwargs);
}

} // namespace fx::trace
