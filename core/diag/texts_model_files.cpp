// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {
namespace {

constexpr MessageText kTexts[] =
    {{"foresee.contains", "PyTorch cannot load this file again ({reason}){place}",
      "use torch.isin instead, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.control_flow", "PyTorch cannot load this file again ({reason}){place}",
      "use torch.logical_not instead, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.empty_body", "PyTorch cannot load this file again ({reason}){place}",
      "add a node between inputs and output, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.failed", "{reason}", "save it as .lancet or .json, which keep the graph as it is"},
     {"foresee.higher_order", "PyTorch cannot load this file again ({reason}){place}",
      "save an exported program as .pt2, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.item_assignment", "PyTorch cannot load this file again ({reason}){place}",
      "replace it with an operator that creates a new tensor, such as torch.index_put, torch.slice_scatter or "
      "torch.where, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.len", "PyTorch cannot load this file again ({reason}){place}",
      "use x.size(0) instead, or save the model as .lancet or .json, which keep the graph as it is"},
     {"foresee.loading_warns", "{warning}{place}", "save it as .lancet or .json, which keep the graph as it is"},
     {"foresee.no_signature",
      "only a model with the signature of an export can be saved as .pt2: one from a .pt2 file whose inputs and "
      "outputs "
      "are unchanged",
      "save it as .pt and export it with torch.export"},
     {"foresee.no_weights", "Python source has no weights: {count} {count|tensor is|tensors are} not in it",
      "save it as .pt or .lancet too"},
     {"foresee.operators_frozen",
      "PyTorch computes what depends on no input once, while it loads the file: {count} {count|operator is|operators "
      "are} not in its graph",
      "save an exported program as .pt2"},
     {"foresee.other_size",
      "PyTorch traces the code again when it loads the file: its graph will have {after} nodes instead of {before}",
      "save it as .lancet or .json, which keep the graph as it is"},
     {"foresee.region_lost", "PyTorch loses {mode} around {node} when it loads the file and traces the code again",
      "save an exported program as .pt2"},
     {"foresee.regions_lost",
      "PyTorch loses {mode} around {node} and {count} other {count|node|nodes} when it loads the file and traces the "
      "code again",
      "save an exported program as .pt2"},
     {"foresee.renamed", "PyTorch renames nodes when it loads the file: {names}",
      "save it as .lancet or .json, which keep the names"},
     {"foresee.sharing_lost", "{what}", "save it as .pt, which keeps what is shared"},
     {"foresee.tensors_lost",
      "PyTorch drops {count} {count|tensor|tensors} that the model also has under {count|another name|other names}: "
      "{names}",
      "save it as .lancet or .json, which keep every name"},
     {"foresee.unloadable", "PyTorch cannot load this file again ({reason}){place}",
      "save it as .lancet or .json, which keep the graph as it is"},
     {"foresee.unloadable_again", "PyTorch cannot load this file; it could not load the original file either",
      "save it as .lancet or .json, which keep the graph as it is"},
     "{remedy}, or save it as .lancet or .json, which keep the graph as it is"},
                      {"foresee.value_frozen",
                       "PyTorch computes what depends on no input once, while it loads the file, and not in each run: "
                       "{reason}",
                       "save an exported program as .pt2"},
};

} // namespace

MessageTexts modelFiles() { return kTexts; }

} // namespace fx::texts
