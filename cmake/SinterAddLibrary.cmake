# sinter_add_library(<name> GENERATOR <target> TARGETS <target>...
#                    [PIPELINES <pipeline>...] [EMIT <kind>...] [DIRECTORY <dir>])
#
# A library of pipelines that a generator exports when the project is built. <name> is linked like any other library:
# it brings the archives, the folder of their headers, and the runtime.
#
#   GENERATOR  an executable whose main() is that of a sinter::Generator
#   TARGETS    what to compile for: cuda-sm_90a host. A call runs the version for the device where its tensors lie
#   PIPELINES  which of the generator's pipelines; <name> if none is given
#   EMIT       what to write beside the library: python, ptx, llvm, ir, html, explain, proofs, loops. python makes of each pipeline a
#              module of its name; the folder they lie in is then a place for PYTHONPATH
#   DIRECTORY  where to; a folder of the build tree, <name>_sinter, if none is given
#
# The target <name>_files is built when all files are there; its property SINTER_DIRECTORY says where.
function(sinter_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "GENERATOR;DIRECTORY" "TARGETS;PIPELINES;EMIT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sinter_add_library(${name}): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_GENERATOR OR NOT arg_TARGETS)
    message(FATAL_ERROR "sinter_add_library(${name}): needs GENERATOR, an executable, and TARGETS, such as host or cuda-sm_90a")
  endif()
  if(NOT arg_PIPELINES)
    set(arg_PIPELINES "${name}")
  endif()
  if(NOT arg_DIRECTORY)
    set(arg_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${name}_sinter")
  endif()
  cmake_path(ABSOLUTE_PATH arg_DIRECTORY BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)

  set(archives "")
  set(files "")
  foreach(pipeline IN LISTS arg_PIPELINES)
    list(APPEND archives "${arg_DIRECTORY}/${pipeline}.a")
    list(APPEND files "${arg_DIRECTORY}/${pipeline}.a" "${arg_DIRECTORY}/${pipeline}.h")
    if("python" IN_LIST arg_EMIT)
      list(APPEND files "${arg_DIRECTORY}/${pipeline}.py" "${arg_DIRECTORY}/lib${pipeline}.so")
    endif()
  endforeach()
  list(JOIN arg_TARGETS "," targets)
  list(JOIN arg_EMIT "," emit)
  if(emit)
    string(PREPEND emit ",")
  endif()
  # A Python module is linked by the compiler of the project.
  set(linker "${CMAKE_CXX_COMPILER}")
  if(NOT linker)
    set(linker "${CMAKE_C_COMPILER}")
  endif()
  add_custom_command(
    OUTPUT ${files}
    COMMAND "${CMAKE_COMMAND}" -E env "CC=${linker}" $<TARGET_FILE:${arg_GENERATOR}> ${arg_PIPELINES} --out "${arg_DIRECTORY}" --target "${targets}" --emit "library${emit}"
    DEPENDS ${arg_GENERATOR}
    COMMENT "Exporting ${name} for ${targets}"
    VERBATIM)
  add_custom_target(${name}_files DEPENDS ${files})
  set_target_properties(${name}_files PROPERTIES SINTER_DIRECTORY "${arg_DIRECTORY}")

  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_files)
  target_include_directories(${name} INTERFACE "${arg_DIRECTORY}")
  target_link_libraries(${name} INTERFACE ${archives} sinter::runtime)
endfunction()
