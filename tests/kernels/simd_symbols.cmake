# Fails if a vectorised object offers a symbol outside its build's namespace: the linker could
# choose that copy for code that runs on every CPU.
#
#     cmake -DNM=nm -DBUILD=avx512 -DOBJECTS=a.o,b.o -P simd_symbols.cmake
string(REPLACE "," ";" objects "${OBJECTS}")
if(NOT objects)
  message(FATAL_ERROR "no objects given")
endif()
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} -C --defined-only --extern-only ${object}
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "\n$" "" output "${output}")
  string(REPLACE ";" "," output "${output}")
  string(REPLACE "\n" ";" lines "${output}")
  if(NOT lines)
    message(FATAL_ERROR "${object}: no symbols")
  endif()
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "hyperpp::kernels::${BUILD}::" AND NOT line MATCHES " [VW] DW\\.ref\\.")
      message(SEND_ERROR "${object}: ${line}: outside hyperpp::kernels::${BUILD}")
    endif()
  endforeach()
endforeach()
