#include "daemon/service/message.h"

namespace etad::service {

std::string_view title_of(unsigned status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    default:
      return status < 500 ? "Refused" : "Internal Server Error";
  }
}

Reply reply_of(const Problem& problem) {
  JsonWriter json;
  json.begin_object();
  json.field("title", problem.title.empty() ? title_of(problem.status) : std::string_view(problem.title));
  json.field("status", problem.status);
  json.field("detail", problem.detail);
  if (!problem.hint.empty()) json.field("hint", problem.hint);
  if (!problem.candidates.empty()) json.field("candidates", problem.candidates);
  if (problem.more) problem.more(json);
  json.end_object();
  return {problem.status, "application/problem+json", problem.headers, json.take() + "\n"};
}

namespace {

unsigned status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return 422;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::unavailable:
      return 503;
    case ErrorKind::exhausted:
      return 507;
    case ErrorKind::corrupt:
    case ErrorKind::internal:
      return 500;
  }
  return 500;
}

}  // namespace

Problem problem_of(const Error& error) {
  return {status_of(error.kind), "", error.where.empty() ? error.message : error.where + ": " + error.message,
          error.hint};
}

}  // namespace etad::service
