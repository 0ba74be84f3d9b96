// SPDX-License-Identifier: MIT OR Apache-2.0
/* LD_PRELOAD for linux.uml: getrandom() from a seeded splitmix64, so the guest's RNG seed is fixed */
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
static uint64_t s; static int init;
ssize_t getrandom(void *b, size_t n, unsigned f)
{ (void)f; if (!init) { const char *e = getenv("WL_SEED"); s = e ? strtoull(e, 0, 10) : 1; init = 1; }
  for (size_t i = 0; i < n; i++) { uint64_t z = (s += 0x9E3779B97F4A7C15ull); z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull; z = (z ^ (z >> 27)) * 0x94D049BB133111EBull; ((unsigned char *)b)[i] = z ^ (z >> 31); }
  return n; }
