#include "daemon/client/page/assets.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>

#include "daemon/paths/paths.h"

namespace etad::client {
namespace {

constexpr std::string_view kVendor = "vendor/";
constexpr char kChartLibrary[] = "/usr/share/javascript/dygraphs";  // of the package libjs-dygraphs

// Each behind those it imports from; main.js is the last.
constexpr std::array kModules = {"js/format.js",
                                 "js/dom.js",
                                 "js/api.js",
                                 "js/live.js",
                                 "js/plot.js",
                                 "js/series.js",
                                 "js/traces.js",
                                 "js/screens/now.js",
                                 "js/screens/runs.js",
                                 "js/screens/run.js",
                                 "js/screens/network.js",
                                 "js/screens/ask.js",
                                 "js/screens/record.js",
                                 "js/screens/sources.js",
                                 "js/main.js"};

bool is_of_page(std::string_view name) {
  return name == "index.html" || name == "app.css" || name.starts_with(kVendor) ||
         std::find(kModules.begin(), kModules.end(), name) != kModules.end();
}

// "'sha256-…'" as a Content-Security-Policy names a script or style that it allows.
std::string csp_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::array<unsigned char, 64> base64{};
  EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return "'sha256-" + std::string(reinterpret_cast<const char*>(base64.data())) + "'";
}

// JSON inside a script element: nothing in it can end the element or begin a comment.
std::string inert(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

PageAssets PageAssets::installed() {
  return {paths::page_folder(paths::own_prefix(), paths::process_environment()), kChartLibrary};
}

Result<std::string> PageAssets::read(std::string_view name) const {
  if (!is_of_page(name)) return fail("there is no such page", "the page is at /");
  const bool vendor = name.starts_with(kVendor);
  const std::string path =
      vendor ? library_ + "/" + std::string(name.substr(kVendor.size())) : own_ + "/" + std::string(name);
  std::ifstream in(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) {
    return fail("there is no such file of the page",
                vendor ? "the charts need the package libjs-dygraphs" : "is etad installed whole?", path);
  }
  return out;
}

std::string one_script(const std::vector<std::string>& modules) {
  static const std::regex import(R"(^import [^;]*;\n)", std::regex::multiline);
  static const std::regex exported(R"(^export )", std::regex::multiline);
  std::string out;
  for (const std::string& each : modules) {
    out += std::regex_replace(std::regex_replace(each, import, ""), exported, "");
  }
  return out;
}

Result<std::string> PageAssets::export_with(std::string_view data, std::string_view tables) const {
  std::string styles, library;
  for (const char* const name : {"vendor/dygraph.min.css", "app.css"}) {
    auto text = read(name);
    if (!text) return tl::unexpected(text.error());
    styles += *text + "\n";
  }
  auto charts = read("vendor/dygraph.min.js");
  if (!charts) return tl::unexpected(charts.error());
  std::vector<std::string> modules;
  for (const char* const name : kModules) {
    auto text = read(name);
    if (!text) return tl::unexpected(text.error());
    modules.push_back(std::move(*text));
  }
  const std::string script = one_script(modules);
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src " +
         csp_hash(styles) + "; script-src " + csp_hash(*charts) + " " + csp_hash(script) +
         "; img-src data:\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>etad</title>\n<style>" + styles +
         "</style>\n";
  out += "</head>\n<body>\n<div id=\"app\">" + std::string(tables) + "</div>\n";
  out += "<script type=\"application/json\" id=\"data\">" + inert(data) + "</script>\n";
  out +=
      "<script>" + *charts + "</script>\n<script type=\"module\">" + script + "</script>\n</body>\n</html>\n";
  return out;
}

std::string_view content_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace etad::client
