// PyTorch's print(model): a tree of modules. It tells the weights of each and no shape of what flows between
// them, so that operations stay unknown.
#include <algorithm>
#include <charconv>

#include "parsers/base/text.h"
#include "parsers/network/architecture.h"
#include "parsers/network/costs.h"
#include "parsers/network/layer_kinds.h"
#include "parsers/network/net_text.h"

namespace etad {
namespace {

// The arguments of "Conv2d(3, 64, kernel_size=(7, 7), bias=False)".
class Arguments {
 public:
  explicit Arguments(std::string_view text) {
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= text.size() && all_.size() < 32; ++i) {
      if (i == text.size() || (text[i] == ',' && depth == 0)) {
        all_.push_back(trim(text.substr(from, i - from)));
        from = i + 1;
      } else {
        depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
      }
    }
  }
  std::string_view named(std::string_view key) const {
    for (const std::string_view a : all_)
      if (a.size() > key.size() && a[key.size()] == '=' && a.starts_with(key))
        return a.substr(key.size() + 1);
    return {};
  }
  std::string_view at(std::size_t place, std::string_view key) const {
    if (const std::string_view own = named(key); !own.empty()) return own;
    return place < all_.size() && all_[place].find('=') == std::string_view::npos ? all_[place]
                                                                                  : std::string_view{};
  }
  bool off(std::string_view key) const { return named(key) == "False"; }

 private:
  std::vector<std::string_view> all_;
};

// The product of "(3, 3)" or "7"; 0 where that is no number.
double numbers(std::string_view text) {
  double product = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::int64_t n = 0;
    const auto parsed = std::from_chars(text.data() + i, text.data() + text.size(), n);
    if (parsed.ec != std::errc{}) {
      ++i;
      continue;
    }
    product = (product == 0 ? 1 : product) * static_cast<double>(std::max<std::int64_t>(n, 0));
    i = static_cast<std::size_t>(parsed.ptr - text.data());
  }
  return product;
}

std::optional<double> recurrent(const Arguments& args, double gates) {
  const double in = numbers(args.at(0, "input_size")), hidden = numbers(args.at(1, "hidden_size"));
  if (in <= 0 || hidden <= 0) return {};
  const double ways = args.named("bidirectional") == "True" ? 2 : 1;
  const double depth = std::clamp(numbers(args.named("num_layers")), 1.0, 1000.0);
  const double biases = args.off("bias") ? 0 : 2;
  return ways * gates * hidden * (in + hidden + biases + (depth - 1) * (ways * hidden + hidden + biases));
}

std::optional<double> weights_of(std::string_view type, const Arguments& args) {
  const auto known = [](double n) { return n > 0 ? std::optional(n) : std::nullopt; };
  if (type.starts_with("Conv") && (type.ends_with('d') || type == "Conv1D")) {
    const bool nlp = type == "Conv1D";  // Hugging Face's: an inner product
    const double from = nlp ? numbers(args.named("nx")) : numbers(args.at(0, "in_channels"));
    const double to = nlp ? numbers(args.named("nf")) : numbers(args.at(1, "out_channels"));
    const double groups = std::max(1.0, numbers(args.named("groups")));
    const double taps = nlp ? 1 : numbers(args.named("kernel_size"));
    return from * to * taps > 0 ? known(from * to / groups * taps + (args.off("bias") ? 0 : to))
                                : std::nullopt;
  }
  if (type == "Linear" || type == "NonDynamicallyQuantizableLinear") {
    const double from = numbers(args.at(0, "in_features")), to = numbers(args.at(1, "out_features"));
    return known(from * to > 0 ? from * to + (args.off("bias") ? 0 : to) : 0);
  }
  if (type == "Embedding") {
    const double rows = numbers(args.at(0, "num_embeddings"));
    return known(rows * numbers(args.at(1, "embedding_dim")));
  }
  if (type.find("BatchNorm") != type.npos || type == "LayerNorm") {
    const bool plain = args.off("affine") || args.off("elementwise_affine");
    return plain ? std::optional(0.) : known(2 * numbers(args.at(0, "num_features")));
  }
  if (type == "GroupNorm")
    return args.off("affine") ? std::optional(0.) : known(2 * numbers(args.at(1, "num_channels")));
  if (type == "PReLU") return known(numbers(args.at(0, "num_parameters")));
  if (type == "LSTM") return recurrent(args, 4);
  if (type == "GRU") return recurrent(args, 3);
  if (type == "RNN") return recurrent(args, 1);
  switch (kind_of(type)) {
    case LayerKind::pooling:
    case LayerKind::activation:
    case LayerKind::elementwise:
    case LayerKind::copy:
    case LayerKind::view:
    case LayerKind::loss:
      return 0;
    default:
      return {};
  }
}

struct Open {
  std::string path;
  double times = 1;
};

}  // namespace

Result<NetText> read_pytorch_modules(std::string_view text) {
  NetText out;
  out.format = "pytorch";
  std::vector<Open> open;
  bool over = false;
  while (!text.empty() && !over) {
    const std::string_view line = trim(take_until(text, '\n'), " \t\r");
    if (line == ")") {
      if (!open.empty()) open.pop_back();
      over = open.empty();
      continue;
    }
    const std::size_t named = line.starts_with('(') ? line.find("): ") : line.npos;
    std::string_view module = named == line.npos ? line : line.substr(named + 3);
    const Open around = open.empty() ? Open{} : open.back();
    Open own;
    own.times = around.times;
    if (named != line.npos)
      own.path = around.path + (around.path.empty() ? "" : ".") + std::string(line.substr(1, named - 1));
    if (const std::size_t x = module.find(" x "); x != module.npos && x < 8) {  // "12 x Block("
      own.times *= std::clamp(numbers(module.substr(0, x)), 1.0, 10000.0);
      module.remove_prefix(x + 3);
    }
    const std::size_t bracket = module.find('(');
    if (bracket == module.npos || own.path.size() > 512) continue;
    const std::string_view type = module.substr(0, bracket);
    if (named == line.npos && open.empty() && module.ends_with('('))
      out.name = std::string(type.substr(0, 256));
    if (module.ends_with('(')) {
      if (open.size() >= 64) return fail("the modules are nested deeper than etad reads");
      open.push_back(std::move(own));
      continue;
    }
    if (named == line.npos) continue;
    if (out.layers.size() >= Net::kMaxLayers) return fail("the model has more modules than etad reads");
    const std::size_t last = module.rfind(')');
    Layer& layer = out.layers.emplace_back();
    layer.name = own.path;
    layer.type = std::string(type.substr(0, 256));
    const auto weights =
        weights_of(type, Arguments(module.substr(
                             bracket + 1, last == module.npos || last < bracket ? 0 : last - bracket - 1)));
    if (weights) layer.costs.parameters = *weights * own.times;
  }
  if (out.layers.empty()) return fail("this shows no modules", "print(model) shows them");
  return out;
}

}  // namespace etad
