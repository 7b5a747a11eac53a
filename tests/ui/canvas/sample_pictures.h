// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"

#include <memory>

/// Graphs with hand-placed pictures, so that tests and benchmarks of the canvas depend on nothing but the canvas.
namespace sample {

/// A model with its picture.
struct Sample {
    std::shared_ptr<fx::GraphModule> module;
    std::shared_ptr<fx::Picture> picture;
};

/// x → conv → relu → group "layer1" (conv1, bn1, relu1, conv2, add) → pool → output; layer1 open or closed. The add
/// also uses relu (a skip edge around the block); "mask" is a hub drawn again at pool; the edge x → output is a stub;
/// "weight" is a chip on conv.
Sample small(bool layerOpen);

/// `count` nodes in blocks of ten (a group each), many blocks side by side: edges inside, skips, and between blocks.
Sample large(std::size_t count);

} // namespace sample
