// Streams and CUDA graphs of libtorch 2.11 for graph.rs, as functions that return null, or what went wrong:
// exceptions must not reach Rust. The functions of libtorch are looked up by name when the first one is needed: a
// libtorch for the CPU has none of them, nor the headers of CUDA that its own headers of them begin with.

#include <c10/core/CachingDeviceAllocator.h>
#include <dlfcn.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

// c10::cuda::CUDAStream
struct Stream {
    signed char type;
    signed char device;
    long id;
};

// c10::MempoolId_t; {0, 0} asks for a pool of its own.
using Pool = std::pair<unsigned long long, unsigned long long>;

// cudaStreamCaptureModeThreadLocal: libtorch's default would forbid other threads to wait for the GPU meanwhile.
constexpr int CAPTURE_MODE = 1;

// at::cuda::CUDAGraph, which has some 200 bytes
struct Graph {
    alignas(std::max_align_t) unsigned char fields[1024];
};

template <typename F>
F *find(const char *name) {
    auto found = reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
    if (found == nullptr) {
        throw std::runtime_error(std::string("this libtorch has no ") + name);
    }
    return found;
}

// A member function takes its object first.
struct Libtorch {
    Stream (*stream_from_pool)(bool, signed char) = find<Stream(bool, signed char)>("_ZN3c104cuda17getStreamFromPoolEba");
    Stream (*current_stream)(signed char) = find<Stream(signed char)>("_ZN3c104cuda20getCurrentCUDAStreamEa");
    void (*set_current_stream)(Stream) = find<void(Stream)>("_ZN3c104cuda20setCurrentCUDAStreamENS0_10CUDAStreamE");
    void (*construct)(Graph *, bool) = find<void(Graph *, bool)>("_ZN2at4cuda9CUDAGraphC1Eb");
    void (*destroy)(Graph *) = find<void(Graph *)>("_ZN2at4cuda9CUDAGraphD1Ev");
    void (*capture_begin)(Graph *, Pool, int) =
        find<void(Graph *, Pool, int)>("_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode");
    void (*capture_end)(Graph *) = find<void(Graph *)>("_ZN2at4cuda9CUDAGraph11capture_endEv");
    void (*replay)(Graph *) = find<void(Graph *)>("_ZN2at4cuda9CUDAGraph6replayEv");
};

const Libtorch &libtorch() {
    static const Libtorch functions;
    return functions;
}

template <typename F>
const char *attempt(F work) {
    thread_local std::string why;
    try {
        work();
        return nullptr;
    } catch (const std::exception &e) {
        why = e.what();
    } catch (...) {
        why = "unknown exception";
    }
    return why.c_str();
}

}  // namespace

extern "C" {

const char *retune_stream_enter(signed char device, Stream *former) {
    return attempt([&] {
        *former = libtorch().current_stream(device);
        libtorch().set_current_stream(libtorch().stream_from_pool(false, device));
    });
}

const char *retune_stream_leave(Stream former) {
    return attempt([&] { libtorch().set_current_stream(former); });
}

const char *retune_graph_begin(Graph **graph) {
    return attempt([&] {
        auto fresh = new Graph;
        libtorch().construct(fresh, false);
        *graph = fresh;
        libtorch().capture_begin(fresh, Pool(0, 0), CAPTURE_MODE);
    });
}

const char *retune_graph_end(Graph *graph) {
    return attempt([&] { libtorch().capture_end(graph); });
}

const char *retune_graph_replay(Graph *graph) {
    return attempt([&] { libtorch().replay(graph); });
}

// No other graph can use what this one leaves, nor can another process while this one keeps it.
void retune_graph_free(Graph *graph) {
    attempt([&] {
        libtorch().destroy(graph);
        c10::getDeviceAllocator(c10::DeviceType::CUDA)->emptyCache();
    });
    delete graph;
}

}
