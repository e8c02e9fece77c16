//! What can be read of an optimizer at any time.

use std::ffi::c_char;
use std::{ptr, slice};

use crate::error::{guard, null};
use crate::optimizer::{EnesOptimizer, there};

/// The version of this library.
#[unsafe(no_mangle)]
pub extern "C" fn enes_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The number of coordinates; 0 where `es` is NULL.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_dimension(es: *const EnesOptimizer) -> usize {
    // SAFETY: what the caller of this function says.
    guard(0, || Ok(unsafe { there(es) }?.es.mean().len()))
}

/// Values told so far.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_evaluations(es: *const EnesOptimizer) -> u64 {
    // SAFETY: what the caller of this function says.
    guard(0, || Ok(unsafe { there(es) }?.es.evaluations()))
}

/// Generations completed so far.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_generations(es: *const EnesOptimizer) -> u64 {
    // SAFETY: what the caller of this function says.
    guard(0, || Ok(unsafe { there(es) }?.es.generation()))
}

/// Whether the run has ended; also where `es` is NULL, so that no loop goes on for ever.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_stopped(es: *const EnesOptimizer) -> bool {
    // SAFETY: what the caller of this function says.
    guard(true, || Ok(unsafe { there(es) }?.es.stop_reason().is_some()))
}

/// Why the run has ended, as a sentence; empty while it goes on. It stays valid until the next `enes_tell` or
/// `enes_free`.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_stop_reason(es: *const EnesOptimizer) -> *const c_char {
    // SAFETY: what the caller of this function says.
    guard(c"".as_ptr(), || Ok(unsafe { there(es) }?.reason.as_ptr()))
}

/// The best point so far, `dimension` numbers, is written to `x` unless that is NULL. Returns its value, or NaN where no
/// value was a number yet; `x` is left alone then. With `noisy = true` it is the mean and the estimate of its value.
///
/// # Safety
/// `es` is from this library and not yet freed; `x` is NULL or has room for `dimension` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_best(es: *const EnesOptimizer, x: *mut f64) -> f64 {
    guard(f64::NAN, || {
        // SAFETY: what the caller of this function says.
        let Some(best) = unsafe { there(es) }?.es.recommendation() else { return Ok(f64::NAN) };
        if !x.is_null() {
            // SAFETY: there is room, and memory of our own does not overlap with it.
            unsafe { ptr::copy_nonoverlapping(best.point.as_ptr(), x, best.point.len()) };
        }
        Ok(best.value)
    })
}

/// By how much the best point violates the constraints: 0 where it is feasible, NaN where there is none yet.
///
/// # Safety
/// `es` is from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_best_violation(es: *const EnesOptimizer) -> f64 {
    // SAFETY: what the caller of this function says.
    guard(f64::NAN, || Ok(unsafe { there(es) }?.es.best().map_or(f64::NAN, |best| best.violation)))
}

/// The mean of the search distribution, `dimension` numbers. Returns whether it was written.
///
/// # Safety
/// `es` is from this library and not yet freed; `mean` has room for `dimension` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_mean(es: *const EnesOptimizer, mean: *mut f64) -> bool {
    guard(false, || {
        // SAFETY: what the caller of this function says.
        let es = unsafe { there(es) }?;
        // SAFETY: the same.
        unsafe { write("mean", mean, es.es.mean()) }
    })
}

/// The standard deviations of the search distribution; a coordinate that bounds fix has 0. Returns whether they were
/// written.
///
/// # Safety
/// `es` is from this library and not yet freed; `deviations` has room for `dimension` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_deviations(es: *const EnesOptimizer, deviations: *mut f64) -> bool {
    guard(false, || {
        // SAFETY: what the caller of this function says.
        let es = unsafe { there(es) }?;
        // SAFETY: the same.
        unsafe { write("deviations", deviations, &es.es.standard_deviations()) }
    })
}

unsafe fn write(name: &str, to: *mut f64, numbers: &[f64]) -> Result<bool, String> {
    if to.is_null() {
        return Err(null(name));
    }
    // SAFETY: not NULL, and there is room for as many, as the header asks for.
    unsafe { slice::from_raw_parts_mut(to, numbers.len()) }.copy_from_slice(numbers);
    Ok(true)
}
