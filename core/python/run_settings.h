// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/make/initial_weights.h"
#include "core/pysrc/source_error.h"
#include "core/python/imports/place.h"
#include "core/python/torch/tensor_machine.h"
#include "core/python/tracing/tracer_hooks.h"
#include "core/python/values/object.h"
#include "core/trace/tracer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fx {
class SourceScopes;
}

namespace fx::python {
class BodyRules;
class CallRules;

/// How an interpreter runs programs, and what it found.
struct RunSettings {
    /// Classes and paths of additional leaf modules.
    std::vector<std::string> leafTypes, leafPaths;
    std::vector<std::string> followedTypes; ///< leaf classes of torch.fx that are interpreted anyway
    /// Receives the scopes of recorded nodes, unless null.
    SourceScopes* scopes = nullptr;
    /// If set, the main file is text being edited: its syntax errors are added here and the rest of it runs.
    std::vector<py::SourceError>* syntaxErrors = nullptr;
    /// Methods that a Tracer class of the program overrides; null for torch.fx's own.
    const TracerHooks* hooks = nullptr;
    bool shapesConstant = false; ///< torch.fx `param_shapes_constant`
    /// Attributes that proxies have for a pass ("node"). Unset results, and all attributes if this is unset, are
    /// recorded.
    std::function<Value(const trace::Value& proxy, std::string_view name)> proxyAttribute;
    /// Receives the lines that the program prints, unless unset.
    std::function<void(const std::string& line)> printed;
    /// Called before each round of a `for` loop with its item, and at the end of the loop with an unset item. `offset`
    /// is the position of the loop in its file. May throw.
    std::function<void(const Value& item, std::size_t offset)> looped;
    /// Computes with tensors. If null, only elements in `KnownNumbers` are known.
    TensorMachine* machine = nullptr;
    /// Which tensors require gradients, and whether torch.is_grad_enabled().
    trace::Gradients gradients;
    /// Draws the weights of torch.nn modules; the program's generator by default.
    TorchGenerator* moduleRandom = nullptr;
    /// Throws CannotFollow for parameters and buffers whose values are not known.
    bool needsValues = false;
    /// Rules for source that a user writes as a pattern or a replacement; null for files.
    BodyRules* rules = nullptr;
    /// Rules for code that Python runs at each call, while it is traced; null for other code.
    CallRules* callRules = nullptr;
    Warnings warnings;
    /// The exception at which Python would stop to import the main file, and its place.
    std::optional<std::pair<Message, Place>> stoppedAt;
    /// True if the program read values of weights that were not drawn.
    bool missedValues = false;
    /// True if the program wrote to tensors or replaced them during the trace.
    bool writesTensors = false;
};

} // namespace fx::python
