// What CUDA's C has and C++ lacks, so that kernels run on a processor: blocks one after another, and threads as contexts
// that take turns wherever they would wait for each other.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static

struct Dimension {
    unsigned int x;
};
static Dimension threadIdx, blockIdx, blockDim, gridDim;

static inline float __int_as_float(unsigned int bits) {
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

static inline float to_float(unsigned short bits) {
    _Float16 number;
    std::memcpy(&number, &bits, sizeof number);
    return (float)number;
}

static inline unsigned short to_half(float number) {
    const _Float16 half = (_Float16)number;
    unsigned short bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
}

typedef void (*Body)(void **);
static const size_t STACK = 1 << 16;
static std::vector<ucontext_t> contexts;
static std::vector<std::vector<char>> stacks;
// Where each thread waits, and where the launcher goes on: jumps between these ask nothing of the system.
static jmp_buf *waiting, home;
static std::vector<char> started, done;
static unsigned int current;
static Body body;
static void **arguments;

static __attribute__((noinline)) void go_home() {
    const unsigned int me = current;
    if (_setjmp(waiting[me]) == 0) _longjmp(home, 1);
    current = me;
    threadIdx.x = me;
}

static inline void __syncthreads() { go_home(); }

static void thread_main() {
    for (;;) {
        body(arguments);
        done[current] = 1;
        go_home();
    }
}

static __attribute__((noinline)) void go_to(unsigned int thread) {
    current = thread;
    threadIdx.x = thread;
    if (_setjmp(home) != 0) return;
    if (started[thread]) _longjmp(waiting[thread], 1);
    started[thread] = 1;
    setcontext(&contexts[thread]);
}

// Threads are made once, and run one body after another.
static void make_threads(unsigned int threads) {
    if (threads <= contexts.size()) return;
    free(waiting);
    waiting = (jmp_buf *)malloc(threads * sizeof(jmp_buf));
    contexts.resize(threads);
    stacks.assign(threads, std::vector<char>(STACK));
    started.assign(threads, 0);
    done.assign(threads, 0);
    for (unsigned int k = 0; k < threads; ++k) {
        getcontext(&contexts[k]);
        contexts[k].uc_stack.ss_sp = stacks[k].data();
        contexts[k].uc_stack.ss_size = STACK;
        contexts[k].uc_link = nullptr;
        makecontext(&contexts[k], thread_main, 0);
    }
}

// Threads that wait for each other run in turn: each goes on to where it waits next, before any goes further.
static void run_block(unsigned int threads) {
    done.assign(done.size(), 0);
    for (bool left = true; left;) {
        left = false;
        for (unsigned int k = 0; k < threads; ++k) {
            if (done[k]) continue;
            go_to(k);
            left = left || !done[k];
        }
    }
}

extern "C" void launch(Body kernel, unsigned int blocks, unsigned int threads, void **given, int waits) {
    body = kernel;
    arguments = given;
    gridDim.x = blocks;
    blockDim.x = threads;
    if (waits) make_threads(threads);
    for (unsigned int block = 0; block < blocks; ++block) {
        blockIdx.x = block;
        if (waits) {
            run_block(threads);
            continue;
        }
        for (unsigned int k = 0; k < threads; ++k) {
            threadIdx.x = k;
            kernel(given);
        }
    }
}
