// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps.h"

namespace fx {

/// A recorded list of steps: `{"lancet_recipe": 1, "steps": [...]}`. Throws Error{File} if the text is not a recipe.
class Recipe {
public:
    static Recipe parse(std::string text);
    const std::vector<JsonValue>& steps() const { return m_steps; }

private:
    std::shared_ptr<const JsonDocument> m_document;
    std::vector<JsonValue> m_steps;
};

} // namespace fx
