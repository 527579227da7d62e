// What CUDA's C has and C++ lacks, so that kernels run on a processor: blocks one after another, and threads as contexts
// that take turns wherever they would wait for each other.
#include <cmath>
#include <cstdint>
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
static std::vector<char> stacks;
static std::vector<char> done;
static ucontext_t launcher;
static unsigned int current;
static Body body;
static void **arguments;

static inline void __syncthreads() {
    const unsigned int me = current;
    swapcontext(&contexts[me], &launcher);
    current = me;
    threadIdx.x = me;
}

static void thread_main() {
    body(arguments);
    done[current] = 1;
    swapcontext(&contexts[current], &launcher);
}

// Threads that wait for each other run in turn: each goes on to where it waits next, before any goes further.
static void run_block(unsigned int threads) {
    contexts.resize(threads);
    stacks.resize(threads * STACK);
    done.assign(threads, 0);
    for (unsigned int k = 0; k < threads; ++k) {
        getcontext(&contexts[k]);
        contexts[k].uc_stack.ss_sp = &stacks[k * STACK];
        contexts[k].uc_stack.ss_size = STACK;
        contexts[k].uc_link = &launcher;
        makecontext(&contexts[k], thread_main, 0);
    }
    for (bool left = true; left;) {
        left = false;
        for (unsigned int k = 0; k < threads; ++k) {
            if (done[k]) continue;
            current = k;
            threadIdx.x = k;
            swapcontext(&launcher, &contexts[k]);
            left = left || !done[k];
        }
    }
}

extern "C" void launch(Body kernel, unsigned int blocks, unsigned int threads, void **given, int waits) {
    body = kernel;
    arguments = given;
    gridDim.x = blocks;
    blockDim.x = threads;
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
