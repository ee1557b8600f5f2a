# What the program that is handed out is linked with (docs/decisions/043): Debian's archives without what nothing in it
# calls, and without tables for unwinding C, through which no exception passes.
enable_language(ASM)
set(partita_archives "${CMAKE_BINARY_DIR}/archives")
file(MAKE_DIRECTORY "${partita_archives}")
set(originals "")
foreach(name crypto ssl zstd lz4 deflate xxhash)
  find_library(PARTITA_ARCHIVE_${name} lib${name}.a REQUIRED)
  list(APPEND originals "${PARTITA_ARCHIVE_${name}}")
  execute_process(
    COMMAND "${CMAKE_OBJCOPY}" --enable-deterministic-archives --remove-section=.eh_frame --remove-section=.comment
      "${PARTITA_ARCHIVE_${name}}" "${partita_archives}/new.a" COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE "${partita_archives}/new.a" "${partita_archives}/lib${name}.a" ONLY_IF_DIFFERENT)
endforeach()
set(OPENSSL_CRYPTO_LIBRARY "${partita_archives}/libcrypto.a" CACHE FILEPATH "" FORCE)
set(OPENSSL_SSL_LIBRARY "${partita_archives}/libssl.a" CACHE FILEPATH "" FORCE)

execute_process(
  COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/stubs.py" "${CMAKE_CURRENT_LIST_DIR}/left_out.txt" "${CMAKE_NM}"
    ${CMAKE_SYSTEM_PROCESSOR} ${originals}
  OUTPUT_VARIABLE stubs COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT "${partita_archives}/stubs.s" CONTENT "${stubs}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_LIST_DIR}/stubs.py" "${CMAKE_CURRENT_LIST_DIR}/left_out.txt" ${originals})

# lld folds functions of equal code, of which templates leave many.
find_program(PARTITA_LLD NAMES ld.lld-19 ld.lld REQUIRED)
file(CREATE_LINK "${PARTITA_LLD}" "${partita_archives}/ld.lld" SYMBOLIC)
set(PARTITA_PORTABLE_LINK "-B${partita_archives}" -fuse-ld=lld "-L${partita_archives}"
  -Wl,--icf=all,--gc-sections,-O2,--build-id=none,--no-rosegment)

# Stand-ins for the C library with the symbols of an older one, and its parts of that time, which are empty since 2.34.
set(PARTITA_OLDEST_GLIBC 2.28)
set(partita_glibc "${partita_archives}/glibc")
file(MAKE_DIRECTORY "${partita_glibc}")
set(libraries libc.so.6 libm.so.6)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  list(APPEND libraries ld-linux-aarch64.so.1)  # has the number that guards stacks
endif()
foreach(name IN LISTS libraries)
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=${name}
    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/old_glibc.py" "${library}" ${PARTITA_OLDEST_GLIBC}
      "${partita_glibc}/${name}.s" "${partita_glibc}/${name}.map" COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[.]so[.].*" ".so" short ${name})
  execute_process(
    COMMAND "${CMAKE_C_COMPILER}" -shared -nostdlib -Wl,-soname,${name} -Wl,--version-script=${name}.map
      -o ${short} ${name}.s
    WORKING_DIRECTORY "${partita_glibc}" COMMAND_ERROR_IS_FATAL ANY)
  if(name MATCHES "^ld-")
    set(loader "${partita_glibc}/${short}")
  endif()
endforeach()
foreach(name pthread.so.0 dl.so.2)
  file(WRITE "${partita_glibc}/empty.s" ".section .note.GNU-stack,\"\",%progbits\n")
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -shared -nostdlib -Wl,-soname,lib${name} -o lib${name} empty.s
    WORKING_DIRECTORY "${partita_glibc}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libc_nonshared.a
  OUTPUT_VARIABLE nonshared OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(PARTITA_GLIBC_LINK "-L${partita_glibc}" -Wl,--wrap=__libc_start_main -Wl,--no-as-needed
  "${partita_glibc}/libpthread.so.0" "${partita_glibc}/libdl.so.2" -Wl,--as-needed ${loader} "${nonshared}")
