//! What went wrong: the latest sentence of this thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// What went wrong last on this thread, as a sentence; empty where nothing has. It stays valid until the next
/// function of this library fails on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn enes_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

fn set(message: &str) {
    // A NUL within the text would end it.
    let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = text);
}

/// Run something that may fail; a failure is kept, and `failed` returned.
pub(crate) fn guard<T>(failed: T, run: impl FnOnce() -> Result<T, String>) -> T {
    let message = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => return value,
        Ok(Err(message)) => message,
        Err(_) => "enes has met a bug of its own: please report it with your settings".to_string(),
    };
    set(&message);
    failed
}

/// What to say of a pointer that must not be NULL.
pub(crate) fn null(name: &str) -> String {
    format!("{name} is NULL")
}
