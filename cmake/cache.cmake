# SPDX-License-Identifier: GPL-3.0-or-later
# Where the downloaded dependencies are. Variables given on the command line win, then environment variables of
# the same names, then the cache folder that ./dev fills (named after the hash of tools/pinned.txt), so that
# `cmake --preset dev` needs no flags once `./dev setup` has run.

set(LANCET_TORCH "" CACHE PATH "Folder of a LibTorch 2.13.0 (include/, lib/)")

set(pinned ${CMAKE_CURRENT_LIST_DIR}/../tools/pinned.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pinned})
file(SHA256 ${pinned} pinned_hash)
string(SUBSTRING ${pinned_hash} 0 16 pinned_hash)
set(cache_root "$ENV{XDG_CACHE_HOME}")
if(NOT cache_root)
  set(cache_root "$ENV{HOME}/.cache")
endif()
set(cache_root "${cache_root}/lancet/${pinned_hash}")

# lancet_locate(VARIABLE FOLDER PROBE): settles VARIABLE, a folder that contains the file PROBE, or stops.
function(lancet_locate variable folder probe)
  set(where "${${variable}}")
  if(NOT where AND DEFINED ENV{${variable}})
    set(where "$ENV{${variable}}")
  endif()
  if(NOT where)
    set(where "${cache_root}/${folder}")
  endif()
  if(NOT EXISTS "${where}/${probe}")
    message(FATAL_ERROR "${variable}: no ${probe} in ${where}.\n"
      "Run ./dev setup once (it downloads what the build needs), or pass -D${variable}=FOLDER.")
  endif()
  set(${variable} "${where}" PARENT_SCOPE)
endfunction()

lancet_locate(LANCET_TORCH torch include/ATen/core/dispatch/Dispatcher.h)
