// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"

namespace fx {

Recipe Recipe::parse(std::string text) {
    Recipe recipe;
    recipe.m_document = JsonDocument::parse(std::move(text), {}, JsonDocument::Positions::Keep);
    const JsonValue root = recipe.m_document->root(), version = root.find("lancet_recipe");
    if (!version.exists()) throw Error(ErrorKind::File, Message("edit.not_a_recipe"));
    if (version.kind() != JsonValue::Kind::Int || version.asInt() != 1)
        throw version.error(Message("edit.recipe_version"));
    for (const JsonValue step : root.at("steps").needArray()) recipe.m_steps.push_back(step);
    return recipe;
}

} // namespace fx
