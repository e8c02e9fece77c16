//! A whole run in one call, for an objective that is a function.

use std::ffi::{c_char, c_void};
use std::ptr;

use enes::Optimizer;

use crate::error::{guard, null};
use crate::optimizer::settings;

/// An objective: `dimension` numbers in, a value out, NaN where it failed; `data` is what `enes_minimize` was given.
pub type EnesObjective =
    Option<unsafe extern "C" fn(x: *const f64, dimension: usize, data: *mut c_void) -> f64>;

/// Minimize a function in one call, and write the best point over `x`, which is the start. The other arguments are those
/// of `enes_new`. `evaluations` gets how often the function was called, unless it is NULL.
///
/// Returns the best value, or NaN where something cannot be used, or no value was a number; `enes_last_error` says which.
///
/// # Safety
/// `objective` may be called with `data` on this thread; `x` are `dimension` numbers; `settings` is NULL or a text that
/// ends with NUL; `evaluations` is NULL or a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_minimize(
    objective: EnesObjective,
    data: *mut c_void,
    dimension: usize,
    x: *mut f64,
    sigma0: f64,
    settings: *const c_char,
    evaluations: *mut u64,
) -> f64 {
    guard(f64::NAN, || {
        let objective = objective.ok_or_else(|| null("objective"))?;
        if x.is_null() {
            return Err(null("x"));
        }
        // SAFETY: what the caller of this function says.
        let settings = unsafe { self::settings(dimension, x, sigma0, settings) }?;
        Optimizer::new(&settings).map_err(|e| e.to_string())?;
        // SAFETY: the caller says that it may be called so.
        let value = |x: &[f64]| unsafe { objective(x.as_ptr(), x.len(), data) };
        let outcome = enes::minimize(&settings, value).map_err(|e| e.to_string())?;
        if !evaluations.is_null() {
            // SAFETY: a place for a number, as the header asks for.
            unsafe { *evaluations = outcome.evaluations };
        }
        if outcome.value.is_nan() {
            return Err(format!("no value was a number: {}", outcome.stop));
        }
        // SAFETY: x has room for as many numbers, as the header asks for.
        unsafe { ptr::copy_nonoverlapping(outcome.point.as_ptr(), x, outcome.point.len()) };
        Ok(outcome.value)
    })
}
