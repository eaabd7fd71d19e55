// A scan's slices: names are listed, and those are asked about that are no streams.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {
namespace {

constexpr std::size_t kNames = 16'384;            // of a slice
constexpr std::chrono::milliseconds kSlice{20};   // of calls of the file system, likewise
constexpr std::size_t kMostNew = 2048;            // files that a slice takes up
constexpr std::size_t kFew = 256;                 // names, whose owners are not asked for
constexpr std::chrono::milliseconds kShare{500};  // that one owner's names may cost in one scan
constexpr int kRest = 4;                          // and so many times as long they rest
constexpr std::chrono::seconds kPassedLook{60};

}  // namespace

// False: there is more to list.
bool Follower::Impl::list_names() {
  const std::size_t before = discovery.is_under_way() ? discovery.listed() : 0;
  const auto begun = files.spent();
  const bool done = discovery.go_on(files, kNames, [&] { return files.spent() - begun >= kSlice; });
  listed += discovery.listed() - before;
  return done;
}

void Follower::Impl::begin_taking_up(SteadyTime now) {
  taking_up = std::make_unique<TakingUp>();
  TakingUp& names = *taking_up;
  names.begun = now;
  names.found = discovery.take();
  const auto lacks = [](const auto& each) { return Stream::lacks_descriptors(each.second); };
  if (std::any_of(discovery.unreadable().begin(), discovery.unreadable().end(), lacks) && !open.empty()) {
    close_oldest(0);
    names.found = discovery.scan(files);
  }
  most_open = std::min(most_open + 1, options.max_open);
  for (const Discovery::Found& file : names.found)
    if (!by_path.contains(file.path)) names.unknown.push_back(&file);
  names.more_expected = std::exchange(scan_left_some, false);
  passed_look = now >= next_passed_look;
  if (passed_look) {
    next_passed_look = now + kPassedLook;
    passed_before = std::exchange(passed_over, {});
    passed_of.clear();
  }
  refused = discovery.refused_files();
  unasked.clear();
  if (names.unknown.empty()) return;
  for (const Discovery::Found& file : names.found) {
    names.all.paths.insert(file.path);
    if (file.inode == 0) continue;
    if (const auto known = by_path.find(file.path); known != by_path.end())
      names.all.followed.emplace(file.inode, known->second);
    else
      names.all.others.emplace(file.inode, &file.path);
  }
  if (names.unknown.size() > kFew || !names_rest.empty()) return;
  for (const Discovery::Found* file : std::exchange(names.unknown, {}))
    names.of_owner[std::nullopt].left.push_back(file);
}

// So that who has a hundred thousand keeps nobody's one waiting. Those that no wildcard found come first.
void Follower::Impl::ask_owner(TakingUp& names, const Discovery::Found& found) {
  const auto status = found.literal ? tl::unexpected(ENOENT) : files.status(found.path);
  const auto owner = status ? status->owner : std::nullopt;
  const auto rest = owner ? names_rest.find(*owner) : names_rest.end();
  if (rest != names_rest.end() && names.begun < rest->second.until) {
    scan_left_some = true;
    return;
  }
  names.of_owner[owner].left.push_back(&found);
}

// False: there are more. Then lines are read again first.
bool Follower::Impl::take_up_some(SteadyTime now) {
  TakingUp& names = *taking_up;
  contents.begin_turn(options.batch_bytes, around.wall);
  const auto begun = files.spent();
  const std::size_t most = streams.size() + kMostNew;
  std::size_t asked = 0;
  const auto is_enough = [&] {
    return ++asked > kNames || files.spent() - begun >= kSlice || streams.size() >= most ||
           contents.spent() >= options.batch_bytes;
  };
  for (; names.asked < names.unknown.size(); ++names.asked) {
    if (is_enough()) return false;
    ask_owner(names, *names.unknown[names.asked]);
  }
  if (!std::exchange(names.unknown, {}).empty()) begin_behind_rests(names);
  listing = &names.all;
  while (!names.of_owner.empty() && !is_enough()) {
    const auto next =
        std::ranges::min_element(names.of_owner, {}, [](const auto& each) { return each.second.spent; });
    TakingUp::Names& theirs = next->second;
    const Discovery::Found* const file = theirs.left.front();
    theirs.left.pop_front();
    const auto before = files.spent();
    const Admission admission = admit(*file, names.all, now);
    if (admission == Admission::behind_others) names.read_before[next->first].left.push_back(file);
    names.any_new |= admission == Admission::begun || admission == Admission::put_off;
    theirs.spent += files.spent() - before;
    if (next->first && theirs.left.empty()) names_rest.erase(*next->first);
    if (next->first && !theirs.left.empty() && theirs.spent >= kShare) {
      const auto rest = std::chrono::duration_cast<SteadyTime::duration>(theirs.spent * kRest);
      names_rest[*next->first] = {now + rest, file->path};
      scan_left_some = true;
      theirs.left.clear();
    }
    if (theirs.left.empty()) names.of_owner.erase(next);
    if (names.of_owner.empty() && !std::exchange(names.asks_read_before, true))
      names.of_owner = std::move(names.read_before);
  }
  listing = nullptr;
  return names.of_owner.empty();
}

void Follower::Impl::begin_behind_rests(TakingUp& names) {
  for (auto& [owner, theirs] : names.of_owner) {
    const auto rest = owner ? names_rest.find(*owner) : names_rest.end();
    if (rest == names_rest.end()) continue;
    const auto last = std::ranges::find(theirs.left, rest->second.after, &Discovery::Found::path);
    if (last != theirs.left.end()) std::rotate(theirs.left.begin(), last + 1, theirs.left.end());
  }
}

void Follower::Impl::end_scan(SteadyTime now) {
  const TakingUp names = std::move(*std::exchange(taking_up, nullptr));
  told_unasked = unasked;
  told_refused = refused;
  std::erase_if(names_rest, [&](const auto& each) { return each.second.until <= names.begun; });
  forget_gone(now);
  watch_directories(now);
  // What the scan before left to this one comes without a hint.
  if (names.any_new && !names.more_expected && (scan_hinted || scan_hints_expected))
    scan_hint_missed = !scan_hinted;
  set_next_scan(now, names.any_new);
}

}  // namespace etad::follow
