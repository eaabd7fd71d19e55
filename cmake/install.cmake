# What `cmake --install` puts where; the Debian package (debian/) is made of the same.
# With any prefix but /usr, adapt the path of the binaries in etad.service.
include(GNUInstallDirs)
set(ETAD_UNIT_DIR ${CMAKE_INSTALL_PREFIX}/lib/systemd/system CACHE PATH "Where systemd's units go")

if(TARGET etad)
  install(TARGETS etad RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
endif()
if(TARGET etactl)
  install(TARGETS etactl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY etc/rules.d DESTINATION ${CMAKE_INSTALL_DATADIR}/etad FILES_MATCHING PATTERN "*.toml")
install(FILES etc/etad.toml DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/etad)
install(DIRECTORY DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/etad/rules.d) # the administrator's own

install(FILES systemd/etad.service systemd/etad.socket DESTINATION ${ETAD_UNIT_DIR})
install(FILES systemd/sysusers.d/etad.conf DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/sysusers.d)
install(FILES systemd/tmpfiles.d/etad.conf DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/tmpfiles.d)

install(FILES man/etactl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES man/etad.toml.5 man/etad-rules.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES man/etad.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES completions/etactl.bash RENAME etactl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/etad.bash RENAME etad DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_etactl completions/_etad DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

install(FILES systemd/read-all-logs.conf systemd/read-command-lines.conf etc/grafana/etad.json etc/prometheus/etad.rules.yml
              etc/prometheus/etad-metrics.service etc/prometheus/etad-metrics.timer
              examples/gpu-trace/gpu-trace.service examples/gpu-trace/gpu-trace.logrotate
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
