//! CUDA graphs: the operations that some code queues on a GPU are captured once, and then started together, which
//! takes a processor far less time than to start one after another.

use std::{
    error,
    ffi::{CStr, c_char, c_schar},
    fmt,
    marker::PhantomData,
    ptr::{self, NonNull},
};

/// What libtorch says went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rest is a trace of C++ functions.
        f.write_str(self.0.lines().next().unwrap_or_default())
    }
}

impl error::Error for Error {}

/// While it lives, this thread queues operations on a stream of its own: nothing can be captured on the usual one.
#[derive(Debug)]
pub struct OwnStream {
    former: shim::Stream,
    /// The current stream belongs to the thread.
    _here: PhantomData<*const ()>,
}

impl OwnStream {
    /// Goes to another stream of a GPU. What is queued on it does not wait for what was queued before.
    ///
    /// # Errors
    /// If there is no such GPU, or this libtorch cannot use any.
    pub fn enter(device: usize) -> Result<Self, Error> {
        let device = c_schar::try_from(device).map_err(|e| Error(e.to_string()))?;
        let mut former = shim::Stream { kind: 0, device, id: 0 };
        // SAFETY: `former` is writable and of the layout that the function fills in.
        check(unsafe { shim::retune_stream_enter(device, &raw mut former) })?;
        Ok(Self { former, _here: PhantomData })
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        // SAFETY: the stream is one that libtorch gave. A failure leaves the thread where it is.
        unsafe { shim::retune_stream_leave(self.former) };
    }
}

/// Captured operations.
#[derive(Debug)]
pub struct Graph(NonNull<shim::Graph>);

impl Graph {
    /// Captures what `work` queues on the current stream, which must not be the usual one; nothing is computed yet.
    /// Tensors that it makes have memory of the graph's own: those that it returns change with every replay. What
    /// it reads has to stay where it is, and what it takes from the host is captured as it is now.
    ///
    /// # Errors
    /// Of `work`, or if it does what cannot be captured, as copying from the GPU.
    pub fn capture<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<(Self, T), E> {
        let mut graph = ptr::null_mut();
        // SAFETY: `graph` is writable.
        let begun = check(unsafe { shim::retune_graph_begin(&raw mut graph) });
        let graph = NonNull::new(graph).map(Self);
        begun?;
        let graph = graph.expect("a capture that has begun has a graph");
        let made = work();
        // SAFETY: the graph exists, and its capture has begun.
        let ended = check(unsafe { shim::retune_graph_end(graph.0.as_ptr()) });
        let made = made?;
        ended?;
        Ok((graph, made))
    }

    /// Queues the captured operations on the current stream.
    ///
    /// # Errors
    /// If the GPU fails.
    pub fn replay(&self) -> Result<(), Error> {
        // SAFETY: the graph exists, and its capture has ended.
        check(unsafe { shim::retune_graph_replay(self.0.as_ptr()) })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the graph exists, and nobody else has it.
        unsafe { shim::retune_graph_free(self.0.as_ptr()) };
    }
}

/// What a function of the shim says.
fn check(why: *const c_char) -> Result<(), Error> {
    if why.is_null() {
        return Ok(());
    }
    // SAFETY: it is a string of C that stays until the thread's next call.
    let why = unsafe { CStr::from_ptr(why) };
    Err(Error(why.to_string_lossy().into_owned()))
}

/// `graph.cpp`
mod shim {
    use std::ffi::{c_char, c_long, c_schar};

    /// A stream of a device.
    #[derive(Debug, Clone, Copy)]
    #[repr(C)]
    pub struct Stream {
        pub kind: c_schar,
        pub device: c_schar,
        pub id: c_long,
    }

    /// A graph, whose fields stay libtorch's.
    #[repr(C)]
    pub struct Graph {
        fields: [u8; 0],
    }

    unsafe extern "C" {
        pub fn retune_stream_enter(device: c_schar, former: *mut Stream) -> *const c_char;
        pub fn retune_stream_leave(former: Stream) -> *const c_char;
        pub fn retune_graph_begin(graph: *mut *mut Graph) -> *const c_char;
        pub fn retune_graph_end(graph: *mut Graph) -> *const c_char;
        pub fn retune_graph_replay(graph: *mut Graph) -> *const c_char;
        pub fn retune_graph_free(graph: *mut Graph);
    }
}
