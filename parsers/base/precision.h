// Which numbers a training computes in, as far as a line says it: of all settings the one that changes the time most.
//
//   Namespace(arch='resnet18', fp16=True)     --bf16      precision: bf16-mixed      torch_dtype = torch.bfloat16
//   Using 16bit native Automatic Mixed Precision (AMP)    Mixed precision type: fp16
//
// Every framework says it in a way of its own, and scripts each in another; it is so looked for in the lines of all formats
// alike that come before a training's first step. Pure; one pass over the bytes.
#pragma once

#include <string_view>

namespace etad {

// "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", or "amp": mixed precision of a type that is not said. Empty: the message
// does not say it. That something is switched off says nothing: most programs have several such switches.
std::string_view precision_in(std::string_view message);

// Whether `told` is to be believed where `known` was told before: a type says more than that there is one.
bool says_more(std::string_view told, std::string_view known);

}  // namespace etad
