/* The runtime of Sinter: what a compiled pipeline needs at run time, and nothing more.
 *
 * A leaf library with a C ABI. Exported kernel libraries, kernels compiled in memory and host code
 * all link this one runtime; it includes nothing of Sinter and opens the CUDA driver when it is
 * first needed, so that everything builds and starts on a machine without one.
 *
 * Conventions
 *  - A function returns 0 (SINTER_OK) or a sinter_status; the words are in sinter_last_error(),
 *    which is kept per thread. A successful call leaves that text alone. No C++ exception leaves
 *    the library.
 *  - Everything is safe to call from several threads, unless its comment says otherwise.
 *  - Dimension d of a Func is dimension rank-1-d of its DLTensor: a row-major [M, N] tensor has
 *    Func extents (N, M). Strides count elements.
 *  - A stream is a CUstream / cudaStream_t; NULL is the legacy default stream. Host code has none.
 *  - CUDA calls act on the calling thread's current context, as PyTorch and the CUDA runtime leave
 *    it. Without one, the primary context of device 0 is retained and made current.
 */
#ifndef SINTER_RUNTIME_H_
#define SINTER_RUNTIME_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

/* Everything else in the library is hidden. */
#if defined(__GNUC__)
#define SINTER_API __attribute__((visibility("default")))
#else
#define SINTER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors -------------------------------------------------------------------------------- */

enum sinter_status {
  SINTER_OK = 0,
  SINTER_ERR_NULL = 1,       /* a tensor, its shape or its data is missing */
  SINTER_ERR_DEVICE = 2,     /* memory of another kind of device, or of several devices */
  SINTER_ERR_DTYPE = 3,      /* element type */
  SINTER_ERR_RANK = 4,       /* number of dimensions */
  SINTER_ERR_SHAPE = 5,      /* an extent is negative, too large, or not the one needed */
  SINTER_ERR_STRIDE = 6,     /* strides: dimension 0 not dense, an output not injective, too far */
  SINTER_ERR_ALIGN = 7,      /* the data pointer is not aligned to its element */
  SINTER_ERR_ALIAS = 8,      /* an output overlaps another buffer */
  SINTER_ERR_REQUIRES = 9,   /* a requirement the pipeline states about its arguments */
  SINTER_ERR_NO_DRIVER = 10, /* no CUDA driver, or no device */
  SINTER_ERR_CUDA = 11,      /* the driver reported an error */
  SINTER_ERR_MEMORY = 12,    /* out of memory, on the host or the device */
  SINTER_ERR_UNSUPPORTED = 13, /* this device cannot run it: no fitting image, too few resources */
  SINTER_ERR_INTERNAL = 14     /* a fault of Sinter itself */
};

/* The text of the last error on this thread; "" if there was none. Valid until the next failing
 * call on this thread. */
SINTER_API const char* sinter_last_error(void);

/* Sets the text and returns the code, so that generated code can `return sinter_rt_fail(...)`. */
SINTER_API int sinter_rt_fail(int code, const char* text);

/* "<pipeline>: requires <what>: needed <needed>, given <given>"; returns SINTER_ERR_REQUIRES. */
SINTER_API int sinter_rt_fail_requires(const char* pipeline, const char* what, int64_t needed,
                                       int64_t given);

/* ---- Arguments ----------------------------------------------------------------------------- */

enum sinter_rt_kind { SINTER_RT_INPUT = 0, SINTER_RT_OUTPUT = 1, SINTER_RT_SCALAR = 2 };

/* What a pipeline declares about one argument. */
typedef struct sinter_rt_arg {
  const char* name;
  uint8_t code, bits; /* DLPack's type code and bits; bool is code 6, and uint8 is taken for it */
  uint8_t kind;       /* enum sinter_rt_kind */
  int8_t rank;        /* number of dimensions; 0 for scalars too */
  uint8_t dim0_free_stride; /* else the stride of dimension 0 is 1 */
  /* 1 + the index of the argument that this output may be in place over (the same pointer, type,
   * extents and strides); 0 = none. */
  uint16_t may_alias;
} sinter_rt_arg;

/* Checks all arguments of a call, and lays out what generated code reads. No driver is asked. After
 * an error `values` may be partly written.
 *
 * `tensors` and `scalars` have one entry per argument (scalars may be NULL if there are none).
 * `device_type` is kDLCPU or kDLCUDA.
 *
 * `values`, in argument order: a tensor gives its data pointer (byte_offset applied), then `rank`
 * extents, then `rank` strides, in Func dimension order: 1 + 2 * rank slots. A scalar gives one
 * slot, `scalars[i]` as it is (integers sign- or zero-extended, the bits of a float in the low
 * part).
 *
 * Checked: presence (null data is fine where an extent is 0), device, type (lanes 1), rank, extents
 * in [0, SINTER_RT_MAX_EXTENT], number of elements and byte span within int64, stride 1 of dimension 0, alignment
 * to the element. An output's strides are positive and nested: each is larger than everything the
 * smaller ones reach, so that no two elements share memory. Its byte range is disjoint from every
 * other argument's; inputs may overlap each other.
 *
 * NULL strides mean compact. The stride of a dimension of extent 1, and all strides of a tensor
 * without elements, arrive as their compact value, whatever the caller wrote there. */
SINTER_API int sinter_rt_unpack(const char* pipeline, const sinter_rt_arg* args, int n,
                                const DLTensor* const* tensors, const int64_t* scalars,
                                int device_type, int64_t* values);

/* ---- CUDA: modules and launches ------------------------------------------------------------ */

typedef void* sinter_stream_t;

/* The largest extent of a dimension: the margin below 2^31 is for coordinates that tiles and halos add. Proofs rely on it
 * (kMaxExtent in scheduler/prove/obligations.h). */
#define SINTER_RT_MAX_EXTENT 2146435071

/* The largest grid that sinter_rt_launch takes; beyond it a kernel strides over its blocks. */
#define SINTER_RT_MAX_GRID 2147483647u

/* The kernels of one pipeline, for one or more architectures. Static data of an exported library:
 * everything but `state` is constant and outlives the module. */
typedef struct sinter_rt_module {
  const char* name;
  const char* const* images; /* PTX text, ending in a NUL byte, or the bytes of a cubin */
  const size_t* image_sizes; /* in bytes */
  /* "ptx" (its .target says for what), or for a cubin its architecture: "sm_90a" */
  const char* const* image_arch;
  int num_images;
  int num_kernels;
  const char* const* kernel_names; /* the entry points, in the order of their indices */
  void* state;                     /* the runtime's; NULL at first */
} sinter_rt_module;

/* Loads the module into the current context, if it is not there yet, and looks up its kernels.
 * Takes a cubin made for exactly this compute capability, else the most specific image that runs
 * here: a cubin on later devices of its major version (one of sm_90a on that alone), PTX on all
 * later ones, compiled by the driver (whose log is in the error text). sinter_rt_launch does this too;
 * call it beforehand to keep the work off the first call. */
SINTER_API int sinter_rt_module_load(sinter_rt_module* module);

/* One version of an exported pipeline. A library has several where it was compiled for several
 * targets; all of them take the same arguments. */
typedef struct sinter_rt_version {
  const char* target;       /* "cuda-sm_90a", "host" */
  sinter_rt_module* module; /* its kernels; NULL: the host version, of which there is at most one */
} sinter_rt_version;

/* Sets `version` to the index of the one that runs a call with these tensors. They lie in device
 * memory: the version with the image that the current context's device likes best, by the rule of
 * sinter_rt_module_load. They lie in host memory, or in managed memory on a machine without a
 * usable device: the host version. Where the arguments are wrong, some version, whose checks say
 * so. A library of one version asks for nothing. The error names the device and what the library
 * holds. */
SINTER_API int sinter_rt_choose(const char* pipeline, const sinter_rt_version* versions,
                                int num_versions, const sinter_rt_arg* args, int n,
                                const DLTensor* const* tensors, int* version);

/* Makes `device` current and loads the version that runs there. A negative device is the host. */
SINTER_API int sinter_rt_prepare(const char* pipeline, const sinter_rt_version* versions,
                                 int num_versions, int device);

/* Unloads the module from every context and frees its workspaces. Nothing of it may be running, and
 * no graph captured from it may be launched again. */
SINTER_API void sinter_rt_module_unload(sinter_rt_module* module);

/* Enqueues one kernel: `grid` blocks in x, `threads` threads in x, `shared_bytes` of dynamic shared
 * memory, `params` as cuLaunchKernel takes them (a pointer to each value). A grid of 0 is a success
 * that launches nothing. Never synchronises; can be captured in a graph. */
SINTER_API int sinter_rt_launch(sinter_rt_module* module, int kernel_index, uint64_t grid,
                                uint32_t threads, uint32_t shared_bytes, void** params,
                                sinter_stream_t stream);

/* Device scratch of at least `bytes`, 256-byte aligned, for the calls of this module on this
 * stream: stream order keeps two uses apart. It is kept and only ever grows. Growing waits for the
 * stream, so a call of the same size as an earlier one neither allocates nor synchronises. While
 * the stream is being captured, each capture gets memory of its own, kept until the module is
 * unloaded: a graph may be launched at any time and beside anything else. 0 bytes give NULL. */
SINTER_API int sinter_rt_workspace(sinter_rt_module* module, uint64_t bytes, sinter_stream_t stream,
                                   void** out);

/* Enqueues zeroes over `bytes` of device memory. */
SINTER_API int sinter_rt_memset(void* ptr, uint64_t bytes, sinter_stream_t stream);

/* ---- CUDA: devices, memory, time ----------------------------------------------------------- */

typedef struct sinter_rt_device_info {
  char name[128];
  int cc_major, cc_minor; /* compute capability */
  int sm_count;
  int shared_per_block; /* bytes a block can opt in to */
  int l2_bytes;
  int clock_khz;         /* of the SMs at their highest */
  uint64_t total_memory; /* bytes */
} sinter_rt_device_info;

/* 1 if there is a driver and at least one device. Leaves the error text alone. */
SINTER_API int sinter_rt_have_gpu(void);
SINTER_API int sinter_rt_device_count(int* count);
SINTER_API int sinter_rt_device_query(int device, sinter_rt_device_info* info);
/* The device of the current context (device 0 is made current if there is none). */
SINTER_API int sinter_rt_device_current(int* device);
/* Makes the primary context of `device` current on this thread. */
SINTER_API int sinter_rt_device_use(int device);

/* Device memory, 256-byte aligned. Freeing waits for the device. 0 bytes give NULL; NULL may be
 * freed. */
SINTER_API int sinter_rt_device_alloc(uint64_t bytes, void** out);
SINTER_API int sinter_rt_device_free(void* ptr);
/* Copies in stream order, and returns when the bytes have arrived. */
SINTER_API int sinter_rt_copy_to_device(void* device_dst, const void* host_src, uint64_t bytes,
                                        sinter_stream_t stream);
SINTER_API int sinter_rt_copy_to_host(void* host_dst, const void* device_src, uint64_t bytes,
                                      sinter_stream_t stream);

/* A stream that does not wait for the legacy default stream. */
SINTER_API int sinter_rt_stream_create(sinter_stream_t* out);
SINTER_API int sinter_rt_stream_destroy(sinter_stream_t stream);
SINTER_API int sinter_rt_stream_sync(sinter_stream_t stream);

/* Events with a clock. elapsed waits for `end`, then gives the milliseconds since `start`. */
typedef void* sinter_rt_event;
SINTER_API int sinter_rt_event_create(sinter_rt_event* out);
SINTER_API int sinter_rt_event_destroy(sinter_rt_event event);
SINTER_API int sinter_rt_event_record(sinter_rt_event event, sinter_stream_t stream);
SINTER_API int sinter_rt_event_elapsed(sinter_rt_event start, sinter_rt_event end, float* ms);

/* ---- Host ---------------------------------------------------------------------------------- */

/* Runs body(i, worker, env) for every i in [0, n), on the calling thread and on the pool's: as many
 * as the machine has, or SINTER_NUM_THREADS. Returns when all have finished. The first non-zero
 * result is returned, with its error text, and stops what has not begun. `worker` is below
 * sinter_rt_num_workers(), and no two threads have the same one in the same loop. A loop inside a
 * loop runs serially, on the worker it is in, unless the outer one has a single turn. `body` throws
 * no C++ exception. */
SINTER_API int sinter_rt_parallel_for(int64_t n, int (*body)(int64_t i, int worker, void* env),
                                      void* env);
SINTER_API int sinter_rt_num_workers(void);

/* Scratch of the calling thread, a stack: what was allocated after a mark goes with its release.
 * 64-byte aligned; memory is kept for the next use. Out of memory gives NULL and the error text. */
SINTER_API void* sinter_rt_arena_alloc(uint64_t bytes);
SINTER_API uint64_t sinter_rt_arena_mark(void);
SINTER_API void sinter_rt_arena_release(uint64_t mark);

/* Host scratch of at least `bytes`, 64-byte aligned, for the calls of the pipeline named by `key`
 * (any address) on this thread. It is kept and only grows; growing drops what was in it. 0 bytes
 * give NULL. */
SINTER_API int sinter_rt_host_workspace(void* key, uint64_t bytes, void** out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SINTER_RUNTIME_H_ */
