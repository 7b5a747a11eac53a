// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/called_file.h"

#include "core/base/sha256.h"
#include "core/files/file_identity.h"
#include "core/io/torchscript/torchscript.h"

namespace fx::script {

std::string contentDigest(const ZipArchive& archive) {
    Sha256 digest;
    for (const ZipMember& member : archive.members())
        digest.add(member.name + '\n' + std::to_string(member.size) + ' ' + std::to_string(member.crc32) + '\n');
    return digest.hex();
}

void requireCalledFile(const Module& module) {
    const std::string path = scriptFilePath(module);
    const auto* digest = module.setting<std::string>(kDigest);
    if (!digest) return;
    std::string now;
    try {
        now = contentDigest(ZipArchive::open(DataFile::open(path)));
    } catch (const Error& error) {
        throw Error(ErrorKind::File, Message("script.called_file_gone", {{"reason", error.what()}})).in(path);
    }
    if (now != *digest) throw Error(ErrorKind::File, Message("script.called_file_changed")).in(path);
}

bool callsFile(const GraphModule& model, const std::string& path) {
    bool found = false;
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        found = found || (isScriptFile(module) && isSameFile(scriptFilePath(module), path));
    });
    return found;
}

} // namespace fx::script
