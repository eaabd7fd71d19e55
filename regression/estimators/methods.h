// The published methods, each in its smallest faithful form: one function each, and one file but for those that are
// linear in their coefficients (linear_forms.cpp).
#pragma once

#include "regression/estimators/estimator.h"

namespace etad::estimators {

Estimator gianniti();          // t = c1 + c2 B an iteration
Estimator gianniti_literal();  // b0 + b1 n + b2 B for the whole run
Estimator barnes();            // log t linear in log B and log k
Estimator ernest();            // 1, B/k, log k, k
Estimator ring();              // 1, B/k, (k-1)/k: gradients go round in a ring
Estimator end_to_end();        // the regression of one network on one deployment
Estimator effects();           // one model of all the history (not published: effects.cpp)
Estimator lu();                // peak memory a + b B/k
Estimator stargazer();         // stepwise splines of the settings
Estimator kerr();              // principal components of what a network's layers are
Estimator described();         // memory by the network's description

Estimator gupta();     // c1 + c2 B, run by run, forgetting
Estimator bitirgen();  // an ensemble that abstains where its members contradict each other
Estimator dao();       // a random forest

Estimator gianniti_layers();  // alpha + beta operations a layer, from runs that time layers
Estimator layer_roofline();   // layer by layer, with fitted peaks, overheads and multipliers by kind of layer

}  // namespace etad::estimators
