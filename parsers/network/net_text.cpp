#include "parsers/network/net_text.h"

#include "parsers/base/text.h"

namespace etad {
namespace {

enum class Form { none, prototxt, keras, pytorch };

bool begins_message(std::string_view line) {
  for (const std::string_view key : {"layer", "layers", "input_shape", "state", "train_state"}) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trim(line.substr(key.size()));
    if (rest.starts_with('{') || rest.starts_with(": {") || rest.starts_with(":{")) return true;
  }
  return line.starts_with("input:") || line.starts_with("input_dim:");
}

// Of the first line that has one. A log that prints a net has a header on the line before it.
Form form_of(std::string_view text) {
  // Keras' table has a head that nothing else has, and may stand anywhere in what a script wrote.
  if (text.find("Layer (type") != text.npos && text.find("Param #") != text.npos) return Form::keras;
  while (!text.empty()) {
    const std::string_view line = trim(take_until(text, '\n'), " \t\r");
    if (begins_message(line)) return Form::prototxt;
    if (line.starts_with('(') && line.find("): ") != line.npos && line.find('(', 1) != line.npos)
      return Form::pytorch;
    const bool may_precede = line.empty() || line.starts_with('#') || line.starts_with("name:") ||
                             line.starts_with("force_backward:") || line.ends_with('(');
    if (!may_precede) return Form::none;
  }
  return Form::none;
}

}  // namespace

bool shows_network(std::string_view text) {
  return form_of(text) != Form::none;
}

Result<NetText> read_network(std::string_view text, Phase phase) {
  switch (form_of(text)) {
    case Form::prototxt:
      return read_prototxt(text, phase);
    case Form::keras:
      return read_keras_summary(text);
    case Form::pytorch:
      return read_pytorch_modules(text);
    case Form::none:
      break;
  }
  return fail("this shows no network",
              "it may be a Caffe net (prototxt), Keras' model.summary() or PyTorch's print(model)");
}

}  // namespace etad
