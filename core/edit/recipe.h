// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/steps.h"

namespace fx {

/// A recorded list of steps: `{"lancet_recipe": 1, "steps": [...]}`. Throws Error{File} if the text is not a recipe.
class Recipe {
public:
    static Recipe parse(std::string text);
    /// The same from a file: what its steps read is looked for beside the file first.
    static Recipe read(const std::string& path);
    const std::vector<JsonValue>& steps() const { return m_steps; }

private:
    std::shared_ptr<const JsonDocument> m_document;
    std::vector<JsonValue> m_steps;
};

/// Writes steps (a JSON array) as a recipe; the files that they read are carried beside it (`carryFiles`), so that it
/// works on another machine. Throws Error{Refused, File, Cancelled}.
void writeRecipe(const std::string& path, const std::string& steps, const Progress& progress = {});

} // namespace fx
