// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"
#include "tests/table_models.h"

/// The graph after the pass of the last line: that of `net` with its tensors, or that of `before` alone.
inline QString afterPass(const TableCase& given, fx::TensorEngine* engine = nullptr) {
    const std::string program = table::programOf(given);
    const bool isPair = table::defines(program, "before");
    try {
        const table::Request request(given);
        const auto model = table::tracedIn(program, isPair ? "before" : "net");
        fx::Warnings unread;
        fx::runPasses(*model, {{request.word, request.json->root()}}, unread, {}, engine);
        return table::numbered(model->graph) + (isPair ? QString() : table::tensorLines(*model->root));
    } catch (const fx::Error& error) { return QString("refused: ") + error.what(); }
}
