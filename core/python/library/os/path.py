# SPDX-License-Identifier: GPL-3.0-or-later
from os import path as _path
join, exists, isfile, isdir, dirname = _path.join, _path.exists, _path.isfile, _path.isdir, _path.dirname
basename, split, splitext, isabs = _path.basename, _path.split, _path.splitext, _path.isabs
normpath, relpath, expanduser = _path.normpath, _path.relpath, _path.expanduser
abspath, realpath, sep = _path.abspath, _path.realpath, _path.sep
