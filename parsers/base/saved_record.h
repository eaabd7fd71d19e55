// The records (record.h) as saved states hold them.
#pragma once

#include "parsers/base/record.h"
#include "parsers/base/saved.h"

namespace etad {

ETAD_SAVED(Segment, phase, first_iteration, iterations, samples_per_iteration, duration, started_at)
ETAD_SAVED(ProgressPoint, iteration, at, loss, snapshot)
ETAD_SAVED(PhaseSummary, batch_size, samples_per_iteration, iterations, duration, segments, joules,
           peak_bytes)
ETAD_SAVED(LayerCosts, operations, backward_operations, parameters, inputs, outputs, copies, lowered)
ETAD_SAVED(Layer, name, type, parameters, shapes, costs)
ETAD_SAVED(LayerTime, layer, forward, backward)
ETAD_SAVED(Run, ordinal, job, state, framework, network, architecture, host, device, devices, started_at,
           ended_at, settings, train, test, iteration, max_iterations, first_iteration, startup,
           snapshot_time, snapshots, stalls, loss_is_nan, message)
ETAD_SAVED(Records::Of<Segment>, run, value)
ETAD_SAVED(Records::Of<ProgressPoint>, run, value)
ETAD_SAVED(Records::Of<std::vector<Layer>>, run, value)
ETAD_SAVED(Records::Of<std::vector<LayerTime>>, run, value)

}  // namespace etad
