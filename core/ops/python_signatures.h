// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// How Python calls of PyTorch's C functions and tensor methods choose an operator: the signatures in the order in
/// which PyTorch's argument parser tries them. The data is core/ops/python_signatures.tsv, written by
/// tools/python_signatures.py.
namespace fx::ops {

/// One parameter of a signature, as PyTorch's argument parser sees it.
struct SignatureParameter {
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
    int size = 0;          ///< of a list: a single value stands for that many
    bool nullable = false; ///< takes None
    bool optional = false; ///< has a default
    bool keywordOnly = false;
    std::string_view defaultValue; ///< as in the bindings: `1`, `None`, `{0,1}`
};

/// One way to call a function.
struct PythonSignature {
    std::string_view op;                        ///< "aten::add.Tensor"
    std::string_view outOp;                     ///< the operator when `out` is given: "aten::add.out"; or empty
    std::vector<SignatureParameter> parameters; ///< without `self` of a method
    /// Old forms: which parameter (or literal) each argument of the operator is; empty: those of the same name.
    std::vector<std::string_view> operatorArguments;
    std::size_t positional = 0; ///< parameters that may be given by position
};

/// The signatures of a function by its qualified name ("torch.add", "torch._C._nn.gelu", "torch.fft.fft") or of a
/// method
/// ("torch.Tensor.add"); empty for what is not a C function bound to operators. Parsed at each call.
std::vector<PythonSignature> pythonSignatures(std::string_view qualifiedName);

} // namespace fx::ops
