// etactl check-rules: whether rule files are right, and with a log what they would make of it. No daemon is
// asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/client/commands.h"
#include "daemon/paths/paths.h"
#include "parsers/base/error.h"

namespace etad {
class FormatSet;
}

namespace etad::client {

struct RuleCheck {
  std::vector<std::string> files;      // or folders of them; none: those that are installed
  std::string log;                     // to try them on, "-": what is piped in; empty: none
  std::vector<std::string> installed;  // folders; a file in a later one replaces its namesake
};

// The folders of the rule files that would read a caller's logs: those of the machine's daemon and of the user's own, as
// their configurations name them. Of a configuration that can't be read this is said on stderr, and the usual folders are
// taken.
std::vector<std::string> installed_rules(const paths::Paths& system, const paths::Paths& user);

// Loads the rule files, runs their samples, and checks them against each other and against the installed ones (those that
// they would replace left out). The exit code.
int check_rules(const Common& common, const RuleCheck& asked);

// What these formats make of a log ("-": what is piped in), read as an import reads it: its format, runs, and the lines
// that no rule matches. An error where it can't be read.
Result<Object> try_rules(const FormatSet& formats, const std::string& path);
std::string tried_text(const Object& log);

}  // namespace etad::client
