// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/json/json_document.h"
#include "core/module/module.h"

#include <unordered_map>

namespace fx {

/// Maximum size of a JSON file in an archive, in bytes.
inline constexpr std::uint64_t kMaxConfiguration = 1u << 30;

/// A module tree built from paths. A .pt2 file preserves only the paths of its modules.
class Pt2ModuleTree {
public:
    /// Adds modules below `root`.
    explicit Pt2ModuleTree(std::shared_ptr<Module> root);

    /// Returns the module at a dotted path. Creates it and its parents if necessary.
    Module& at(std::string_view path);
    /// Sets the class of the module at `path`: "torch.nn.modules.linear.Linear", "__main__.f.<locals>.M".
    void setType(std::string_view path, std::string_view type);

private:
    std::unordered_map<std::string, Module*> m_modules;
};

/// The tensors of an archive's `data/weights` or `data/constants`, by the fqn in their configuration.
class Pt2Payload {
public:
    /// `folder` is "data/weights/" or "data/constants/". Throws Error{File} if the configuration, a record or a
    /// geometry is invalid.
    Pt2Payload(const ZipArchive& archive, const std::string& folder, const std::string& configuration,
               Warnings& warnings);

    /// An entry of the configuration.
    struct Item {
        std::string path; ///< fqn
        TensorPtr tensor; ///< null for a pickled object, which stays in the archive
        bool isParameter = false;
    };
    /// The entries in the order of the configuration.
    const std::vector<Item>& items() const { return m_items; }

private:
    TensorPtr tensor(JsonValue meta, const std::string& record, bool isParameter);
    std::shared_ptr<const Storage> storage(const std::string& record, std::size_t elementBytes, JsonValue meta);

    const ZipArchive& m_archive;
    std::string m_folder;
    std::vector<Item> m_items;
    std::unordered_map<std::string, std::shared_ptr<const Storage>> m_storages;
    /// By record and geometry, so that tied parameters are one tensor.
    std::unordered_map<std::string, TensorPtr> m_tensors;
};

} // namespace fx
