#include "fleet/export/privacy.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace etad::fleet {
namespace {

void change(std::string& name, Names how, const std::string& salt) {
  if (how == Names::keep || name.empty()) return;
  name = how == Names::hash ? hashed(name, salt) : "";
}

void change(std::map<std::string, std::string>& labels, const std::string& label, Names how,
            const std::string& salt) {
  const auto found = labels.find(label);
  if (found == labels.end()) return;
  change(found->second, how, salt);
  if (found->second.empty()) labels.erase(found);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void make_private(RunRow& row, const Privacy& privacy) {
  const std::string network = lower(row.run.network);
  const auto tells = [&](const auto& each) {
    const std::string& value = each.second;
    if (privacy.paths != Names::keep && value.find('/') != std::string::npos) return true;
    return privacy.networks != Names::keep && !network.empty() &&
           lower(value).find(network) != std::string::npos;
  };
  std::erase_if(row.run.settings, tells);
  if (privacy.paths != Names::keep)
    std::erase_if(row.labels, [](const auto& each) { return each.second.find('/') != std::string::npos; });
  if (privacy.networks != Names::keep || privacy.paths != Names::keep || privacy.users != Names::keep)
    row.run.message.clear();
  change(row.run.network, privacy.networks, privacy.salt);
  change(row.labels, "network", privacy.networks, privacy.salt);
  if (privacy.networks != Names::keep) row.labels.erase("job");  // a job's name tells what is trained
  change(row.source, privacy.paths, privacy.salt);
  change(row.labels, "user", privacy.users, privacy.salt);
  if (privacy.users == Names::omit) row.owner.reset();
  if (privacy.users == Names::hash && row.owner) {
    const std::string hash = hashed(std::to_string(*row.owner), privacy.salt);
    std::int64_t number = 0;
    std::from_chars(hash.data(), hash.data() + 12, number, 16);
    row.owner = number;
  }
}

}  // namespace

std::string hashed(std::string_view name, const std::string& salt) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), salt.data(), static_cast<int>(salt.size()),
       reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    out += kDigits[digest[i] >> 4U];
    out += kDigits[digest[i] & 15U];
  }
  return out;
}

void make_private(Changes& changes, const Privacy& privacy) {
  for (auto& run : changes.runs)
    if (run.now) make_private(*run.now, privacy);
  if (privacy.networks == Names::keep) return;
  for (auto& architecture : changes.architectures)
    for (Layer& layer : architecture.layers) layer.name = layer.type;
}

}  // namespace etad::fleet
