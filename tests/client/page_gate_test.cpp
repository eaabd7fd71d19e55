// Who may see the page: the host, the origin, the token and the session, by a request's head alone.
#include "daemon/client/page/gate.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace etad::client {
namespace {

const std::string kTokenText(32, 'a'), kSession(32, 'b');
const std::string kCookie = "etad_4000=" + kSession;

class PageGateTest : public testing::Test {
 protected:
  PageDecision ask(std::string_view target, std::string_view cookie = {},
                   std::string_view host = "127.0.0.1:4000", std::string_view origin = {},
                   std::string_view method = "GET") {
    return gate_.decide({method, target, host, origin, cookie}, [] { return true; });
  }
  // As a browser that says what made it ask.
  PageDecision fetch(std::string_view target, std::string_view site, std::string_view mode,
                     std::string_view dest) {
    return gate_.decide({"GET", target, "127.0.0.1:4000", {}, kCookie, site, mode, dest},
                        [] { return true; });
  }
  PageDecision as_another_user(std::string_view target, std::string_view cookie = {}) {
    return gate_.decide({"GET", target, "127.0.0.1:4000", {}, cookie}, [] { return false; });
  }
  static unsigned refused(const PageDecision& decision) {
    const auto* const refuse = std::get_if<Refuse>(&decision);
    return refuse == nullptr ? 0 : refuse->status;
  }

  PageGate gate_{4000, kTokenText, kSession};
};

TEST_F(PageGateTest, TokenIsGoodOnce) {
  EXPECT_EQ(gate_.address(), "http://127.0.0.1:4000/?token=" + kTokenText);
  const PageDecision first = ask("/?token=" + kTokenText);
  ASSERT_TRUE(std::holds_alternative<Welcome>(first));
  EXPECT_EQ(std::get<Welcome>(first).cookie, kCookie + "; HttpOnly; SameSite=Strict; Path=/");
  EXPECT_EQ(refused(ask("/?token=" + kTokenText)), 403U);
  // Once it is used, the empty token that is left is no token.
  EXPECT_EQ(refused(ask("/?token=")), 403U);
}

TEST_F(PageGateTest, WrongTokenIsRefusedAndTheRightOneStaysGood) {
  EXPECT_EQ(refused(ask("/?token=" + std::string(32, 'x'))), 403U);
  EXPECT_EQ(refused(ask("/?token=" + kTokenText + "a")), 403U);
  EXPECT_TRUE(std::holds_alternative<Welcome>(ask("/?token=" + kTokenText)));
}

TEST_F(PageGateTest, NothingIsShownWithoutTheSession) {
  for (const char* const target : {"/", "/app.css", "/v1/runs", "/js/main.js"}) {
    EXPECT_EQ(refused(ask(target)), 403U) << target;
    EXPECT_EQ(refused(ask(target, "etad_4001=" + kSession)), 403U) << target;
    EXPECT_EQ(refused(ask(target, "etad_4000=" + std::string(32, 'x'))), 403U) << target;
    EXPECT_EQ(refused(ask(target, "etad_4000=")), 403U) << target;
    EXPECT_EQ(refused(ask(target, "a=b; " + kCookie)), 0U) << target;
  }
}

TEST_F(PageGateTest, OnlyItsOwnHostAndOriginAreAnswered) {
  EXPECT_EQ(refused(ask("/", kCookie, "localhost:4000")), 0U);
  EXPECT_EQ(refused(ask("/", kCookie, "127.0.0.1:4001")), 403U);
  EXPECT_EQ(refused(ask("/", kCookie, "127.0.0.1")), 403U);
  EXPECT_EQ(refused(ask("/", kCookie, "rebound.example:4000")), 403U);
  EXPECT_EQ(refused(ask("/", kCookie, "")), 403U);
  EXPECT_EQ(refused(ask("/", kCookie, "127.0.0.1:4000", "http://127.0.0.1:4000")), 0U);
  EXPECT_EQ(refused(ask("/", kCookie, "127.0.0.1:4000", "http://other.example")), 403U);
  EXPECT_EQ(refused(ask("/", kCookie, "127.0.0.1:4000", "null")), 403U);
}

TEST_F(PageGateTest, PortThatBrowsersLeaveOutOfHostIsMeantWithoutIt) {
  PageGate gate(80, kTokenText, kSession);
  const std::string cookie = "etad_80=" + kSession;
  const auto ask = [&](std::string_view host, std::string_view origin = {}) {
    return refused(gate.decide({"GET", "/", host, origin, cookie}, [] { return true; }));
  };
  EXPECT_EQ(ask("127.0.0.1"), 0U);
  EXPECT_EQ(ask("localhost", "http://localhost"), 0U);
  EXPECT_EQ(ask("127.0.0.1:80"), 0U);
  EXPECT_EQ(ask("127.0.0.1:8080"), 403U);
  EXPECT_EQ(ask("rebound.example"), 403U);
  EXPECT_EQ(ask(""), 403U);
}

TEST_F(PageGateTest, ItOnlyShows) {
  for (const char* const method : {"POST", "DELETE", "PUT", "OPTIONS", "HEAD"})
    EXPECT_EQ(refused(ask("/v1/refit", kCookie, "127.0.0.1:4000", {}, method)), 405U) << method;
}

TEST_F(PageGateTest, TargetsLeadToThePagesFilesAndTheDaemonAlone) {
  EXPECT_EQ(std::get<ServeFile>(ask("/", kCookie)).name, "index.html");
  EXPECT_EQ(std::get<ServeFile>(ask("/js/screens/now.js?x=1", kCookie)).name, "js/screens/now.js");
  EXPECT_EQ(std::get<AskDaemon>(ask("/v1/runs?limit=3", kCookie)).target, "/v1/runs?limit=3");
  EXPECT_FALSE(std::get<AskDaemon>(ask("/v1/runs?limit=3", kCookie)).stream);
  EXPECT_TRUE(std::get<AskDaemon>(ask("/v1/runs?state=running&watch=true", kCookie)).stream);
  for (const char* const target :
       {"/../etc/passwd", "/js/../../x", "//etc/passwd", "/%2e%2e/x", "/js//x", "/a\\b", "x", "*"})
    EXPECT_EQ(refused(ask(target, kCookie)), 404U) << target;
  EXPECT_EQ(refused(ask("/" + std::string(9000, 'a'), kCookie)), 414U);
}

// A browser sends the cookie to every port of the host, so that another user's web server has it.
TEST_F(PageGateTest, SecretsInAnotherUsersHandsAreWorthNothing) {
  for (const char* const target : {"/", "/js/main.js", "/v1/runs", "/?token=used"})
    EXPECT_EQ(refused(as_another_user(target, kCookie)), 403U) << target;
  EXPECT_EQ(refused(as_another_user("/?token=" + kTokenText)), 403U);
  EXPECT_TRUE(std::holds_alternative<Welcome>(ask("/?token=" + kTokenText))) << "it was not used up";
}

TEST_F(PageGateTest, WhoAsksIsLookedUpOnlyWhereTheSecretIsRight) {
  const auto never = []() -> bool { throw std::logic_error("looked up"); };
  EXPECT_EQ(refused(gate_.decide({"GET", "/v1/runs", "127.0.0.1:4000", {}, {}}, never)), 403U);
  EXPECT_EQ(refused(gate_.decide({"GET", "/?token=x", "127.0.0.1:4000", {}, {}}, never)), 403U);
}

TEST_F(PageGateTest, RequestsThatAnotherPageCausedAreRefusedWhereTheBrowserSaysSo) {
  EXPECT_EQ(refused(fetch("/v1/runs", "same-origin", "cors", "empty")), 0U);
  EXPECT_EQ(refused(fetch("/", "none", "navigate", "document")), 0U);
  for (const char* const site : {"same-site", "cross-site"}) {
    EXPECT_EQ(refused(fetch("/v1/runs", site, "no-cors", "script")), 403U) << site;
    EXPECT_EQ(refused(fetch("/v1/runs", site, "cors", "empty")), 403U) << site;
    EXPECT_EQ(refused(fetch("/", site, "navigate", "iframe")), 403U) << site;
    EXPECT_EQ(refused(fetch("/", site, "navigate", "document")), 0U) << site << ": a link";
  }
}

}  // namespace
}  // namespace etad::client
