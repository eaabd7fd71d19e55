#include "tests/simulation/world.h"

#include <algorithm>
#include <array>

namespace etad::simulation {
namespace {

constexpr const char* kLink = "/logs/now.log";
constexpr const char* kHardLink = "/logs/same.log";
constexpr const char* kTemporary = ".tmp";  // behind a log's name

}  // namespace

void Job::excuse(int from, int until) {
  if (until < from) return;
  excused.resize(std::max(excused.size(), static_cast<std::size_t>(until) + 1));
  std::fill(excused.begin() + from, excused.begin() + until + 1, true);
}

World::World(std::mt19937_64& chance, follow::FakeFileSystem& files) : chance_(chance), files_(files) {
  const std::array<const char*, 3> names{"/logs/a.log", "/logs/b.log", "/logs/c.log"};
  const std::size_t count = 1 + pick(names.size());
  folder_ = pick(3) == 0 ? "/logs/old" : kFolder;
  names_folder_ = folder_ != kFolder && pick(2) == 0;
  for (std::size_t i = 0; i < count; ++i) {
    Log& log = logs_.emplace_back();
    log.path = names[i];
    log.dated = pick(3) == 0;
    open_new(log);
    begin_job(log);
    write(log);
  }
}

void World::tell(const Log& log, const std::string& what) {
  story_ += log.path.substr(6) + " " + what + " @" +
            std::to_string(jobs_[static_cast<std::size_t>(log.job)].written) + "\n";
}

bool World::anything_excused() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) {
    return std::find(job.excused.begin(), job.excused.end(), true) != job.excused.end();
  });
}

// The daemon has read so much of this very file; of a kilobyte it knows it wherever it is moved to.
bool World::is_seen(const Log& log, std::size_t bytes) const {
  const Job& job = jobs_[static_cast<std::size_t>(log.job)];
  const std::string last = "job" + std::to_string(log.job) + " step " + std::to_string(job.next - 1) + " ";
  const std::size_t at = log.file->bytes.find(last);
  return at != std::string::npos && at >= bytes;
}

// Since it was last replaced: a line was seen that was written after that.
bool World::was_looked_at(const Log& log) const {
  return log.replaced.first != log.job ||
         jobs_[static_cast<std::size_t>(log.job)].next > log.replaced.second + 1;
}

bool World::is_in_place(const Log& log) const {
  const auto names = files_.names(log.file);
  return std::find(names.begin(), names.end(), log.path) != names.end();
}

void World::put(Log& log, std::string_view bytes) {
  files_.write(log.file, bytes);
  lines_ += static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n'));
}

void World::end_line(Log& log) {
  fill_holes();
  if (!log.rest.empty()) put(log, std::exchange(log.rest, {}));
  if (std::exchange(log.begins_alike, false))
    put(log, "cut after " + std::to_string(jobs_[static_cast<std::size_t>(log.job)].written) + "\n");
}

// What was taken of a line whose file ended is known again by these bytes only, and all steps begin with them.
void World::cut(Log& log) {
  files_.truncate(log.file);
  log.begins_alike = std::exchange(log.began_with_part, false);
}

// Whatever lay under the name.
void World::open_new(Log& log) {
  files_.create(log.path);
  log.file = files_.file(log.path);
  log.jobs.clear();
  if (log.job >= 0) log.jobs.push_back(log.job);
  log.moved = log.began_with_part = log.begins_alike = false;
  // Two whole files of the same content are told apart by their keys only: a header does not come alone.
  if (log.job >= 0 && pick(3) == 0) put(log, "Log file created at: 2026/01/01\n" + next_line(log) + "\n");
}

void World::begin_job(Log& log) {
  end_line(log);
  const int before = std::exchange(log.job, static_cast<int>(jobs_.size()));
  log.jobs.push_back(log.job);
  jobs_.emplace_back().after = before;
  std::string preamble;
  for (std::size_t i = pick(2) * (28 + pick(20)); i > 0; --i)
    preamble += "a line that all trainings begin with\n";
  put(log, preamble + "run of job" + std::to_string(log.job) + "\n");
  tell(log, "new job" + std::to_string(log.job));
}

std::string World::next_line(Log& log) {
  Job& job = jobs_[static_cast<std::size_t>(log.job)];
  return "job" + std::to_string(log.job) + " step " + std::to_string(++job.written) + " " +
         std::string(pick(4) == 0 ? pick(400) : pick(10), static_cast<char>('a' + pick(26))) + " end";
}

void World::write(Log& log) {
  end_line(log);
  if (log.moved && pick(2) == 0) open_new(log);
  for (std::size_t i = 1 + pick(5); i > 0; --i) put(log, next_line(log) + "\n");
  tell(log, "write");
}

void World::write_part(Log& log) {
  end_line(log);
  log.began_with_part = log.began_with_part || log.file->bytes.empty();
  const std::string line = next_line(log) + "\n";
  const std::size_t cut = 1 + pick(line.size() - 2);
  put(log, line.substr(0, cut));
  log.rest = line.substr(cut);
  tears_lines_ = true;
  tell(log, "part");
}

// States that overwrite each other, in a line that has not ended. Behind another line: a file of which only an
// unterminated one was seen is not known again in a copy of it.
void World::draw_bar(Log& log) {
  end_line(log);
  if (log.file->bytes.find('\n') == std::string::npos) return write(log);
  for (std::size_t i = 1 + pick(5); i > 0; --i) put(log, "\r" + next_line(log) + " [1it/s]");
  log.rest = "\n";
  tears_lines_ = true;
  tell(log, "bar");
}

void World::write_around_a_hole(Log& log) {
  end_line(log);
  std::string missing = next_line(log) + "\n";
  lines_ += 1;
  const std::int64_t at = follow::FakeFileSystem::size(log.file);
  const std::string seen = next_line(log) + "\n";
  files_.write_at_offset(log.file, at + static_cast<std::int64_t>(missing.size()), seen);
  lines_ += 1;
  log.hole = {at, std::move(missing), files_.clock()};
  tell(log, "hole");
}

void World::fill(Log& log) {
  files_.write_at_offset(log.file, log.hole->at, log.hole->missing);
  log.hole.reset();
  tell(log, "fill");
}

void World::fill_holes() {
  for (Log& log : logs_)
    if (log.hole) fill(log);
}

void World::fill_old_holes() {
  constexpr std::chrono::seconds kOld{40};  // a step of a life takes 15 s at most
  for (Log& log : logs_)
    if (log.hole && files_.clock() - log.hole->since >= kOld) fill(log);
}

// Where its rotated files go to, without their numbers: beside it, or as by logrotate's `olddir`.
std::string World::rotated(const Log& log) const {
  return folder_ + log.path.substr(log.path.rfind('/'));
}

// logrotate's way: the oldest first.
void World::shift(const Log& log) {
  for (int number = 20; number > 0; --number) {
    for (const std::string end : {"", ".gz"}) {
      const std::string from = rotated(log) + "." + std::to_string(number) + end;
      if (files_.exists(from)) files_.rename(from, rotated(log) + "." + std::to_string(number + 1) + end);
    }
  }
}

std::optional<std::string> World::next_rotated(Log& log) {
  if (!log.dated) {
    shift(log);
    return rotated(log) + ".1";
  }
  if (++log.days > 15) return std::nullopt;
  return rotated(log) + "-202601" + std::to_string(9 + log.days);
}

void World::rotate(Log& log) {
  if (log.moved || !is_in_place(log) || files_.exists(rotated(log) + ".20")) return;
  fill_holes();
  const auto to = next_rotated(log);
  if (!to) return;
  files_.rename(log.path, *to);
  log.moved = true;
  if (log.rest.empty() && pick(2) == 0) open_new(log);
  tell(log, "rotate");
}

void World::burst(Log& log) {
  for (std::size_t i = 2 + pick(3); i > 0; --i) {
    write(log);
    if (log.moved) open_new(log);
    rotate(log);
  }
}

// In two steps; nothing is written between them.
void World::copytruncate(Log& log) {
  end_line(log);
  if (log.moved || !is_in_place(log) || files_.exists(rotated(log) + ".20")) return;
  if (files_.names(log.file).size() > 1)
    return;  // read by either name: where it goes on after that nobody knows
  if (hides_folder()) return;
  shift(log);
  files_.copy(log.path, rotated(log) + ".1");
  log.copied = true;
  tell(log, "copy");
}

// As logrotate's `renamecopy`: under a temporary name, copied in pieces, and removed. Nothing is written between.
void World::copy_away(Log& log) {
  end_line(log);
  if (log.moved || !is_in_place(log) || files_.exists(rotated(log) + ".20")) return;
  if (files_.names(log.file).size() > 1 || hides_folder() || !is_seen(log, 0) || !was_looked_at(log)) return;
  const auto to = next_rotated(log);
  if (!to) return;
  files_.rename(log.path, log.path + kTemporary);
  files_.create(*to);
  if (!files_.births) kept_.push_back(log.file);
  log.original = log.file;
  log.copy = *to;
  log.moved = true;
  if (pick(2) == 0) open_new(log);
  tell(log, "copy away");
}

void World::go_on_copying(Log& log, std::size_t bytes) {
  const auto copy = files_.file(log.copy);
  files_.write(copy, std::string_view(log.original->bytes).substr(copy->bytes.size(), bytes));
  tell(log, "copy more");
  if (copy->bytes.size() < log.original->bytes.size()) return;
  files_.remove(log.path + kTemporary);
  log.original.reset();
  if (log.moved) open_new(log);
}

// Likewise.
void World::compress(Log& log) {
  if (log.dated) return;
  const std::string path = rotated(log) + "." + std::to_string(1 + pick(3));
  if (!files_.exists(path) || files_.file(path) == log.file) return;
  files_.gzip(path, path + ".gz");
  log.compressed = path;
  tell(log, "gzip " + path);
}

// As rsync, `sed -i` and editors do: by a copy that may have its original's time, and that the writer goes on in.
void World::replace(Log& log) {
  if (log.moved || !is_in_place(log)) return;
  fill_holes();
  const std::string bytes = log.file->bytes;
  if (files_.names(log.file).size() > 1) return;  // beside its original, a copy is another log
  if (!is_seen(log) || !files_.births) kept_.push_back(log.file);
  // One that has taken another's place unseen is nobody's once it has gone, too.
  const bool puts_aside = pick(3) == 0 && is_seen(log) && was_looked_at(log);
  log.replaced = {log.job, jobs_[static_cast<std::size_t>(log.job)].written};
  if (puts_aside) {
    files_.rename(log.path, log.path + "~");
    log.put_aside = true;
    return tell(log, "put aside");
  }
  files_.replace(log.path, bytes, pick(2) == 0 ? std::optional(log.file->modified) : std::nullopt);
  log.file = files_.file(log.path);
  tell(log, "replace");
}

// The second step of an editor's way, between which nothing is written; vim keeps no backup.
void World::write_anew(Log& log) {
  files_.create(log.path, log.file->bytes);
  log.file = files_.file(log.path);
  log.put_aside = false;
  if (pick(2) == 0) files_.remove(log.path + "~");
  tell(log, "write anew");
}

// Or back. A file of which nothing was seen yet has no other mark than its name.
void World::swap(Log& log) {
  Log& other = logs_[pick(logs_.size())];
  const auto both = [&](auto what) { return what(log) && what(other); };
  const auto lies = [&](const Log& one, const Log& under) {
    return files_.exists(under.path) && files_.file(under.path) == one.file;
  };
  const bool swapped = lies(log, other) && lies(other, log);
  const bool plain = lies(log, log) && lies(other, other);
  if (&log == &other || log.path == other.path || !(swapped || plain)) return;
  if (!both([&](const Log& each) { return is_seen(each) && !each.copied && !each.original && !each.hole; }))
    return;
  hides_a_copy_ = hides_a_copy_ || !was_looked_at(log) || !was_looked_at(other);
  files_.rename(log.path, "/logs/.aside");
  files_.rename(other.path, log.path);
  files_.rename("/logs/.aside", other.path);
  tell(log, "swap with " + other.path);
}

// A link beside its target, as glog's, or another name of it.
void World::link(Log& log) {
  if (pick(2) == 0) {
    files_.symlink(log.path.substr(6), "/logs/.link");
    files_.rename("/logs/.link", kLink);
    tell(log, "link");
  } else if (files_.exists(kHardLink)) {
    files_.remove(kHardLink);
    tell(log, "unlink");
  } else if (is_in_place(log) && is_seen(log) && was_looked_at(log)) {
    files_.hard_link(log.path, kHardLink);
    tell(log, "hard link");
  }
}

// What has not been read of it may be gone.
void World::destroy(Log& log) {
  for (const int number : log.jobs) {
    Job& job = jobs_[static_cast<std::size_t>(number)];
    job.excuse(job.next, job.written);
    job.headless = job.headless || job.next == 1;
    job.destroyed = job.written;
  }
}

void World::remove(Log& log) {
  const Job& job = jobs_[static_cast<std::size_t>(log.job)];
  end_line(log);
  if (log.moved || !is_in_place(log) || hides_folder()) return;
  if (job.next <= job.written && pick(4) > 0) return;
  tell(log, "remove");
  files_.remove(log.path);
  destroy(log);
  open_new(log);
  if (pick(2) == 0) begin_job(log);
}

void World::truncate(Log& log) {
  const Job& job = jobs_[static_cast<std::size_t>(log.job)];
  end_line(log);
  if (log.moved || !is_in_place(log) || hides_folder()) return;
  if (job.next <= job.written && pick(4) > 0) return;
  tell(log, "truncate");
  cut(log);
  destroy(log);
}

void World::act() {
  Log& log = logs_[pick(logs_.size())];
  if (std::exchange(log.copied, false)) {
    cut(log);
    return tell(log, "truncate the copied");
  }
  if (log.put_aside) return write_anew(log);
  if (log.original) return go_on_copying(log, 1 + pick(2000));
  if (!log.compressed.empty() && pick(2) == 0) {
    if (files_.exists(log.compressed) && files_.exists(log.compressed + ".gz")) files_.remove(log.compressed);
    log.compressed.clear();
    return tell(log, "gzip ends");
  }
  const bool seen = jobs_[static_cast<std::size_t>(log.job)].next > 1;
  switch (pick(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return write(log);
    case 6:
      return write_part(log);
    case 7:
      return draw_bar(log);
    case 8:
      return write_around_a_hole(log);
    case 9:
      return end_line(log);
    default:
      break;
  }
  if (!seen) return write(log);  // of what was never looked at, only the file under the name is read
  switch (pick(17)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return rotate(log);
    case 4:
      return burst(log);
    case 5:
    case 6:
      return copytruncate(log);
    case 7:
    case 8:
      return compress(log);
    case 9:
    case 10:
      return replace(log);
    case 11:
      return swap(log);
    case 12:
      return link(log);
    case 13:
      return remove(log);
    case 14:
      return truncate(log);
    case 15:
      return copy_away(log);
    default:
      return begin_job(log);
  }
}

std::optional<std::pair<std::string, std::string>> World::some_whole_file() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [path, file] : files_.all()) {
    const bool is_telling = file->bytes.size() > follow::kHeadBytes;
    const auto writes = [&, &path = path, file = file](const Log& log) {
      return log.copied || (log.original && path == log.copy) ||
             (log.file == file && !(path == log.path && is_telling));
    };
    const bool is_whole = file->bytes.ends_with('\n') && file->bytes.find('\0') == std::string::npos;
    if (file->is_link() || path.ends_with(".gz") || path.ends_with("~") || !is_whole ||
        std::any_of(logs_.begin(), logs_.end(), writes))
      continue;
    out.emplace_back(path, file->bytes);
  }
  if (out.empty()) return std::nullopt;
  return std::move(out[pick(out.size())]);
}

void World::end_copying() {
  for (Log& log : logs_)
    if (log.original) go_on_copying(log, log.original->bytes.size());
}

void World::complete() {
  end_copying();
  for (Log& log : logs_) {
    end_line(log);
    if (std::exchange(log.copied, false)) cut(log);
    if (log.put_aside) write_anew(log);
    if (!log.compressed.empty() && files_.exists(log.compressed) && files_.exists(log.compressed + ".gz"))
      files_.remove(log.compressed);
    log.compressed.clear();
    if (log.moved) open_new(log);
  }
  for (Log& log : logs_) write(log);
}

std::string World::files_now() const {
  std::string out;
  for (const auto& [path, file] : files_.all()) {
    const std::string& bytes = file->bytes;
    out += path + " inode " + std::to_string(file->inode) + (file->is_link() ? ", a link" : "") +
           ", modified " + std::to_string(file->modified.time_since_epoch().count()) + ", " +
           std::to_string(bytes.size()) + " bytes";
    const std::size_t first = bytes.find(" step "), last = bytes.rfind(" step ");
    if (first != std::string::npos && !path.ends_with(".gz"))
      out += ": " + bytes.substr(first - 4, 12) + " … " + bytes.substr(last - 4, 12);
    out += "\n";
  }
  return out;
}

}  // namespace etad::simulation
