// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// The signatures of PyTorch's C functions and tensor methods, in the order in which PyTorch's argument parser tries
/// them. The matching signature selects the operator. tools/python_signatures.py writes the data,
/// core/ops/python_signatures.tsv.
namespace fx::ops {

/// A parameter of a signature, as PyTorch's argument parser defines it.
struct SignatureParameter {
    /// The types of PyTorch's argument parser.
    enum class Type {
        Tensor,
        TensorList,
        Scalar,
        ScalarList,
        Int,
        Double,
        Bool,
        IntList,
        DoubleList,
        String,
        Dtype,
        Layout,
        Device,
        MemoryFormat,
        Generator,
        Other
    };
    std::string_view name;
    Type type = Type::Other;
    int size = 0;          ///< a single value stands for a list of this length
    bool nullable = false; ///< accepts None
    bool optional = false; ///< has a default
    bool keywordOnly = false;
    bool symbolic = false;         ///< an integer of a schema's type SymInt: a tensor with one element may be it
    std::string_view defaultValue; ///< as in the bindings: `1`, `None`, `{0,1}`
};

/// One overload of a C function.
struct PythonSignature {
    std::string_view op;                        ///< "aten::add.Tensor"
    std::string_view outOp;                     ///< the operator if `out` is given: "aten::add.out"; may be empty
    std::vector<SignatureParameter> parameters; ///< without the `self` of a method
    /// Deprecated signatures: the parameter or literal for each argument of the operator. Empty if the names agree.
    std::vector<std::string_view> operatorArguments;
    std::size_t positional = 0; ///< number of parameters that may be positional
};

/// Returns the signatures of a function by its qualified name ("torch.add", "torch._C._nn.gelu", "torch.fft.fft") or of
/// a method ("torch.Tensor.add"). Empty for functions that are not bound to operators. Parses the table on each call.
std::vector<PythonSignature> pythonSignatures(std::string_view qualifiedName);

} // namespace fx::ops
