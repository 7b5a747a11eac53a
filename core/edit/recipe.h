// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"

namespace fx {

/// Parses a recipe, a recorded list of steps: `{"lancet_recipe": 1, "steps": [...]}`. Throws Error{File}.
StepList parseRecipe(std::string text);
/// As `parseRecipe`, from a file. Resolves the files that its steps read relative to it, see `fileBeside`.
StepList readRecipe(const std::string& path);

/// Returns the steps that lead to the current version, `withoutKeptResults`.
StepList recipeOf(const History& history);
/// Returns these steps as the text of a recipe, an edit on each line.
std::string recipeText(const History& history);

/// Returns the absolute path of a file that the recipe or pipeline at `path` names. Recipes are untrusted, so the file
/// must be in their folder or below after following links. Throws Error{File}.
std::string fileBeside(const std::string& path, const std::string& file);
/// As `fileBeside`, for a Python file with a name in it (`p.py:Name`).
std::string sourceBeside(const std::string& path, const std::string& file);
/// Returns the path of a pass whose text is in the recipe or pipeline, `p.py:Name`, to resolve its imports: `file` if
/// it is in their folder or below, otherwise its file name in their folder.
std::string textBeside(const std::string& path, const std::string& file);

/// Writes steps as a recipe and copies the files that they read next to it (`carryFiles`), so it works on another
/// machine. Throws Error{Refused, File, Cancelled}.
void writeRecipe(const std::string& path, const StepList& steps, const Progress& progress = {});

} // namespace fx
