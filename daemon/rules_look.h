// Whether the sources that no rule knew are to be looked at again, since other rules are in force.
#pragma once

#include "daemon/shared_writer.h"
#include "parsers/rules/format.h"

namespace etad {

class RulesLook {
 public:
  // Without formats there is nothing to look for.
  RulesLook(SharedWriter& writer, const FormatSet* formats) : writer_(writer), formats_(formats) {}

  // At a start. A full disk stops none: what could not be written down is owed.
  Result<void> begin();
  // Once there is room. True: sources are to be looked at again, so that all begins anew from what the history holds.
  Result<bool> again_if_owed();

 private:
  Result<std::int64_t> look();

  SharedWriter& writer_;
  const FormatSet* formats_;
  bool owed_ = false;
};

}  // namespace etad
