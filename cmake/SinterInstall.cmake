# Installation: the libraries, every header (below include/sinter, so that "ir/expr.h" stays out of
# everybody's way), and a CMake package that offers sinter::sinter and sinter::runtime.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sinter")
set(header_dir "${CMAKE_INSTALL_INCLUDEDIR}/sinter")

install(TARGETS sinter_ir sinter_scheduler sinter_runtime sinter_codegen sinter sinter_llvm
        EXPORT sinterTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${header_dir}")
install(DIRECTORY dsl ir scheduler codegen DESTINATION "${header_dir}"
        FILES_MATCHING PATTERN "*.h")
# Beside the rooms, its "dsl/sinter.h" is found without any include path.
install(FILES "${PROJECT_BINARY_DIR}/include/sinter/sinter.h" DESTINATION "${header_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT sinterTargets NAMESPACE sinter:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/sinterConfig.cmake.in
  "${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake"
              cmake/FindZ3.cmake
        DESTINATION "${package_dir}")
