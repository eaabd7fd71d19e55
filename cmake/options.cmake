# How everything is compiled: the language, the warnings, the sanitizers.
include(CTest) # defines BUILD_TESTING, on by default
option(ETAD_WERROR "Treat warnings as errors (on in CI)" OFF)
option(ETAD_BENCH "Build the benchmarks" OFF)
option(ETAD_UNITY "Compile several source files at a time: faster from nothing, slower after a change" OFF)
option(ETAD_FUZZ "Build the fuzz targets with libFuzzer (needs clang)" OFF)
set(ETAD_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize= takes them")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A second compilation of the same translation unit costs nothing where ccache is installed.
find_program(ETAD_CCACHE ccache)
if(ETAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ETAD_CCACHE})
endif()

# Carried by every target of ours; third-party headers come in as SYSTEM and stay silent.
add_library(etad_flags INTERFACE)
target_compile_options(etad_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  $<$<BOOL:${ETAD_WERROR}>:-Werror>)
# GCC 12 warns of overlaps that can't be in std::string's operator+ (GCC bug 105651, mended in 13).
target_compile_options(etad_flags INTERFACE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(ETAD_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 64)
  # GCC takes what is included for a header, where what is of one file only might be of several; and what a
  # function calls its own is also what another file calls its own.
  target_compile_options(etad_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage$<SEMICOLON>-Wno-shadow$<SEMICOLON>-Wshadow=local>)
endif()
if(ETAD_SANITIZE)
  target_compile_options(etad_flags INTERFACE -fsanitize=${ETAD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Of the checks this one alone can't be had for coroutines (clang 14).
  target_compile_options(etad_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_compile_options(etad_flags INTERFACE
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/foreign_headers.txt>)
  # Such programs are large: lld links them in a third of the time.
  target_link_options(etad_flags INTERFACE -fsanitize=${ETAD_SANITIZE} $<$<CXX_COMPILER_ID:Clang>:-fuse-ld=lld>)
  # Optimized, a room takes two and a half times as long to compile and a fifth of the time to run: that pays where its
  # tests fail every call in turn, and nowhere else.
  set(ETAD_ROOMS_WORTH_OPTIMIZING base lines follow)
  if(ETAD_SANITIZE MATCHES "thread") # it knows no fences; Asio's own are beside the locks it holds anyway
    target_compile_definitions(etad_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
