//! Memory that the machine refuses: two lines and an exit code, where Rust would abort with a backtrace.
//!
//! An allocator may not unwind, so it cannot become Python's `MemoryError`; the process ends here, as it would by the
//! abort. Estimates refuse such runs before they begin (`scenario::Limits`), but what they allow can be overridden.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::io::Write;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

/// The system's allocator, which ends the process where that has nothing to give.
struct OrEnd;

// SAFETY: every call goes to the system's allocator with the same arguments; what it gives is handed on.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(place, layout, size) }, size)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

fn given(place: *mut u8, size: usize) -> *mut u8 {
    if place.is_null() { end(size) } else { place }
}

/// The code is that of every refusal of the command.
#[cold]
fn end(size: usize) -> ! {
    unsafe extern "C" {
        safe fn _exit(status: c_int) -> !;
    }
    let _ = writeln!(
        std::io::stderr(),
        "error[internal.memory]: the machine refuses {size} bytes of memory more\n\
         hint: fewer flows, a shorter run, or traces with a longer `output.trace_step` take less; `windlass explain` \
         tells what a run needs"
    );
    _exit(2)
}
