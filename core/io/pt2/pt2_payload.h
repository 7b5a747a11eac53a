// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/zip/zip_archive.h"
#include "core/json/json_document.h"
#include "core/module/module.h"

#include <unordered_map>

namespace fx {

/// A tree of modules that grows as paths are named. The paths of a .pt2 file are all that is left of the modules.
class Pt2ModuleTree {
public:
    explicit Pt2ModuleTree(std::shared_ptr<Module> root);

    /// The module at a dotted path, made with its parents when it is not there yet.
    Module& at(std::string_view path);
    /// Gives the module at `path` its class: "torch.nn.modules.linear.Linear", "__main__.f.<locals>.M".
    void setType(std::string_view path, std::string_view type);

private:
    std::unordered_map<std::string, Module*> m_modules;
};

/// The tensors of an archive's `data/weights` or `data/constants`, by the fqn that their configuration gives them.
class Pt2Payload {
public:
    /// `folder`: "data/weights/" or "data/constants/". Throws Error{File} when the configuration, a record or a
    /// geometry is wrong.
    Pt2Payload(const ZipArchive& archive, const std::string& folder, const std::string& configuration,
               Warnings& warnings);

    struct Item {
        std::string path; ///< fqn
        TensorPtr tensor; ///< null: a pickled object, kept in the archive
        bool isParameter = false;
    };
    const std::vector<Item>& items() const { return m_items; }

private:
    TensorPtr tensor(JsonValue meta, const std::string& record, bool isParameter);
    std::shared_ptr<const Storage> storage(const std::string& record, std::size_t elementBytes, JsonValue meta);

    const ZipArchive& m_archive;
    std::string m_folder;
    std::vector<Item> m_items;
    std::unordered_map<std::string, std::shared_ptr<const Storage>> m_storages;
    std::unordered_map<std::string, TensorPtr> m_tensors; ///< by record and geometry: tied parameters are one tensor
};

} // namespace fx
