#include "daemon/rules_look.h"

namespace etad {

Result<void> RulesLook::begin() {
  const auto sources = look();
  owed_ = !sources && sources.error().kind == ErrorKind::exhausted;
  if (!sources && !owed_) return tl::unexpected(sources.error());
  return {};
}

Result<bool> RulesLook::again_if_owed() {
  if (!owed_) return false;
  const auto sources = look();
  if (!sources) return tl::unexpected(sources.error());
  owed_ = false;
  return *sources > 0;
}

Result<std::int64_t> RulesLook::look() {
  if (formats_ == nullptr) return 0;
  return writer_.with([&](Writer& writer) { return writer.look_again(formats_->fingerprint()); });
}

}  // namespace etad
