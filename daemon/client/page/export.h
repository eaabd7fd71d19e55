// The page as one file that needs neither etactl nor the daemon: to mail, or to keep.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/client/link/http_client.h"
#include "daemon/client/page/assets.h"

namespace etad::client {

struct ExportedPage {
  std::string text;
  std::vector<std::string> left_out;  // what did not fit, in words: "run 12"; the file tells it, too
};

// Asks the daemon for what the page would ask it for, as it is now: the lists, the curves of each network and its
// runs, the newest runs in full.
Result<ExportedPage> exported_page(const std::function<Result<Response>(const std::string& target)>& ask,
                                   const PageAssets& assets);

// Writes a new file that only its owner may read; false: it can't be written.
bool write_private(const std::string& path, std::string_view text);
// The same in the place of a file that is there: one written over would stay readable to whom it was before.
bool replace_private(const std::string& path, std::string_view text);

}  // namespace etad::client
