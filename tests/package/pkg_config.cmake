# cmake -DPREFIX=... -DLIBDIR=... -DSOURCES=... -DWORK=... -DCC=... -DCXX=... -P pkg_config.cmake
#
# The installed package without CMake's help: a program of the language and one that calls the exported kernel, each
# built with the flags that pkg-config gives.
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message("SKIPPED: pkg-config is not installed")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY
                  COMMAND_ECHO STDOUT)
endfunction()
function(flags out package what)
  execute_process(COMMAND "${PKG_CONFIG}" ${what} ${package} OUTPUT_VARIABLE text
                  COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
flags(cflags sinter --cflags)
flags(libs sinter --libs)
separate_arguments(extra UNIX_COMMAND "${FLAGS}")
run("${CXX}" ${extra} ${cflags} "${SOURCES}/generator.cpp" -o generator ${libs})
run(./generator weighted_sum)
flags(cflags sinter_runtime --cflags)
flags(libs sinter_runtime --libs)
run("${CC}" ${extra} -std=c99 -I. ${cflags} "${SOURCES}/program.c" weighted_sum.a -o program ${libs})
run(./program)
