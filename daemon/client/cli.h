// etactl's command line.
#pragma once

namespace etad::client {

// Parses and does; the exit code: 0 done, 1 the daemon answered with an error, 2 wrong usage, 3 no daemon.
int run(int argc, const char* const* argv, const char* version);

}  // namespace etad::client
