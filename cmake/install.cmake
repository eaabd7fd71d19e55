# What `cmake --install` puts where; the Debian package (debian/) is made of the same.
#
# The prefix is known only when the files are installed (`cmake --install build --prefix …`). The programs find
# their rules and configuration from where they lie (daemon/paths); units, manual pages and the configuration's
# own comments name paths, and are written for the prefix by install_for_prefix.cmake.
if(TARGET etad)
  install(TARGETS etad RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
endif()
if(TARGET etad-export)
  install(TARGETS etad-export RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
  install(TARGETS etad-fleet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET etactl)
  install(TARGETS etactl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY etc/rules.d DESTINATION ${CMAKE_INSTALL_DATADIR}/etad FILES_MATCHING PATTERN "*.toml")

set(ETAD_SYSTEM_UNIT_DIR lib/systemd/system CACHE STRING "Where systemd's units go, below the prefix or absolute")
set(ETAD_VARIABLES SOURCE_DIR=${CMAKE_SOURCE_DIR} WORK_DIR=${CMAKE_BINARY_DIR}/for_prefix UNIT_DIR=${ETAD_SYSTEM_UNIT_DIR})
foreach(folder BINDIR SBINDIR DATADIR DOCDIR MANDIR SYSCONFDIR)
  list(APPEND ETAD_VARIABLES ${folder}=${CMAKE_INSTALL_${folder}})
endforeach()
foreach(variable ${ETAD_VARIABLES})
  string(REGEX REPLACE "^([A-Z_]+)=(.*)$" "set(ETAD_\\1 \"\\2\")" line "${variable}")
  install(CODE "${line}")
endforeach()
install(SCRIPT cmake/install_for_prefix.cmake)

# What manual pages and messages send readers to. The package leaves it as it is (debian/rules).
install(FILES README.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN page EXCLUDE)
install(DIRECTORY contrib/slurm DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples USE_SOURCE_PERMISSIONS)
install(FILES contrib/python/etad.py DESTINATION lib/python3/dist-packages)
install(DIRECTORY page DESTINATION ${CMAKE_INSTALL_DATADIR}/etad)
install(FILES systemd/sysusers.d/etad.conf systemd/sysusers.d/etad-export.conf DESTINATION lib/sysusers.d)
install(FILES systemd/tmpfiles.d/etad.conf DESTINATION lib/tmpfiles.d)
install(FILES completions/etactl.bash RENAME etactl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/etad.bash RENAME etad DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_etactl completions/_etad DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES systemd/read-all-logs.conf systemd/read-command-lines.conf systemd/run-alert-command.conf etc/grafana/etad.json etc/prometheus/etad.rules.yml
              etc/prometheus/etad-metrics.service etc/prometheus/etad-metrics.timer
              examples/gpu-trace/gpu-trace.service examples/gpu-trace/gpu-trace.logrotate
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
