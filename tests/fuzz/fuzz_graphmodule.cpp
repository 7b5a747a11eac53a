// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_kind.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/module_reader.h"
#include "core/trace/retrace.h"
#include "tests/fuzz/temporary_file.h"

#include <string>

using namespace fx;

namespace {

void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

/// A zip archive of stored members, as small as it can be.
std::string archiveOf(std::initializer_list<std::pair<std::string, std::string>> members) {
    std::string out, directory;
    for (const auto& [name, content] : members) {
        std::string common; // what local header and directory entry have in common
        for (const auto& [value, bytes] : {std::pair<std::uint64_t, int>{20, 2},
                                           {0, 2},
                                           {0, 2},
                                           {0, 4},
                                           {0, 4},
                                           {content.size(), 4},
                                           {content.size(), 4},
                                           {name.size(), 2},
                                           {0, 2}})
            put(common, value, bytes);
        put(directory, 0x02014b50, 4);
        put(directory, 20, 2);
        directory += common;
        put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4),
            put(directory, out.size(), 4);
        directory += name;
        put(out, 0x04034b50, 4);
        out += common + name + content;
    }
    const std::size_t start = out.size();
    out += directory;
    put(out, 0x06054b50, 4), put(out, 0, 4), put(out, members.size(), 2), put(out, members.size(), 2);
    put(out, directory.size(), 4), put(out, start, 4), put(out, 0, 2);
    return out;
}

} // namespace

/// The input is the data.pkl of a torch.save file with one storage of 4 KB.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TemporaryFile temporary("fuzz.pt");
    const std::string pickle(reinterpret_cast<const char*>(data), size);
    const std::string bytes =
        archiveOf({{"m/data.pkl", pickle}, {"m/data/0", std::string(4096, '\0')}, {"m/version", "3\n"}});
    try {
        const auto path = temporary.with(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        const auto file = TorchFile::open(ZipArchive::open(DataFile::open(path)), {});
        if (!ModuleReader::isGraphModule(file->arena(), file->arena().root())) throw describePickle(*file);
        (void)readGraphModule(file, retraceSavedCode, {});
    } catch (const Error&) {}
    return 0;
}
