// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_signatures.h"

#include "core/ops/parameter_list.h"
#include "core/ops/table.h"

#include <array>
#include <charconv>
#include <utility>

namespace fx::ops {
namespace {

#include "core/ops/python_signatures.inc"

enum Column : std::size_t { Name, Signatures, kColumns };

constexpr Table kTable(kPythonSignatureText, kPythonSignatureCells, kColumns, kPythonSignatureKeys);

using Type = SignatureParameter::Type;
constexpr std::array kTypes = {
    std::pair{std::string_view("Tensor"), Type::Tensor},
    std::pair{std::string_view("TensorList"), Type::TensorList},
    std::pair{std::string_view("c10::List<::std::optional<Tensor>>"), Type::TensorList},
    std::pair{std::string_view("Scalar"), Type::Scalar},
    std::pair{std::string_view("ScalarList"), Type::ScalarList},
    std::pair{std::string_view("int64_t"), Type::Int},
    std::pair{std::string_view("SymInt"), Type::Int},
    std::pair{std::string_view("DeviceIndex"), Type::Int},
    std::pair{std::string_view("double"), Type::Double},
    std::pair{std::string_view("bool"), Type::Bool},
    std::pair{std::string_view("IntArrayRef"), Type::IntList},
    std::pair{std::string_view("SymIntArrayRef"), Type::IntList},
    std::pair{std::string_view("ArrayRef<double>"), Type::DoubleList},
    std::pair{std::string_view("c10::string_view"), Type::String},
    std::pair{std::string_view("std::string_view"), Type::String},
    std::pair{std::string_view("ScalarType"), Type::Dtype},
    std::pair{std::string_view("Layout"), Type::Layout},
    std::pair{std::string_view("Device"), Type::Device},
    std::pair{std::string_view("MemoryFormat"), Type::MemoryFormat},
    std::pair{std::string_view("Generator"), Type::Generator},
};

/// `SymIntArrayRef[2]? padding=0`
SignatureParameter parseParameter(std::string_view text) {
    SignatureParameter out;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) {
        out.optional = true;
        out.defaultValue = text.substr(equals + 1);
        text = text.substr(0, equals);
    }
    const std::size_t blank = text.rfind(' ');
    out.name = text.substr(blank + 1);
    std::string_view type = text.substr(0, blank);
    if (type.ends_with("?")) {
        out.nullable = true;
        type.remove_suffix(1);
    }
    if (type.ends_with("]")) {
        const std::size_t open = type.rfind('[');
        std::from_chars(type.data() + open + 1, type.data() + type.size() - 1, out.size);
        type = type.substr(0, open);
    }
    out.symbolic = type.starts_with("SymInt");
    out.nullable = out.nullable || out.defaultValue == "None";
    for (const auto& [name, known] : kTypes)
        if (name == type) out.type = known;
    return out;
}

/// `aten::add.Tensor aten::add.out (Tensor input, *, Scalar alpha=1) -> self, other, alpha`
PythonSignature parseSignature(std::string_view text) {
    PythonSignature out;
    const std::size_t open = text.find(" (");
    const std::string_view ops = text.substr(0, open);
    out.op = ops.substr(0, ops.find(' '));
    if (out.op.size() < ops.size()) out.outOp = ops.substr(out.op.size() + 1);
    const std::size_t arrow = text.find(") -> ");
    const std::size_t close = arrow == text.npos ? text.size() - 1 : arrow;
    if (arrow != text.npos) out.operatorArguments = splitTopLevel(text.substr(arrow + 5));
    bool keywordOnly = false;
    for (const std::string_view parameter : splitTopLevel(text.substr(open + 2, close - open - 2))) {
        if (parameter == "*") {
            keywordOnly = true;
            continue;
        }
        out.parameters.push_back(parseParameter(parameter));
        out.parameters.back().keywordOnly = keywordOnly;
        out.positional += !keywordOnly;
    }
    return out;
}

} // namespace

std::vector<PythonSignature> pythonSignatures(std::string_view qualifiedName) {
    std::vector<PythonSignature> out;
    if (const auto row = kTable.find(qualifiedName))
        for (const std::string_view text : split(kTable.cell(*row, Signatures), " | "))
            out.push_back(parseSignature(text));
    return out;
}

} // namespace fx::ops
