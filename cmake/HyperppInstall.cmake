# `cmake --install` gives a find_package(hyperpp) library, the program, and the headers.
get_property(packages GLOBAL PROPERTY HYPERPP_PACKAGES)
install(TARGETS ${packages} EXPORT hyperppTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET hyperpp)
  install(TARGETS hyperpp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/hyperpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(EXPORT hyperppTargets NAMESPACE hyperpp:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hyperpp)

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/hyperppConfig.cmake.in
    ${CMAKE_BINARY_DIR}/hyperppConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hyperpp)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hyperppConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hyperppConfig.cmake ${CMAKE_BINARY_DIR}/hyperppConfigVersion.cmake
        ${CMAKE_SOURCE_DIR}/cmake/HyperppTorch.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hyperpp)
