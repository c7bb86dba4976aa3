# The target sinter_llvm: headers and libraries of LLVM 22, asked from llvm-config.
#
# llvm-config rather than LLVM's CMake package: the package insists on finding every library LLVM was
# built with (libxml2, libedit, ...), none of which Sinter uses.

find_program(LLVM_CONFIG NAMES llvm-config-22 PATHS /usr/lib/llvm-22/bin
             DOC "llvm-config of LLVM 22")
if(NOT LLVM_CONFIG)
  message(FATAL_ERROR "LLVM 22 not found: install llvm-22-dev, or set LLVM_CONFIG to its llvm-config")
endif()

function(sinter_llvm_config out)
  execute_process(COMMAND "${LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

sinter_llvm_config(llvm_version --version)
if(NOT llvm_version MATCHES "^22\\.")
  message(FATAL_ERROR "Sinter needs LLVM 22; ${LLVM_CONFIG} is version ${llvm_version}")
endif()
sinter_llvm_config(llvm_include --includedir)
sinter_llvm_config(llvm_libdir --libdir)

add_library(sinter_llvm INTERFACE)
set_target_properties(sinter_llvm PROPERTIES EXPORT_NAME llvm)
target_include_directories(sinter_llvm SYSTEM INTERFACE "$<BUILD_INTERFACE:${llvm_include}>")
target_link_directories(sinter_llvm INTERFACE "${llvm_libdir}")
if(SINTER_STATIC_LLVM)
  sinter_llvm_config(llvm_libs --link-static --libs nvptx x86 orcjit irreader passes)
  separate_arguments(llvm_libs UNIX_COMMAND "${llvm_libs}")
  # What these components need of the system; libxml2 serves only LLVM's Windows manifest tool.
  # The run-time libraries do where the development packages with the plain names are absent.
  find_library(SINTER_ZLIB NAMES z libz.so.1 REQUIRED)
  find_library(SINTER_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
  target_link_libraries(sinter_llvm INTERFACE
    ${llvm_libs} ${SINTER_ZLIB} ${SINTER_ZSTD} Z3::Z3 ${CMAKE_DL_LIBS})
else()
  target_link_libraries(sinter_llvm INTERFACE LLVM-22)
endif()
message(STATUS "LLVM ${llvm_version} (${LLVM_CONFIG}), static: ${SINTER_STATIC_LLVM}")
