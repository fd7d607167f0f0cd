# find_package(farcall CONFIG) gives two targets:
#
#   farcall::farcall   the shared library
#   farcall::static    the static library, with what it needs of the system

if(TARGET farcall::farcall)
  return()
endif()

# Links on the way are followed: /lib may be /usr/lib.
get_filename_component(farcall_prefix "${CMAKE_CURRENT_LIST_DIR}/@prefix@" REALPATH)
set(farcall_libdir "${farcall_prefix}/@libdir@")

foreach(farcall_file IN ITEMS "${farcall_prefix}/include/farcall.h" "${farcall_libdir}/@soname@")
  if(NOT EXISTS "${farcall_file}")
    set(farcall_FOUND FALSE)
    set(farcall_NOT_FOUND_MESSAGE "${farcall_file} is not there")
    return()
  endif()
endforeach()

add_library(farcall::farcall SHARED IMPORTED)
set_target_properties(farcall::farcall PROPERTIES
  IMPORTED_LOCATION "${farcall_libdir}/libfarcall.so.@version@"
  IMPORTED_SONAME "@soname@"
  INTERFACE_INCLUDE_DIRECTORIES "${farcall_prefix}/include")

if(EXISTS "${farcall_libdir}/libfarcall.a")
  add_library(farcall::static STATIC IMPORTED)
  set_target_properties(farcall::static PROPERTIES
    IMPORTED_LOCATION "${farcall_libdir}/libfarcall.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${farcall_prefix}/include"
    INTERFACE_LINK_LIBRARIES "util;rt;pthread;m;dl")
endif()

unset(farcall_file)
unset(farcall_libdir)
unset(farcall_prefix)
