// parallel_for: a pool of threads that help callers with their loops.
//
// A loop belongs to its caller, who always works on it and needs no helper to finish it. So nothing
// hangs when the pool's threads are busy with other callers, or are gone (in a child after fork).

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "codegen/runtime/error.h"

namespace sinter_rt {
namespace {

using Body = int (*)(int64_t i, int worker, void* env);

/// The worker this thread is, while it is in a loop; else -1.
thread_local int current_worker = -1;

/// One loop, on its caller's stack.
struct Loop {
  Body body;
  void* env;
  uint64_t n, chunk;
  std::atomic<uint64_t> next{0};  // unsigned: it runs past n by a chunk a thread
  std::atomic<bool> failed{false};

  // Under the pool's mutex.
  int workers = 1;    // threads that ever joined; the caller is worker 0
  int helping = 0;    // threads in it now, without the caller
  int code = 0;       // of the first failure
  std::string error;  // and its words, from the thread it was on

  bool exhausted() const { return failed.load(std::memory_order_relaxed) || next.load() >= n; }
};

int thread_count() {
  if (const char* text = std::getenv("SINTER_NUM_THREADS")) {
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1) return static_cast<int>(std::min(value, 1024L));
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

class Pool {
 public:
  explicit Pool(int size) : size_(size) {}

  int size() const { return size_; }

  int run(Loop& loop) {
    start();
    {
      std::lock_guard lock(mutex_);
      loops_.push_back(&loop);
    }
    const uint64_t chunks = (loop.n - 1) / loop.chunk + 1;
    const uint64_t helpers = std::min<uint64_t>(chunks - 1, size_ - 1);
    if (helpers + 1 >= static_cast<uint64_t>(size_)) {
      work_.notify_all();
    } else {
      for (uint64_t i = 0; i < helpers; ++i) work_.notify_one();
    }
    work_on(loop, 0);

    std::unique_lock lock(mutex_);
    std::erase(loops_, &loop);
    done_.wait(lock, [&] { return loop.helping == 0; });
    if (loop.code != 0) fail(loop.code, std::move(loop.error));
    return loop.code;
  }

  /// Ends the threads, so that the code they run may be unloaded.
  void stop() {
    std::vector<std::thread> threads;
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      threads.swap(threads_);
    }
    work_.notify_all();
    for (std::thread& thread : threads) {
      // exit() called inside a loop can't wait for itself; a forked child has none of the threads.
      if (current_worker >= 0 || getpid() != pid_) {
        thread.detach();
      } else {
        thread.join();
      }
    }
  }

 private:
  void start() {
    std::lock_guard lock(mutex_);
    if (started_) return;
    started_ = true;
    pid_ = getpid();
    try {
      for (int i = 1; i < size_; ++i) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
      // With fewer threads than wished for the loops still finish.
    }
  }

  /// The life of a pool thread.
  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Loop* loop = nullptr;
      work_.wait(lock, [&] { return stopping_ || (loop = open_loop()); });
      if (stopping_) return;
      const int worker = loop->workers++;
      ++loop->helping;
      lock.unlock();
      work_on(*loop, worker);
      lock.lock();
      // The caller may return, and the loop be gone, as soon as the mutex is free again.
      if (--loop->helping == 0) done_.notify_all();
    }
  }

  /// A loop with something left to do and room for one more; prunes what is exhausted.
  Loop* open_loop() {
    std::erase_if(loops_, [](const Loop* loop) { return loop->exhausted(); });
    for (Loop* loop : loops_) {
      if (loop->workers < size_) return loop;
    }
    return nullptr;
  }

  void work_on(Loop& loop, int worker) {
    current_worker = worker;
    while (!loop.failed.load(std::memory_order_relaxed)) {
      const uint64_t begin = loop.next.fetch_add(loop.chunk);
      if (begin >= loop.n) break;
      const uint64_t end = std::min(loop.n, begin + loop.chunk);
      for (uint64_t i = begin; i < end && !loop.failed.load(std::memory_order_relaxed); ++i) {
        if (int code = loop.body(static_cast<int64_t>(i), worker, loop.env)) record(loop, code);
      }
    }
    current_worker = -1;
  }

  void record(Loop& loop, int code) {
    std::lock_guard lock(mutex_);
    if (loop.code != 0) return;
    loop.code = code;
    loop.error = sinter_last_error();
    loop.failed = true;
  }

  const int size_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<Loop*> loops_;
  std::vector<std::thread> threads_;
  bool started_ = false, stopping_ = false;
  pid_t pid_ = 0;
};

/// Leaked: a forked child or a late static destructor may still run a loop, alone.
Pool& pool() {
  static Pool* const it = new Pool(thread_count());
  static const struct Stopper {
    ~Stopper() { it->stop(); }
  } stopper;
  return *it;
}

int run_serially(int64_t n, Body body, void* env) {
  const bool nested = current_worker >= 0;
  const int worker = nested ? current_worker : 0;
  current_worker = worker;
  int code = 0;
  for (int64_t i = 0; i < n && code == 0; ++i) code = body(i, worker, env);
  if (!nested) current_worker = -1;
  return code;
}

int parallel_for(int64_t n, Body body, void* env) {
  if (n <= 0) return SINTER_OK;
  // A single turn leaves the pool to the loops inside it.
  if (n == 1) return body(0, std::max(current_worker, 0), env);
  if (current_worker >= 0 || pool().size() == 1) return run_serially(n, body, env);
  // Several chunks a thread, so that uneven ones even out; a chunk costs one atomic addition.
  const uint64_t count = static_cast<uint64_t>(n);
  const uint64_t chunk = std::max<uint64_t>(1, count / (8 * static_cast<uint64_t>(pool().size())));
  Loop loop{.body = body, .env = env, .n = count, .chunk = chunk, .error = {}};
  return pool().run(loop);
}

}  // namespace
}  // namespace sinter_rt

extern "C" {

int sinter_rt_parallel_for(int64_t n, int (*body)(int64_t i, int worker, void* env), void* env) {
  return sinter_rt::guarded([&] { return sinter_rt::parallel_for(n, body, env); });
}

int sinter_rt_num_workers(void) {
  int count = 1;
  sinter_rt::guarded([&] {
    count = sinter_rt::pool().size();
    return 0;
  });
  return count;
}
}
