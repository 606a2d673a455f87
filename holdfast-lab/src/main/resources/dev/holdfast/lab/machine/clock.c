/*
 * A clock for one server of the lab. Loaded before the C library (LD_PRELOAD), it answers what the server asks about the time
 * of day, and lets that time run faster from the moment somebody says so. The file named in HOLDFAST_LAB_CLOCK holds the
 * rate, one 64-bit number: 1 for a right clock, 20 for one that runs twenty times too fast.
 *
 * Only the time of day is changed: that is what Redis counts leases with. The kernel is asked directly, because looking up the
 * functions that we replace would allocate memory, and the server's allocator asks for the time before it is ready.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOS 1000000000LL

static volatile int64_t *rate_file;

/* What the clock showed when its rate changed last, and what the time was then. Guarded by lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t rate = 1;
static int64_t real_base, shown_base;

__attribute__((constructor)) static void open_rate_file(void) {
  const char *path = getenv("HOLDFAST_LAB_CLOCK");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file >= 0) {
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) rate_file = page;
  }
}

static int64_t shown_nanos(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  int64_t real = now.tv_sec * NANOS + now.tv_nsec;
  if (!rate_file) return real;
  pthread_mutex_lock(&lock);
  if (!real_base) real_base = shown_base = real;
  int64_t shown = shown_base + (real - real_base) * rate;
  int64_t wanted = *rate_file;
  if (wanted != rate) {
    /* From here on at the new rate; never back, so the clock stays ahead by what it has gained. */
    real_base = real;
    shown_base = shown;
    rate = wanted;
  }
  pthread_mutex_unlock(&lock);
  return shown;
}

int clock_gettime(clockid_t which, struct timespec *out) {
  if (which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE) return (int) syscall(SYS_clock_gettime, which, out);
  int64_t shown = shown_nanos();
  out->tv_sec = shown / NANOS;
  out->tv_nsec = shown % NANOS;
  return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void) zone;
  int64_t shown = shown_nanos();
  out->tv_sec = shown / NANOS;
  out->tv_usec = shown % NANOS / 1000;
  return 0;
}

time_t time(time_t *out) {
  time_t seconds = shown_nanos() / NANOS;
  if (out) *out = seconds;
  return seconds;
}
