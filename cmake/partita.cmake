# How every folder of src/ becomes a library, and every *_test.cc a test.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The program that is handed out (docs/decisions/043): compiled for size, and run on any Linux of its processor.
option(PARTITA_PORTABLE "Compile for size, and link for every distribution; only the program" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

find_package(Threads REQUIRED)
if(PARTITA_PORTABLE)
  include("${CMAKE_SOURCE_DIR}/cmake/portable/portable.cmake")
  # Its tests are those of the release build.
  add_library(GTest::gtest INTERFACE IMPORTED GLOBAL)
  add_library(GTest::gtest_main INTERFACE IMPORTED GLOBAL)
else()
  find_package(GTest REQUIRED)
endif()
# The archives: of the shared libraries all relocations would be done at every start, which takes 0.7 ms of 2.8. What
# Debian mends in them reaches the program by a new build: `./dev package` links the newest.
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL REQUIRED)

set(PARTITA_SANITIZE "" CACHE STRING "address, thread or nothing")

# What makes a mistake in memory harder to exploit, in all that is compiled: RocksDB, simdjson, and Partita's own. It
# costs about 3 % of a request's instructions; -ftrivial-auto-var-init=zero would cost 0.5 to 2 % more. tests/debian
# checks it.
# Of CET only the shadow stack: Linux has no branch tracking for programs, and Debian's archives are not made for it.
set(PARTITA_HARDENING
  -fPIC -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
set(PARTITA_LINK_HARDENING -pie -Wl,-z,relro,-z,now,-z,noexecstack)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND PARTITA_HARDENING -fcf-protection=return)
  list(APPEND PARTITA_LINK_HARDENING -Wl,-z,shstk)
endif()

# In a release PARTITA_HARDENING has it; the fuzzers need none.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PARTITA_FUZZ)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
# The program and the shared library are linked of the same objects. Hidden names cost no more than in a program alone,
# and thread-local variables keep their place in the block that a thread has from its start.
# The linker leaves out each function and table that nothing refers to. Tests put functions before the C library's.
set(PARTITA_OBJECTS
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,STATIC_LIBRARY>:-fvisibility=hidden>
  -ftls-model=initial-exec -ffunction-sections -fdata-sections)

add_library(partita_options INTERFACE)
target_include_directories(partita_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(partita_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror -march=x86-64-v2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set_property(TARGET partita_options PROPERTY INTERFACE_COMPILE_OPTIONS
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PARTITA_SANITIZE)
  # The program is the same wherever it is built, also with a ccache that makes paths relative.
  file(RELATIVE_PATH sources "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
  target_compile_options(partita_options INTERFACE ${PARTITA_HARDENING} ${PARTITA_OBJECTS}
    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${sources}=")
endif()
if(PARTITA_PORTABLE)  # the other builds have the warnings; -Os has some false ones of its own
  target_compile_options(partita_options INTERFACE -w)
endif()
if(PARTITA_SANITIZE STREQUAL "address")
  target_compile_options(partita_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(partita_options INTERFACE -fsanitize=address,undefined)
elseif(PARTITA_SANITIZE STREQUAL "thread")
  target_compile_options(partita_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(partita_options INTERFACE -fsanitize=thread)
endif()
if(PARTITA_SANITIZE)  # g++ 12 takes what the sanitizers add to the standard library's code for a fault of ours
  target_compile_options(partita_options INTERFACE -Wno-maybe-uninitialized -Wno-tsan -Wno-restrict)
endif()

# Three quarters of the time to compile a file go to the headers that it includes, so several files are compiled as one.
# OFF: each on its own, which is quicker when one file was changed.
option(PARTITA_UNITY "Compile several files of a folder as one" ON)
set(PARTITA_UNITY_FILES 16 CACHE STRING "how many files of a folder are compiled as one")
if(PARTITA_UNITY)  # g++ takes the included files for headers, whose anonymous namespaces would be a fault
  target_compile_options(partita_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# Puts into `result` the files that stand for these: each includes up to PARTITA_UNITY_FILES of them, by names that are
# the same in every checkout, so that ccache knows them again. A file with SKIP_UNITY_BUILD_INCLUSION stays alone, and
# so does one of another folder. Without PARTITA_UNITY all do.
function(partita_unity result name)
  if(NOT PARTITA_UNITY)
    set(${result} "${ARGN}" PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH folder "${CMAKE_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")  # of tests/: begins with "../"
  set(units "")
  set(text "")
  set(count 0)
  set(number 0)
  foreach(file IN LISTS ARGN ITEMS "")
    get_source_file_property(alone "${file}" SKIP_UNITY_BUILD_INCLUSION)
    if(file AND (alone OR IS_ABSOLUTE "${file}"))
      list(APPEND units "${file}")
      continue()
    endif()
    if(file)
      string(APPEND text "#include \"${folder}/${file}\"\n")
      math(EXPR count "${count} + 1")
    endif()
    if(text AND (count EQUAL PARTITA_UNITY_FILES OR NOT file))
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}_${number}.cc")
      file(GENERATE OUTPUT "${unit}" CONTENT "${text}")
      list(APPEND units "${unit}")
      set(text "")
      set(count 0)
      math(EXPR number "${number} + 1")
    endif()
  endforeach()
  set(${result} "${units}" PARENT_SCOPE)
endfunction()

# The folder of a source of Debian's in `root`; if it cannot be had, `failed` is true and `why` says the reason.
macro(partita_fetch name version package package_version sha256)
  execute_process(
    COMMAND "${CMAKE_SOURCE_DIR}/cmake/fetch.sh" ${name} ${version} ${package} ${package_version} ${sha256}
    RESULT_VARIABLE failed OUTPUT_VARIABLE root ERROR_VARIABLE why
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
endmacro()

# partita_library(NAME [SOURCES file...] [COLD file...] [USES folder...] [SYSTEM library...] [HIDDEN library...])
# COLD files are on the path of no item's request, nor of work on whole tables: they are compiled in half the time.
# USES names the lower folders it may include; SYSTEM libraries show in its headers, HIDDEN ones do not.
function(partita_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COLD;USES;SYSTEM;HIDDEN" ${ARGN})
  partita_unity(sources ${name} ${ARG_SOURCES})
  partita_unity(cold ${name}_cold ${ARG_COLD})
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND cold AND NOT PARTITA_PORTABLE)
    set_property(SOURCE ${cold} APPEND PROPERTY COMPILE_OPTIONS -Og -Wno-maybe-uninitialized)
  endif()
  add_library(partita_${name} STATIC ${sources} ${cold})
  target_link_libraries(partita_${name} PUBLIC partita_options ${ARG_SYSTEM} PRIVATE ${ARG_HIDDEN})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(partita_${name} PUBLIC partita_${used})
  endforeach()
  if(PARTITA_UNITY AND NOT PARTITA_SANITIZE AND NOT PARTITA_PORTABLE)
    # g++ inlines less in a large unit unless told how large units are: 6 % of a GetItem's instructions. With a
    # sanitizer that would take half as long again to compile.
    target_compile_options(partita_${name} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:--param=large-unit-insns=1000000>)
  endif()
  partita_link_test(${name})
  partita_thread_exit_test(${name})
endfunction()

# Links the library, whole, with nothing but what it declares: a use of an undeclared folder is an undefined symbol.
# (tests/tidy checks the includes, which also catches headers without symbols.)
function(partita_link_test name)
  add_executable(link_${name} EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/cmake/empty_main.cc")
  target_link_libraries(link_${name} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,partita_${name}>")
  add_test(NAME link_${name} COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target link_${name})
  set_tests_properties(link_${name} PROPERTIES RESOURCE_LOCK build)
endfunction()

# partita_thread_exit_test(NAME): no thread_local has a destructor, because its first use ends the process when there is
# no memory to note it (base/per_thread.h).
function(partita_thread_exit_test name)
  add_test(
    NAME thread_exit_${name}
    COMMAND bash -o pipefail -c "nm --undefined-only '$<TARGET_FILE:partita_${name}>' | { ! grep -w __cxa_thread_atexit; }")
endfunction()

# partita_link_first(TARGET folder...): of an inline function that several files have, the linker takes the first. Those
# of files on the path of requests come before those of COLD ones.
function(partita_link_first target)
  set(hot ${ARGN})
  list(TRANSFORM hot REPLACE "(.+)" "$<PATH:RELATIVE_PATH,$<TARGET_FILE:partita_\\1>,${CMAKE_BINARY_DIR}>")
  target_link_options(${target} PRIVATE -Wl,--whole-archive ${hot} -Wl,--no-whole-archive)
endfunction()

# partita_test(NAME SOURCES file... [LINKS folder...] [SYSTEM library...]): one GoogleTest program, run by ctest.
function(partita_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;SYSTEM" ${ARGN})
  partita_unity(sources ${name} ${ARG_SOURCES})
  add_executable(${name} ${sources} "${CMAKE_SOURCE_DIR}/cmake/quiet.cc")
  foreach(used IN LISTS ARG_LINKS)
    target_link_libraries(${name} PRIVATE partita_${used})
  endforeach()
  target_link_libraries(${name} PRIVATE partita_options partita_base ${ARG_SYSTEM} GTest::gtest GTest::gtest_main)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")  # half the time to compile; the libraries are tested as they are
    target_compile_options(${name} PRIVATE -Og -Wno-maybe-uninitialized)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
