// Which stream reads which file.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {
namespace {

constexpr std::size_t kMostPassedOver = 1024;  // of one owner
constexpr std::size_t kMostFolders = 4;        // of rotated files, that are found out for one folder
constexpr int kMostShifted = 32;               // rotations while nobody looked, by which a name is known
constexpr std::chrono::seconds kPutThereWithin{60}, kLongestPause{2};  // as `cp` and `scp` put a file there
constexpr std::size_t kMostUnkept = 10'000;  // logs that were found while nothing could be committed
constexpr std::size_t kMostAlike =
    64;  // streams asked whether they have lost a file that begins as theirs did

}  // namespace

bool Follower::Impl::is_taken(const FileKey& key, StreamId self) const {
  const auto owner = by_key.find(key);
  return owner != by_key.end() && owner->second != self;
}

// Names cost a user nothing and the daemon a stream each: nobody has all the memory.
void Follower::Impl::note_owner(Followed& followed, std::optional<std::int64_t> owner) {
  if (followed.owner == owner) return;
  if (followed.owner && --of_owner[*followed.owner] == 0) of_owner.erase(*followed.owner);
  if (owner) ++of_owner[*owner];
  followed.owner = owner;
  schedule.set_owner(followed.id, owner);
}

bool Follower::Impl::has_too_many(std::optional<std::int64_t> owner) const {
  if (!owner || options.most_of_owner == 0) return false;
  const auto files_of = of_owner.find(*owner);
  return files_of != of_owner.end() && files_of->second >= options.most_of_owner;
}

// Whether another stream than `self` reads what lies at `path`. Where the file system does not say when an inode was
// made, it may have been another file's when that stream was there last: then the content decides, and where nothing
// was read yet, what lies under that stream's own path. An error: nobody knows now.
OsResult<bool> Follower::Impl::is_read_by_another(const std::string& path, const FileKey& key,
                                                  StreamId self) {
  if (!is_taken(key, self)) return false;
  const Followed& reader = streams.at(by_key.at(key));
  if (key.born != 0 || reader.is_open()) return true;  // nor is an open file's inode another's
  if (reader.part().marker.length == 0) {
    const auto its_own = files.status(reader.path);
    if (its_own) return key_of(*its_own) == key;
    return leaves_open(its_own.error()) ? OsResult<bool>(tl::unexpected(of_another(its_own.error()))) : false;
  }
  const auto same = contents.matches(path, key, reader.part());
  if (same) return same;
  if (is_passing(same.error())) return same;
  return is_absent(same.error()) ? OsResult<bool>(tl::unexpected(EAGAIN)) : true;
}

// Streams whose files have this head and of which `may_be` is true: the newest ones, so that thousands of copies of one
// file cost no more than a few.
std::vector<Followed*> Follower::Impl::newest_alike(std::uint64_t head,
                                                    const std::function<bool(const Followed&)>& may_be) {
  std::vector<Followed*> out;
  auto next = by_head.upper_bound({head, std::numeric_limits<StreamId>::max()});
  while (next != by_head.begin() && (--next)->first == head && out.size() < kMostAlike)
    if (Followed& followed = streams.at(next->second); may_be(followed)) out.push_back(&followed);
  return out;
}

// A file that nobody reads by its key may be what another stream has read, written anew and moved in the meantime:
// replaced by its copy and then swapped, linked to, renamed; or compressed under a name of its own. It is that stream's,
// which goes on in it from now on. EBUSY: perhaps it is being compressed, and is to be asked about again.
OsResult<bool> Follower::Impl::hand_to_who_lost_it(const std::string& path, const FileStatus& status,
                                                   StreamId self) {
  // Of a small file only the name says that there may be more in it: else it is not opened for this.
  const bool may_be_more = !compressed_ending(path).empty();
  if (status.size == 0 && may_be_more && is_being_put_there(status)) return tl::unexpected(EBUSY);
  const bool is_small = status.size < static_cast<std::int64_t>(kHeadBytes) && !may_be_more;
  if (status.size == 0 || is_small || (by_head.empty() && finished.empty())) return false;
  // Its own, whose file system was mounted anew: another's that begins alike was away as well.
  const auto own = streams.find(self);
  if (own != streams.end() && own->second.awake().has_when_mounted_anew(key_of(status))) return false;
  const FileKey key = key_of(status);
  auto file = contents.open(path);
  if (!file) return tl::unexpected(file.error());
  if (key_of(file->status) != key) return tl::unexpected(EAGAIN);
  const bool compressed = file->content->compressed();
  if (compressed) contents.put_back(*file);
  const auto head = compressed ? contents.head(path, key) : head_of(*file->content);
  if (compressed && is_being_compressed(status, head)) return tl::unexpected(EBUSY);
  if (!head) return tl::unexpected(head.error());
  if (head->length < kHeadBytes) return false;
  const auto candidates = newest_alike(head->hash, [&](const Followed& followed) {
    const ReadPart part = followed.part();
    return followed.id != self && part.head == *head && (compressed || part.offset <= status.size) &&
           may_be_of(followed.owner, status) && !(followed.key && is_successor(key, *followed.key));
  });
  int asked = 0;
  // Of those that have lost it: the others read it before it was moved the last time.
  Followed* farthest = nullptr;
  for (Followed* const candidate : candidates) {
    Followed& followed = *candidate;
    const ReadPart part = followed.part();
    if (farthest != nullptr && part.offset <= farthest->part().offset) continue;
    if (!contents.may_find(++asked)) return tl::unexpected(EAGAIN);
    const auto same = compressed ? contents.matches(path, key, part)
                                 : matches(*file->content, {part.offset, {}, part.marker});
    if (!same) return same;
    const auto lost = *same ? has_lost_its_file(followed, path, status) : same;
    if (!lost) return tl::unexpected(of_another(lost.error()));
    if (*lost) farthest = &followed;
  }
  if (farthest == nullptr) return false;
  // Its own may lie somewhere yet, put aside under a name that a pattern finds: as much of it stays read.
  const auto aside = farthest->key ? lies_aside(*farthest) : OsResult<bool>(false);
  if (!aside) return tl::unexpected(of_another(aside.error()));
  if (*aside)
    note_left_alone(*farthest, finished_identity(farthest->part()), {*farthest->key, farthest->owner});
  farthest->awake().go_on_in(path, status);
  claim(*farthest, key);
  schedule.hint(farthest->id, polled);
  return true;
}

// A file that lies under a stream's path as well, and is that one's own affair, though it may not have seen it there yet.
std::optional<StreamId> Follower::Impl::stream_of_another_name(const FileStatus& status, const Listing& all) {
  if (status.links < 2) return {};
  const auto [first, last] = all.followed.equal_range(status.inode);
  for (auto each = first; each != last; ++each) {
    const auto stream = streams.find(each->second);
    if (stream == streams.end()) continue;
    const std::string& path = stream->second.path;
    const auto there = files.status(path);
    if (there && key_of(*there) == key_of(status) && may_be_read(path)) return each->second;
  }
  return {};
}

// A name that only an untrusted link gives a file keeps nobody from reading that by its own.
bool Follower::Impl::may_be_read(const std::string& path) const {
  const auto file = files.open(path);
  if (file) files.close(*file);
  return file || file.error() != EPERM;
}

bool Follower::Impl::is_being_put_there(const FileStatus& status) const {
  const auto since = [this](Instant time) { return std::chrono::abs(around.wall - time); };
  return since(status.born) < kPutThereWithin &&
         std::min(since(status.modified), since(status.changed)) < kLongestPause;
}

// What compresses a log removes it last: until then both lie there, and what is compressed is not to be read as another
// log.
bool Follower::Impl::is_being_compressed(const FileStatus& status, const OsResult<Fingerprint>& head) const {
  if (!is_being_put_there(status)) return false;
  if (!head) return head.error() == ENODATA;
  if (head->length < kHeadBytes || finished.begins(*head)) return true;  // perhaps not all of it is there
  const auto alike = by_head.lower_bound({head->hash, StreamId{}});
  return alike != by_head.end() && alike->first == head->hash;
}

// A link beside its targets, as glog's, is a name and no source of its own. An error: nobody knows now where it leads.
OsResult<bool> Follower::Impl::leads_away(const std::string& path) const {
  const auto link = leads_to_another(path);
  return !link || *link ? link : is_another_name(path);
}

OsResult<bool> Follower::Impl::leads_to_another(const std::string& path) const {
  const auto resolved = files.resolve(path);
  if (!resolved && (is_passing(resolved.error()) || is_absent(resolved.error())))
    return tl::unexpected(resolved.error());
  return resolved && *resolved != path &&
         (by_path.contains(*resolved) || discovery.watch_of(*resolved).has_value());
}

// Nor is the name of a followed file in the same folder where a bind mount shows that under another name: of two sources
// either might go on with what was written next. Of two that are there the one that an earlier pattern finds counts.
OsResult<bool> Follower::Impl::is_another_name(const std::string& path) const {
  const SplitPath place = split_path(path);
  const bool is_followed = by_path.contains(path);
  const auto rank = [this](const std::string& each) { return std::pair(discovery.watch_of(each), each); };
  for (const std::string& folder : discovery.aliases_of(place.directory)) {
    const std::string other = folder + "/" + place.name;
    if (other == path || !by_path.contains(other) || (is_followed && rank(path) < rank(other))) continue;
    const auto here = files.status(place.directory);
    const auto there = files.status(folder);  // as it is mounted now
    const Errno error = !here ? here.error() : !there ? there.error() : 0;
    if (is_passing(error)) return tl::unexpected(error);
    if (error != 0 || key_of(*here) != key_of(*there) || !may_be_read(other)) continue;
    const auto link = leads_to_another(other);  // it waits for this one: both would wait for ever
    if (!link || !*link) return link ? OsResult<bool>(true) : link;
  }
  return false;
}

std::vector<std::string> Follower::Impl::folders_of(const std::string& path) const {
  std::vector<std::string> out = discovery.folders_of(path);
  const auto found = found_folders.find(split_path(path).directory);
  if (found != found_folders.end()) out.insert(out.end(), found->second.begin(), found->second.end());
  return out;
}

void Follower::Impl::note_folder(const std::string& path, const std::string& folder) {
  auto& folders = found_folders[split_path(path).directory];
  if (std::find(folders.begin(), folders.end(), folder) != folders.end()) return;
  if (folders.size() >= kMostFolders) folders.erase(folders.begin());
  folders.push_back(folder);
}

// Whether a rotated file in another folder than its log's is that log's all the same.
bool Follower::Impl::is_rotated_elsewhere(const SplitPath& place, const std::string& base) const {
  if (discovery.is_rotated_into(place.directory, base)) return true;
  const std::string above = split_path(place.directory).directory;
  const auto found = found_folders.find(above);
  return found != found_folders.end() && by_path.contains(above + "/" + base) &&
         std::find(found->second.begin(), found->second.end(), place.directory) != found->second.end();
}

// A name that makes it a rotated file of the log at `base`, or a log that it would be one of, anybody may have made.
bool Follower::Impl::may_be_rotated_from(const std::string& base, const std::string& path) {
  const auto log = by_path.find(base);
  auto owner = log == by_path.end() ? std::nullopt : streams.at(log->second).owner;
  if (const auto here = owner ? tl::unexpected(ENOENT) : files.status(base)) owner = here->owner;
  if (!owner) return true;
  const auto file = files.status(path);
  return !file || may_be_of(owner, *file);
}

// "train.2.log" may be a log of its own. It is a rotated file of train.log's where one of these names, this or a higher
// number, is of a file that train.log's stream reads or that was read to its end.
bool Follower::Impl::was_shifted(const SplitPath& place) {
  const auto name = numbered_within(place.name);
  if (!name) return false;
  const std::string base = place.directory + "/" + name->base;
  const auto log = by_path.find(base);
  if (log == by_path.end() || !may_be_rotated_from(base, place.directory + "/" + place.name)) return false;
  for (std::int64_t number = *name->number; number < *name->number + kMostShifted; ++number) {
    const auto status = files.status(with_number_within(base, number));
    if (!status) break;
    const auto reader = by_key.find(key_of(*status));
    if (finished.knows(key_of(*status)) || (reader != by_key.end() && reader->second == log->second))
      return true;
  }
  return false;
}

// How much an import has read of the file of the stream at `path`, `from` bytes or more, all of which the file still has:
// from then on the import's source is the path's, unless it is of another owner's log. EBUSY: perhaps more of it is on
// its way there, as the file was made within the last minute and is being written to; or it may not be gone on with yet,
// or nobody knows.
OsResult<Imported> Follower::Impl::imported(const std::string& path, const std::string& file,
                                            const FileStatus& status, std::int64_t from, bool may_go_on) {
  if (!imports.that_begin || finished.empty() || status.size == 0) return Imported{};
  const FileKey key = key_of(status);
  const auto begins = [&](const Fingerprint& head) { return finished.import_begins(head); };
  const auto identity = contents.identity(file, key, begins);
  if (!identity) return tl::unexpected(identity.error());
  const auto whole = *identity ? part_of_finished(**identity) : std::nullopt;
  if (!whole || !begins(whole->head)) return Imported{};
  const auto read = imports.that_begin(whole->head.text());
  if (!read) return tl::unexpected(EBUSY);
  std::vector<ReadPart> parts;
  for (const std::string& each : *read)
    if (const auto part = part_of_finished(each); part && part->offset >= from) parts.push_back(*part);
  std::ranges::sort(parts, std::greater(), &ReadPart::offset);
  for (const ReadPart& part : parts) {
    if (part.offset > whole->offset) {
      if (is_being_put_there(status)) return tl::unexpected(EBUSY);
      continue;
    }
    const auto same = contents.matches(file, key, part);
    if (!same) return tl::unexpected(same.error());
    if (!*same) continue;
    const auto goes_on = may_go_on ? imports.go_on(path, Identity{key, status.modified}.text(), status.owner,
                                                   finished_identity(part))
                                   : tl::unexpected(EBUSY);
    if (!goes_on && goes_on.error() != EPERM) return tl::unexpected(EBUSY);
    if (!goes_on || *goes_on) return Imported{part, goes_on.has_value()};
  }
  return Imported{};
}

// A rotated file is written to no more. One that is, and that nobody reads, is perhaps a log of its own.
void Follower::Impl::pass_over(const std::string& path, const std::string& base) {
  const auto status = !compressed_ending(path).empty() ? tl::unexpected(ENOENT) : files.status(path);
  if (!status || status->type != FileType::regular) return;
  const FileKey key = key_of(*status);
  if (by_key.contains(key) || ++passed_of[status->owner] > kMostPassedOver) return;
  PassedOver now{key, status->size, 0, base, status->owner};
  if (const auto before = passed_before.find(path);
      before != passed_before.end() && before->second.key == key)
    now.growths = before->second.growths + (now.size > before->second.size ? 1 : 0);
  passed_over[path] = std::move(now);
}

// A path that was forgotten and came again has two positions, of which the later one counts. And where nobody knows when a
// file was made, a log that is gone may have had the inode of another one: it is that of the log that was written to last.
std::vector<Follower::Impl::Dated> Follower::Impl::by_last_write(std::vector<Position> positions) {
  std::vector<Dated> out;
  std::set<std::string> paths;
  for (auto each = positions.rbegin(); each != positions.rend(); ++each) {
    if (!paths.insert(each->path).second) continue;
    const auto identity = Identity::parse(each->identity);
    out.emplace_back(identity ? identity->modified : Instant::min(), std::move(*each));
  }
  std::ranges::stable_sort(out, std::greater(), &Dated::first);
  return out;
}

Follower::Impl::Admission Follower::Impl::take_up(Followed& followed, const Position& position) {
  followed.restore(position);
  if (const auto key = followed.reads(); key && (by_key.contains(*key) || was_read_further(followed, *key)))
    followed.awake().let_go();
  claim(followed, followed.reads());
  note_target(followed);
  note_head(followed);
  return Admission::begun;
}

// A log that was found while nothing could be committed, as on a full disk, may be rotated before anything can.
void Follower::Impl::note_unkept(const Followed& followed, std::int64_t size) {
  if (!followed.key || unkept.size() >= kMostUnkept) return;
  Position& begun = unkept[followed.path];
  begun.path = followed.path;
  begun.identity = Identity{*followed.key, around.wall}.text();
  begun.size = size;
  begun.owner = followed.owner;
}

// Where such a path is admitted again and another file lies there: the one that was found first, all of it unread.
std::optional<Position> Follower::Impl::begun_before(const std::string& path, const FileStatus& now) {
  const auto begun = unkept.extract(path);
  if (begun.empty() || Standing::of(begun.mapped()).identity->key == key_of(now)) return std::nullopt;
  return begun.mapped();
}

// By a path that no pattern finds any more: one had been spelled otherwise, and is as it was before again. The file may
// have been rotated meanwhile.
bool Follower::Impl::was_read_further(const Followed& followed, const FileKey& key) {
  const auto parts = finished.of(key);
  if (parts.empty() || parts.front().offset <= followed.part().offset) return false;
  const auto here = files.status(followed.path);
  const auto place = here && key_of(*here) == key ? OsResult<std::string>(followed.path)
                                                  : contents.find(split_path(followed.path).directory, key);
  return place && contents.matches(*place, key, parts.front()).value_or(false);
}

// Of a path that no pattern finds any more. One may find its file under another name, for the pattern is spelled otherwise
// now, or the folder was moved.
void Follower::Impl::note_read(const Position& position) {
  const Standing standing = Standing::of(position);
  if (standing.identity && standing.part.offset > 0)
    finished.add(with_holder(finished_identity(standing.part), {standing.identity->key, standing.owner}));
}

// A file is read by one stream, whatever names it goes by. Nothing: by none any more.
void Follower::Impl::claim(Followed& followed, const std::optional<FileKey>& key) {
  const StreamId id = followed.id;
  if (followed.key && !is_taken(*followed.key, id)) by_key.erase(*followed.key);
  followed.key = key && !is_taken(*key, id) ? key : std::nullopt;
  if (followed.key) by_key[*key] = id;
}

// Where a link leads: what happens there is the stream's affair.
void Follower::Impl::note_target(Followed& followed) {
  const std::string& path = followed.path;
  const auto resolved = files.resolve(path);
  std::string target = resolved && *resolved != path ? *resolved : std::string();
  if (target == followed.target) return;
  by_target.erase({followed.target, followed.id});
  if (!target.empty()) by_target.emplace(target, followed.id);
  followed.target = std::move(target);
}

void Follower::Impl::note_head(Followed& followed) {
  const ReadPart part = followed.part();
  const auto head = part.head.length == kHeadBytes ? std::optional(part.head.hash) : std::nullopt;
  if (head == followed.head) return;
  if (followed.head) by_head.erase({*followed.head, followed.id});
  if (head) by_head.emplace(*head, followed.id);
  followed.head = head;
}

}  // namespace etad::follow
