# `cmake --install` gives a find_package(hyperpp) library, the program, and the headers. Packages keep
# the names they have here: hyperpp::core, hyperpp::kernels, ...
get_property(packages GLOBAL PROPERTY HYPERPP_PACKAGES)
foreach(package IN LISTS packages)
  string(REGEX REPLACE "^hyperpp_" "" name ${package})
  set_target_properties(${package} PROPERTIES EXPORT_NAME ${name})
endforeach()
set(HYPERPP_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hyperpp)

install(TARGETS ${packages} EXPORT hyperppTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET hyperpp)
  install(TARGETS hyperpp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/hyperpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(EXPORT hyperppTargets NAMESPACE hyperpp:: DESTINATION ${HYPERPP_CONFIG_DIR})

include(CMakePackageConfigHelpers)
list(TRANSFORM packages REPLACE "^hyperpp_" "hyperpp::" OUTPUT_VARIABLE HYPERPP_EXPORTED)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/hyperppConfig.cmake.in
    ${CMAKE_BINARY_DIR}/hyperppConfig.cmake INSTALL_DESTINATION ${HYPERPP_CONFIG_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hyperppConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hyperppConfig.cmake ${CMAKE_BINARY_DIR}/hyperppConfigVersion.cmake
        ${CMAKE_SOURCE_DIR}/cmake/HyperppTorch.cmake ${CMAKE_SOURCE_DIR}/cmake/HyperppCuda.cmake
        DESTINATION ${HYPERPP_CONFIG_DIR})
