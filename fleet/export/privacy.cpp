#include "fleet/export/privacy.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

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

bool keeps_all(const Privacy& privacy) {
  return privacy.networks == Names::keep && privacy.paths == Names::keep && privacy.users == Names::keep;
}

void make_private(RunRow& row, const Privacy& privacy) {
  std::vector<std::string> names;  // what free text must not hold
  const auto hide = [&](const std::string& name, Names how) {
    if (how != Names::keep && !name.empty()) names.push_back(lower(name));
  };
  const auto label = [&](const char* name) {
    const auto found = row.labels.find(name);
    return found == row.labels.end() ? std::string() : found->second;
  };
  hide(row.run.network, privacy.networks);
  hide(label("network"), privacy.networks);
  hide(label("user"), privacy.users);
  if (privacy.paths != Names::keep) names.emplace_back("/");
  const auto tells = [&](const auto& each) {
    const std::string value = lower(each.second);
    return std::ranges::any_of(
        names, [&](const std::string& name) { return value.find(name) != std::string::npos; });
  };
  std::erase_if(row.run.settings, tells);
  std::erase_if(row.labels, [&](const auto& each) {
    return each.first != "network" && each.first != "user" && tells(each);  // those are hashed
  });
  if (!keeps_all(privacy)) row.run.message.clear();
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
  for (auto& run : changes.runs) {
    if (run.now) make_private(*run.now, privacy);
    if (privacy.users == Names::omit) run.places.clear();  // those of one user have the same
  }
  if (keeps_all(privacy)) return;
  for (auto& architecture : changes.architectures) {
    for (Layer& layer : architecture.layers) {
      layer.parameters.clear();  // such as where its data are; whose network it is, is not told with it
      if (privacy.networks != Names::keep) layer.name = layer.type;
    }
  }
}

}  // namespace etad::fleet
