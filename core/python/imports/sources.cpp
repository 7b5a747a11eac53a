// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/imports/sources.h"

#include "core/files/file_below.h"
#include "core/files/file_identity.h"
#include "core/files/read_text.h"
#include "core/python/values/object.h"

#include <algorithm>
#include <filesystem>

namespace fx::python {
namespace fs = std::filesystem;

namespace {
std::string withSlashes(std::string module) {
    std::replace(module.begin(), module.end(), '.', '/');
    return module;
}

bool importsNeighbours(std::string_view text) {
    return text.starts_with("from .") || text.find("\nfrom .") != text.npos;
}

/// The folder above the package of a file in `folder`; `folder` if it is in none. Below one of `paths`, folders of a
/// package need no `__init__.py`.
fs::path aboveOfPackage(const fs::path& folder, const std::vector<std::string>& paths) {
    std::error_code ignored;
    const auto isPackage = [&](const fs::path& each) { return fs::exists(each / "__init__.py", ignored); };
    const auto isBelow = [&](const fs::path& each) {
        return std::ranges::any_of(paths, [&](const std::string& path) {
            const fs::path inside = each.lexically_normal().lexically_relative(fs::absolute(path).lexically_normal());
            return !inside.empty() && inside != "." && *inside.begin() != "..";
        });
    };
    fs::path above = folder;
    while (!isPackage(above) && isBelow(above)) above = above.parent_path();
    if (!isPackage(above)) return folder;
    while (isPackage(above) && above.has_relative_path()) above = above.parent_path();
    return above;
}
} // namespace

Sources::Sources(const std::string& file, std::string text, std::vector<std::string> folders)
    : m_folders(std::move(folders)) {
    m_main.path = file;
    m_main.text = std::move(text);
    const fs::path own = fs::absolute(file).parent_path();
    // In a package, names are relative to the folder above its topmost one.
    const fs::path folder =
        aboveOfPackage(own, importsNeighbours(m_main.text) ? m_folders : std::vector<std::string>());
    for (const fs::path& part : own.lexically_relative(folder))
        if (part != ".") m_main.name += part.string() + ".";
    m_main.name += fs::path(file).stem().string();
    m_folders.insert(m_folders.begin(), folder.string());
}

std::optional<Sources::Found> Sources::inFolder(const std::string& folder, const std::string& module) const {
    const std::string base = withSlashes(module);
    for (const bool isPackage : {true, false}) {
        const std::string name = base + (isPackage ? "/__init__.py" : ".py");
        if (!isFileBelow(folder, name)) continue;
        const auto file = openBelow(folder, name);
        if (file->size() > kMaxBytes) return std::nullopt;
        return Found{module, (fs::path(folder) / name).string(), readText(*file, kMaxBytes), isPackage, false};
    }
    std::error_code ignored;
    const fs::path whole = fs::path(folder) / base;
    if (fs::is_directory(whole, ignored) && !resolvedInside(folder, base).empty())
        return Found{module, whole.string(), "", true, true};
    return std::nullopt;
}

std::optional<Sources::Found> Sources::find(const std::string& module) const {
    if (module == m_main.name) return m_main;
    if (const auto own = ownModule(module); !own.empty()) return Found{module, "", std::string(own), false, false};
    for (const std::string& folder : m_folders)
        if (auto found = inFolder(folder, module)) return found;
    return std::nullopt;
}

std::optional<std::string> Sources::versionOf(std::string name) const {
    const auto plain = [](std::string text) {
        for (char& each : text) each = each == '-' || each == '.' ? '_' : static_cast<char>(std::tolower(each));
        return text;
    };
    name = plain(name);
    if (name == "torch") return "2.13.0";
    for (const std::string& folder : m_folders) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(folder, failed)) {
            const std::string file = entry.path().filename().string();
            const std::size_t dash = file.find('-');
            if (!file.ends_with(".dist-info") || dash == std::string::npos) continue;
            if (plain(file.substr(0, dash)) == name) return file.substr(dash + 1, file.size() - 11 - dash);
        }
    }
    return std::nullopt;
}

bool Sources::isStandard(std::string_view module) {
    // sys.stdlib_module_names, each between spaces
    static constexpr std::string_view kModules =
        " "
        "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii "
        "bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections "
        "colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes "
        "curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum "
        "errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt "
        "getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp "
        "importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox "
        "mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt "
        "ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools "
        "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile "
        "pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy "
        "sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket "
        "socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep "
        "struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios "
        "textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty "
        "turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref "
        "webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo "
        "__future__ ";
    const std::string_view first = module.substr(0, module.find('.'));
    return !first.empty() && kModules.find(" " + std::string(first) + " ") != kModules.npos;
}

namespace {
/// Returns true for functions that download, and for parts of their results.
bool downloads(std::string_view path) {
    static constexpr std::string_view kModules[] = {
        "torch.hub.", "torch.utils.model_zoo.", "huggingface_hub.", "urllib.request.", "requests.", "gdown."};
    return std::ranges::any_of(kModules, [&](std::string_view module) { return path.starts_with(module); });
}
} // namespace

Message unknownImport(const Opaque& opaque) {
    const std::string& path = opaque.path;
    const std::string package = path.substr(0, path.find('.'));
    if (!opaque.lostBy.empty()) return {"trace.lost_name", {{"name", path}, {"reason", opaque.lostBy}}};
    if (downloads(path)) return {"trace.unknown_download", {{"name", path}}};
    if (Sources::isStandard(path))
        return {"trace.unknown_standard", {{"name", path.starts_with("builtins.") ? path.substr(9) : path}}};
    if (package == "torch" || !ownModule(package).empty())
        return {"trace.unknown_part", {{"name", path}, {"package", package}}};
    if (opaque.importedBy.empty()) return {"trace.unknown_import", {{"name", path}}};
    return {"trace.unknown_import_at", {{"name", path}, {"place", opaque.importedBy}}};
}

} // namespace fx::python
