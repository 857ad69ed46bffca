// Learning rate of each step, a pure function of the step: resuming can neither skip nor repeat
// one.
//
//     lr |      ______________ constant            s <= warmup: lr * s / warmup
//        |     /`-._                               then, with p = (s - warmup) / decay_steps:
//        |    /     `-._       linear, cosine          linear  lr * (1 - (1 - min) * p)
//        |   /          `-.__                          cosine  lr * (min + (1 - min) * (1 + cos(pi
//        p)) / 2) |  /                                          wsd     constant, then linear over
//        the last
//        +------------------------------ s                     decay_steps steps
//
// Sources: cosine, arXiv:1608.03983; warm-up, stable, decay (WSD), arXiv:2404.06395.
#pragma once

#include <cstdint>

#include "hyperpp/config/config.h"

namespace hyperpp::optim {

/// Learning rate of `step` (from 1) in a run of `total_steps`; `peak` is optimizer.lr.
double LearningRate(const config::LrSchedulerSection& schedule, double peak, int64_t step,
                    int64_t total_steps);

}  // namespace hyperpp::optim
