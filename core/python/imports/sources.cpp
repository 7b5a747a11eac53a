// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/imports/sources.h"

#include "core/files/read_text.h"

#include <algorithm>
#include <filesystem>

namespace fx::python {
namespace fs = std::filesystem;

namespace {
std::string withSlashes(std::string module) {
    std::replace(module.begin(), module.end(), '.', '/');
    return module;
}
bool isInside(const fs::path& folder, const fs::path& file) {
    std::error_code failed;
    const auto base = fs::weakly_canonical(folder, failed), target = fs::weakly_canonical(file, failed);
    return !failed && std::mismatch(base.begin(), base.end(), target.begin(), target.end()).first == base.end();
}
} // namespace

Sources::Sources(const std::string& file, std::string text, std::vector<std::string> folders)
    : m_folders(std::move(folders)) {
    m_main.path = file;
    m_main.text = std::move(text);
    fs::path folder = fs::absolute(file).parent_path();
    std::string name = fs::path(file).stem().string();
    // In a package, names are relative to the folder above its topmost one.
    std::error_code ignored;
    while (fs::exists(folder / "__init__.py", ignored) && folder.has_relative_path()) {
        name = folder.filename().string() + "." + name;
        folder = folder.parent_path();
    }
    m_main.name = name;
    m_folders.insert(m_folders.begin(), folder.string());
}

std::optional<Sources::Found> Sources::inFolder(const std::string& folder, const std::string& module) const {
    const fs::path base = fs::path(folder) / withSlashes(module);
    std::error_code ignored;
    for (const bool isPackage : {true, false}) {
        const fs::path file = isPackage ? base / "__init__.py" : fs::path(base.string() + ".py");
        if (!fs::is_regular_file(file, ignored) || !isInside(folder, file)) continue;
        if (fs::file_size(file, ignored) > kMaxBytes) return std::nullopt;
        return Found{module, file.string(), readTextFile(file.string()), isPackage, false};
    }
    if (fs::is_directory(base, ignored) && isInside(folder, base)) return Found{module, base.string(), "", true, true};
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

Message unknownImport(const std::string& path) {
    return {Sources::isStandard(path) ? MessageCode("trace.unknown_standard") : MessageCode("trace.unknown_import"),
            {{"name", path}}};
}

} // namespace fx::python
