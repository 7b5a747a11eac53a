// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/data_files.h"

#include "core/module/module.h"
#include "core/tensor/storage.h"

#include <unordered_set>

namespace fx {

std::vector<std::shared_ptr<const DataFile>> dataFiles(const Module& root) {
    std::vector<std::shared_ptr<const DataFile>> files;
    std::unordered_set<const DataFile*> known;
    forEachModule(root, [&](const std::string&, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots) {
                if (!slot.tensor || !slot.tensor->storage) continue;
                const auto& file = slot.tensor->storage->file();
                if (file && known.insert(file.get()).second) files.push_back(file);
            }
    });
    return files;
}

} // namespace fx
