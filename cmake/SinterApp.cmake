# sinter_add_app(<name>)
#
# The library of one application: every source of its folder, the algorithm with its schedules. All of them together are the target
# sinter_apps, for the benchmark and the tests.
add_library(sinter_apps INTERFACE)
function(sinter_add_app name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_library(sinter_app_${name} STATIC ${sources})
  target_link_libraries(sinter_app_${name} PUBLIC sinter PRIVATE sinter_warnings)
  target_link_libraries(sinter_apps INTERFACE sinter_app_${name})
endfunction()
