# Compiler and linker settings shared by every target of this tree (never by its users).

add_library(sinter_warnings INTERFACE)
target_compile_options(sinter_warnings INTERFACE -Wall -Wextra
  $<$<BOOL:${SINTER_WERROR}>:-Werror>)

find_program(SINTER_CCACHE ccache)
if(SINTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Several build folders of one checkout share their objects: paths below the checkout are made
  # relative and the build folder's own name is left out of the hash.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "${SINTER_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()

# lld links the LLVM-sized executables several times faster than the default linker.
find_program(SINTER_LLD ld.lld)
if(SINTER_LLD AND PROJECT_IS_TOP_LEVEL)
  add_link_options(-fuse-ld=lld)
endif()
