// What a stream says: its batches, where it stands, and what becomes of both when a commit fails.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "daemon/follow/stream.h"

namespace etad::follow {

Batch Stream::new_batch() const {
  Batch batch;
  batch.stream = id_;
  batch.tag = tag_;
  batch.path = path_;
  return batch;
}

// The position, to be moved on: where it stands so far is what a failing commit leaves.
Standing& Stream::next_position() {
  if (!committed_) committed_ = std::make_unique<Standing>(position_);
  position_.told = true;
  return position_;
}

void Stream::emit(Batch batch, std::vector<Batch>& out) {
  if (current_) {
    const ReadPart& part = current_->reader.part();
    Standing& position = next_position();
    position.identity = Identity{current_->key, current_->seen.modified};
    position.part = part;
    position.size = current_->compressed ? part.offset : current_->seen.size;
    position.carried = carried_;
    position.owner = owner_;
    batch.modified = current_->seen.modified;
    batch.born = current_->seen.born;
    batch.owner = owner_;
    if (current_->read_elsewhere.offset > 0)
      batch.read_elsewhere = finished_identity(current_->read_elsewhere);
  }
  batch.after = position_.at(path_);
  batch.size = position_.size;
  batch.restarted = std::exchange(restarted_, false);
  batch.refound = std::exchange(refound_, false);
  announce_ = false;
  moved_ = true;
  out.push_back(std::move(batch));
}

// What has changed without lines is said with the look's last batch, or with one of its own.
void Stream::report(std::size_t first, std::vector<Batch>& out) {
  if (announce_) emit(new_batch(), out);
  for (std::string& identity : std::exchange(untold_finished_, {})) {
    Batch batch = new_batch();
    batch.finished = std::move(identity);
    emit(std::move(batch), out);
  }
  const std::string error = state_ == State::waiting || state_ == State::refused ? text_ : std::string();
  const bool never_there = !known_ && state_ == State::gone;
  if (!never_there && (told_state_ != state_ || told_error_ != error)) {
    if (out.size() == first) {
      next_position();
      emit(new_batch(), out);
    }
    out.back().error_changed = told_error_ != error;
    if (out.back().error_changed) out.back().error = error;
    told_state_ = state_;
    told_error_ = error;
  }
  for (std::size_t i = first; i < out.size(); ++i) out[i].state = state_;
  if (out.size() > first) out.back().caught_up = caught_up_;
}

void Stream::note_finished(std::string identity) {
  uncommitted_finished_.push_back(identity);
  untold_finished_.push_back(std::move(identity));
}

void Stream::committed(const Batch& batch) {
  if (batch.after == position_.at(path_))
    committed_.reset();
  else
    committed_ = std::make_unique<Standing>(Standing::of(batch.after));
  std::erase(uncommitted_finished_, batch.finished);
}

void Stream::rewind(FinishedFiles& finished) {
  for (const std::string& identity : uncommitted_finished_) finished.remove(identity);
  uncommitted_finished_.clear();
  untold_finished_.clear();
  told_state_.reset();
  told_error_.clear();
  lost_bytes_ = 0;
  restarted_ = announce_ = refound_ = removed_ = gone_ = false;
  last_ = Link{};
  ended_key_ = FileKey{};
  if (const Standing held = committed_ ? *committed_ : position_; held.told) {
    restore(held);
    return;
  }
  current_.reset();
  carried_.clear();
  owner_.reset();
  position_ = Standing{};
  committed_.reset();
  known_ = false;
}

const Standing* Stream::at_rest() const {
  if (!current_ || current_->content || committed_ || !position_.told || !position_.identity) return nullptr;
  if (!untold_finished_.empty()) return nullptr;
  const CurrentFile& current = *current_;
  const ReadPart& part = current.reader.part();
  const bool is_where_told = position_.identity->key == current.key &&
                             position_.identity->modified == current.seen.modified &&
                             position_.part == part && position_.size == current.seen.size;
  const bool was_read = current.at_end && current.pending == 0 && part.offset > 0 && carried_.empty();
  const bool is_plain = state_ == State::following && told_state_ == state_ && told_error_.empty() &&
                        current.elsewhere.empty() && !current.compressed && current.cut == 0 && !removed_;
  // An import that has read more of it by now is asked for as long as nothing else was read.
  const bool is_read_elsewhere = part.offset == current.read_elsewhere.offset;
  return is_where_told && was_read && is_plain && !is_read_elsewhere ? &position_ : nullptr;
}

void Stream::resume(const Standing& standing) {
  restore(standing);
  told_state_ = state_ = State::following;
  text_ = "following";
}

// Whoever may not be shown a file keeps nobody else from reading it.
std::optional<FileKey> Stream::key() const {
  return current_ && failure_ != EPERM ? std::optional(current_->key) : std::nullopt;
}

Status Stream::status() const {
  Status out;
  out.state = state_;
  out.text = text_;
  out.offset = position_.part.offset;
  out.size = position_.size;
  if (current_) {
    out.file = current_->elsewhere;
    out.offset = current_->reader.part().offset;
    out.size = std::max(current_->seen.size, out.offset);
    out.caught_up = current_->at_end || current_->unwritten;
    out.open = current_->content != nullptr;
  }
  return out;
}

}  // namespace etad::follow
