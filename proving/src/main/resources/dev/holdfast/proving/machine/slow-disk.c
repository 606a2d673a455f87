/*
 * Starts a server whose waits for its disk can be made longer: slow-disk DELAY_FILE COMMAND [ARGUMENT...]
 *
 * A filter (seccomp) makes the kernel report each fsync and fdatasync of the server, and of all that the server starts, to a second process,
 * the supervisor. That lets the call go on after as many milliseconds as the file says, one 64-bit number. The server keeps our process id. The
 * supervisor ends when the server and all that it started have ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "This processor is not known here"
#endif

/* Linux 5.19; the headers may be older than the kernel. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define NANOS_A_SECOND 1000000000LL
#define NANOS_A_MILLI 1000000LL

static void fail(const char *what) {
  fprintf(stderr, "slow-disk: %s: %s\n", what, strerror(errno));
  exit(125);
}

/* ---- the supervisor */

/* Calls that are held back, in no order: there are never more than the server has threads. */
struct held_call {
  uint64_t id;
  int64_t due;
};
static struct held_call *held;
static size_t held_count, held_room;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * NANOS_A_SECOND + time.tv_nsec;
}

static void let_go_on(int listener, uint64_t id) {
  struct seccomp_notif_resp answer = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  /* Fails if the caller was killed meanwhile, which is fine. */
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void receive(int listener, struct seccomp_notif *call, size_t size, int64_t delay_millis) {
  /* The kernel insists on zeros. */
  memset(call, 0, size);
  /* Fails if the caller was killed since it was reported. */
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call) != 0) return;
  if (held_count == held_room) {
    size_t room = held_room * 2 + 16;
    struct held_call *larger = realloc(held, room * sizeof *held);
    if (larger) {
      held = larger;
      held_room = room;
    }
  }
  if (delay_millis <= 0 || held_count == held_room) {
    let_go_on(listener, call->id);
  } else {
    /* Each has a time of its own: those that come at once do not wait for each other. */
    held[held_count++] = (struct held_call) {call->id, now() + delay_millis * NANOS_A_MILLI};
  }
}

/* Returns when the next one is due, or -1 if there is none. */
static int64_t let_due_calls_go_on(int listener) {
  int64_t next = -1, time = now();
  for (size_t i = 0; i < held_count;) {
    if (held[i].due <= time) {
      let_go_on(listener, held[i].id);
      held[i] = held[--held_count];
    } else {
      if (next < 0 || held[i].due < next) next = held[i].due;
      i++;
    }
  }
  return next;
}

static void supervise(int listener, const volatile int64_t *delay_millis) {
  struct seccomp_notif_sizes sizes;
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) return;
  /* The kernel's idea of it may be larger than that of the headers. */
  size_t size = sizes.seccomp_notif > sizeof(struct seccomp_notif) ? sizes.seccomp_notif : sizeof(struct seccomp_notif);
  struct seccomp_notif *call = malloc(size);
  if (!call) return;
  for (;;) {
    int64_t due = let_due_calls_go_on(listener);
    int64_t left = due < 0 ? 0 : due - now();
    if (left < 0) left = 0;
    struct timespec wait = {left / NANOS_A_SECOND, left % NANOS_A_SECOND};
    struct pollfd source = {.fd = listener, .events = POLLIN};
    if (ppoll(&source, 1, due < 0 ? NULL : &wait, NULL) > 0) {
      if (source.revents & POLLIN) {
        receive(listener, call, size, *delay_millis);
      } else {
        /* Nobody is left under the filter. */
        return;
      }
    }
  }
}

static int receive_listener(int socket) {
  char byte;
  struct iovec data = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
  int listener;
  memcpy(&listener, CMSG_DATA(header), sizeof listener);
  return listener;
}

static void run_supervisor(int socket, const volatile int64_t *delay_millis) {
  /* Without its supervisor each fsync of the server would fail: only SIGKILL ends it before the server. */
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  /* Whoever reads the server's output waits until nobody has it open any more. */
  int nothing = open("/dev/null", O_RDWR);
  for (int file = 0; file < 3; file++) dup2(nothing, file);
  if (dup2(socket, 3) != 3) return;
  syscall(SYS_close_range, 4, ~0U, 0);
  if (chdir("/") != 0) return;
  int listener = receive_listener(3);
  if (listener < 0 || write(3, "", 1) != 1) return;
  close(3);
  supervise(listener, delay_millis);
}

/* Not a child of the server, which would find it among its own processes. Returns our end of a socket to it. */
static int start_supervisor(const volatile int64_t *delay_millis) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    close(ends[0]);
    /* Out of the terminal's reach, too. */
    setsid();
    if (fork() == 0) run_supervisor(ends[1], delay_millis);
    _exit(0);
  }
  close(ends[1]);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return ends[0];
}

/* ---- the server */

/* Other calls go on at once, and so do those of programs that were built for another processor. */
static int report_waits_for_the_disk(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fdatasync, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  /* Killable: like a wait for a real disk, it is not interrupted by the signals that servers send to themselves. */
  int listener = (int) syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (listener < 0) fail("seccomp with user notification (Linux 5.19)");
  return listener;
}

static void hand_over(int socket, int listener) {
  char byte = 0;
  struct iovec data = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.header), &listener, sizeof listener);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1 || read(socket, &byte, 1) != 1) fail("the supervisor did not start");
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "slow-disk DELAY_FILE COMMAND [ARGUMENT...]\n");
    return 125;
  }
  int file = open(arguments[1], O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(arguments[1]);
  const volatile int64_t *delay_millis = mmap(NULL, sizeof *delay_millis, PROT_READ, MAP_SHARED, file, 0);
  if (delay_millis == MAP_FAILED) fail("mmap");
  int socket = start_supervisor(delay_millis);
  hand_over(socket, report_waits_for_the_disk());
  execvp(arguments[2], arguments + 2);
  fail(arguments[2]);
}
