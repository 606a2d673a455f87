/*
 * A slow disk for one server. Loaded before the C library (LD_PRELOAD), it lets every fsync and fdatasync take longer. The file named in
 * HOLDFAST_PROVING_DISK holds for how long, one 64-bit number of milliseconds. The kernel is asked directly, so that nothing has to be looked up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *delay_millis;

__attribute__((constructor)) static void open_delay_file(void) {
  const char *path = getenv("HOLDFAST_PROVING_DISK");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file >= 0) {
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) delay_millis = page;
  }
}

static void wait_for_disk(void) {
  int64_t millis = delay_millis ? *delay_millis : 0;
  if (millis > 0) {
    struct timespec delay = {millis / 1000, millis % 1000 * 1000000};
    nanosleep(&delay, NULL);
  }
}

int fsync(int file) {
  wait_for_disk();
  return (int) syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_for_disk();
  return (int) syscall(SYS_fdatasync, file);
}
