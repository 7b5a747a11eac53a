// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/own/own_python.h"

#include <string>

namespace fx {

/// The files that a Python child has filled. The source can write them as well as Lancet's program, so that neither is
/// trusted.
struct OwnAnswer {
    std::string result; ///< path of the JSON: the graph and versions, or an error
    std::string model;  ///< path of the model: a GraphModule or an exported program
};

/// Reads what a child that ended with `code` has answered to a request.
///
/// Throws Error{Refused} with the exception that Python raised, and Error{Run} if there is no answer, if it is
/// malformed, or if its graph is not one of its model.
OwnTrace readAnswer(const OwnAnswer& answer, int code, const OwnPython& request, const PythonEnvironment& python,
                    const Progress& progress);

} // namespace fx
