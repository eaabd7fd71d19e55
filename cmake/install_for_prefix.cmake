# Run by `cmake --install` with the prefix of this installation: installs what names paths, with those of the
# prefix in place of /usr's and /etc's. A configuration that is there already is somebody's: it stays as it is.

function(below folder out) # absolute, or below the prefix
  if(NOT IS_ABSOLUTE "${folder}")
    set(folder "${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

foreach(folder SBINDIR BINDIR DATADIR DOCDIR MANDIR SYSCONFDIR UNIT_DIR)
  below("${ETAD_${folder}}" ETAD_${folder})
endforeach()
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(ETAD_SYSCONFDIR /etc)
endif()

function(install_file file folder)
  file(READ "${ETAD_SOURCE_DIR}/${file}" text)
  string(REPLACE "/usr/sbin/etad" "${ETAD_SBINDIR}/etad" text "${text}")
  string(REPLACE "/usr/share/doc/etad" "${ETAD_DOCDIR}" text "${text}")
  string(REPLACE "/usr/share/etad/" "${ETAD_DATADIR}/etad/" text "${text}")
  string(REPLACE "/etc/etad/" "${ETAD_SYSCONFDIR}/etad/" text "${text}")
  file(WRITE "${ETAD_WORK_DIR}/${file}" "${text}")
  file(INSTALL "${ETAD_WORK_DIR}/${file}" DESTINATION "${folder}")
endfunction()

install_file(systemd/etad.service "${ETAD_UNIT_DIR}")
install_file(systemd/etad.socket "${ETAD_UNIT_DIR}")
# In the data folder, where a user's systemd looks below /usr, /usr/local and ~/.local alike.
install_file(systemd/user/etad.service "${ETAD_DATADIR}/systemd/user")
install_file(systemd/etad-export.service "${ETAD_UNIT_DIR}")
foreach(page etad-fleet.1 export.toml.5 etad-export.8)
  string(REGEX REPLACE ".*\\." "" section ${page})
  install_file(man/${page} "${ETAD_MANDIR}/man${section}")
endforeach()
install_file(man/etactl.1 "${ETAD_MANDIR}/man1")
install_file(man/etad.toml.5 "${ETAD_MANDIR}/man5")
install_file(man/etad-rules.5 "${ETAD_MANDIR}/man5")
install_file(man/etad.8 "${ETAD_MANDIR}/man8")
if(NOT EXISTS "$ENV{DESTDIR}${ETAD_SYSCONFDIR}/etad/etad.toml")
  install_file(etc/etad.toml "${ETAD_SYSCONFDIR}/etad")
endif()
if(NOT EXISTS "$ENV{DESTDIR}${ETAD_SYSCONFDIR}/etad/export.toml")
  install_file(etc/export.toml "${ETAD_SYSCONFDIR}/etad")
endif()
file(MAKE_DIRECTORY "$ENV{DESTDIR}${ETAD_SYSCONFDIR}/etad/rules.d") # the administrator's own
