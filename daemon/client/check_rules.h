// etactl check-rules: whether rule files are right, and with a log what they would make of it. No daemon is
// asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/client/commands.h"

namespace etad {
class FormatSet;
}

namespace etad::client {

struct RuleCheck {
  std::vector<std::string> files;      // or folders of them; none: those that are installed
  std::string log;                     // to try them on; empty: none
  std::vector<std::string> installed;  // folders; a file in a later one replaces its namesake
};

// Loads the rule files, their samples included, and checks them against each other and against those that are
// installed, but for the files there that they would replace.
int check_rules(const Common& common, const RuleCheck& asked);

// What these formats make of a log: its format, runs, and the lines that no rule matches. Nothing: it can't
// be read.
std::optional<Object> try_rules(const FormatSet& formats, const std::string& path);
std::string tried_text(const Object& log);

}  // namespace etad::client
