# Installation: the libraries, every header (below include/sinter, so that "ir/expr.h" stays out of
# everybody's way), a CMake package that offers sinter::sinter and sinter::runtime, and pkg-config files.
# Two components: `runtime` is all that programs with exported kernels need, `compiler` is the rest.
# The installed tree may be moved.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sinter")
set(header_dir "${CMAKE_INSTALL_INCLUDEDIR}/sinter")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Export sets of their own: what only calls exported kernels looks for neither LLVM nor Z3.
set(header_paths "${CMAKE_INSTALL_INCLUDEDIR}" "${header_dir}")
install(TARGETS sinter_runtime EXPORT sinterRuntimeTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
        INCLUDES DESTINATION ${header_paths})
install(TARGETS sinter_ir sinter_scheduler sinter_codegen sinter sinter_llvm
        EXPORT sinterCompilerTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiler
        INCLUDES DESTINATION ${header_paths})
install(EXPORT sinterRuntimeTargets NAMESPACE sinter:: DESTINATION "${package_dir}"
        COMPONENT runtime)
install(EXPORT sinterCompilerTargets NAMESPACE sinter:: DESTINATION "${package_dir}"
        COMPONENT compiler)

install(DIRECTORY dsl ir scheduler codegen DESTINATION "${header_dir}" COMPONENT compiler
        FILES_MATCHING PATTERN "*.h" PATTERN "codegen/runtime" EXCLUDE)
install(FILES codegen/runtime/sinter_runtime.h DESTINATION "${header_dir}/codegen/runtime"
        COMPONENT runtime)
# Beside the rooms, what they forward to is found without any include path.
install(FILES "${PROJECT_BINARY_DIR}/include/sinter/sinter.h" DESTINATION "${header_dir}"
        COMPONENT compiler)
install(FILES "${PROJECT_BINARY_DIR}/include/sinter/runtime.h" DESTINATION "${header_dir}"
        COMPONENT runtime)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)

configure_package_config_file(cmake/sinterConfig.cmake.in
  "${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake"
        cmake/SinterAddLibrary.cmake
        DESTINATION "${package_dir}" COMPONENT runtime)
install(FILES cmake/FindZ3.cmake DESTINATION "${package_dir}" COMPONENT compiler)

# pkg-config: relative to where the file lies, so that these move with the tree as well.
file(RELATIVE_PATH pkgconfig_to_prefix "/${pkgconfig_dir}" "/")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
if(SINTER_STATIC_LLVM)
  list(JOIN llvm_libs " " pkgconfig_llvm)
  string(APPEND pkgconfig_llvm " ${SINTER_ZLIB} ${SINTER_ZSTD}")
else()
  set(pkgconfig_llvm "-lLLVM-22")
endif()
foreach(package IN ITEMS sinter sinter_runtime)
  configure_file("cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/cmake/${package}.pc" @ONLY)
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/cmake/sinter_runtime.pc" DESTINATION "${pkgconfig_dir}"
        COMPONENT runtime)
install(FILES "${PROJECT_BINARY_DIR}/cmake/sinter.pc" DESTINATION "${pkgconfig_dir}"
        COMPONENT compiler)
