# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch as the imported target lancet_torch: headers, torch_cpu and c10. Not find_package(Torch): that of a
# CUDA wheel asks for CUDA. Only core/engine, app/worker and tools/catalogue link it.

add_library(lancet_torch INTERFACE)
target_include_directories(lancet_torch SYSTEM INTERFACE
  ${LANCET_TORCH}/include ${LANCET_TORCH}/include/torch/csrc/api/include)
target_link_libraries(lancet_torch INTERFACE
  -Wl,--no-as-needed ${LANCET_TORCH}/lib/libtorch_cpu.so -Wl,--as-needed ${LANCET_TORCH}/lib/libc10.so)
# A CUDA wheel's libtorch_cpu names libraries of other wheels, found at run time.
target_link_options(lancet_torch INTERFACE -Wl,-rpath,${LANCET_TORCH}/lib -Wl,--allow-shlib-undefined)
target_compile_features(lancet_torch INTERFACE cxx_std_20)
