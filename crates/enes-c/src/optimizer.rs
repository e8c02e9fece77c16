//! An optimizer behind a pointer: new, ask, tell, checkpoint, free.

use std::ffi::{CStr, CString, c_char};
use std::{ptr, slice};

use enes::{Optimizer, Settings, SettingsFile, StopReason};

use crate::error::{guard, null};

/// An optimizer. Only the functions below look inside.
pub struct EnesOptimizer {
    pub(crate) es: Optimizer,
    /// The points that were handed out last.
    points: Vec<f64>,
    /// Whether they are fewer than a generation, because the budget has no room for more.
    cut: bool,
    /// Why the run has ended; empty while it goes on.
    pub(crate) reason: CString,
}

impl EnesOptimizer {
    fn new(es: Optimizer) -> Self {
        let mut new = Self { es, points: Vec::new(), cut: false, reason: CString::default() };
        new.note_reason();
        new
    }

    fn note_reason(&mut self) {
        let text = self.es.stop_reason().map(ToString::to_string).unwrap_or_default();
        self.reason = CString::new(text).unwrap_or_default();
    }

    /// The points to evaluate now, as many as the budget allows.
    pub(crate) fn ask(&mut self) -> &[f64] {
        let left = self.es.settings().summary().max_evaluations;
        let left = left.map_or(u64::MAX, |limit| limit.saturating_sub(self.es.evaluations()));
        let asked = self.es.ask();
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(asked.len());
        self.cut = count < asked.len();
        self.points.clear();
        self.points.extend_from_slice(&asked.as_slice()[..count * asked.dimension()]);
        &self.points
    }

    pub(crate) fn tell(&mut self, values: &[f64], violations: Option<&[f64]>) -> Result<(), String> {
        let expected = self.points.len() / self.es.mean().len();
        if self.cut && values.len() != expected {
            return Err(format!("count must be {expected}, as many as enes_ask gave, got {}", values.len()));
        }
        let limit = self.es.evaluations() + values.len() as u64;
        let spent = StopReason::MaxEvaluations { evaluations: limit, limit };
        let told = match (self.cut, violations) {
            (false, None) => self.es.tell(values),
            (false, Some(violations)) => self.es.tell_constrained(values, violations),
            (true, None) => self.es.tell_and_stop(values, spent),
            (true, Some(violations)) => self.es.tell_and_stop_constrained(values, violations, spent),
        };
        told.map_err(|e| e.to_string())?;
        self.points.clear();
        self.note_reason();
        Ok(())
    }
}

/// The numbers behind a pointer.
///
/// # Safety
/// `count` numbers must be there, unless the pointer is NULL.
pub(crate) unsafe fn numbers<'a>(name: &str, from: *const f64, count: usize) -> Result<&'a [f64], String> {
    match (from.is_null(), count) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: not NULL, and the caller says that so many are there.
        (false, _) => Ok(unsafe { slice::from_raw_parts(from, count) }),
    }
}

/// The optimizer behind a pointer.
///
/// # Safety
/// The pointer is NULL, or from this library and not yet freed, and no other thread uses it now.
pub(crate) unsafe fn at<'a>(es: *mut EnesOptimizer) -> Result<&'a mut EnesOptimizer, String> {
    // SAFETY: what the caller says.
    unsafe { es.as_mut() }.ok_or_else(|| null("the optimizer"))
}

/// The same, to look at.
///
/// # Safety
/// As for [`at`].
pub(crate) unsafe fn there<'a>(es: *const EnesOptimizer) -> Result<&'a EnesOptimizer, String> {
    // SAFETY: what the caller says.
    unsafe { es.as_ref() }.ok_or_else(|| null("the optimizer"))
}

/// The settings that the arguments of `enes_new` make.
pub(crate) unsafe fn settings(
    dimension: usize,
    x0: *const f64,
    sigma0: f64,
    text: *const c_char,
) -> Result<Settings, String> {
    let text = match text.is_null() {
        true => "",
        // SAFETY: a text that ends with NUL, as the header asks for.
        false => {
            unsafe { CStr::from_ptr(text) }.to_str().map_err(|e| format!("settings is not UTF-8: {e}"))?
        }
    };
    let mut table: toml::Table = toml::from_str(text).map_err(|e| format!("settings: {e}"))?;
    if !x0.is_null() {
        // SAFETY: as many numbers as the dimension says, as the header asks for.
        let x0 = unsafe { numbers("x0", x0, dimension) }?;
        table.insert("x0".to_string(), x0.to_vec().into());
    }
    if sigma0 != 0.0 {
        table.insert("sigma0".to_string(), sigma0.into());
    }
    let file: SettingsFile = table.try_into().map_err(|e| format!("settings: {e}"))?;
    let settings = Settings::try_from(file).map_err(|e| e.to_string())?;
    if settings.dimension() != dimension {
        let here = settings.dimension();
        return Err(format!(
            "dimension is {dimension}, but x0 or bounds in the settings have {here} coordinates"
        ));
    }
    Ok(settings)
}

/// A new optimizer that starts at `x0`, `dimension` numbers, with the initial standard deviation `sigma0`.
///
/// `settings` is text in TOML, or NULL: "seed = 7\ntarget = 1e-9\nmax_evaluations = 2000\nbounds = [[0, 1], [0, inf]]".
/// Its names are those of the Rust library, and docs/other-languages.md lists them. `x0` may be NULL and `sigma0` 0
/// where the settings have bounds, or say `x0` and `sigma0` themselves.
///
/// Returns NULL where something cannot be used; `enes_last_error` names it. `enes_free` frees the optimizer.
///
/// # Safety
/// `x0` is NULL or `dimension` numbers; `settings` is NULL or a text that ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_new(
    dimension: usize,
    x0: *const f64,
    sigma0: f64,
    settings: *const c_char,
) -> *mut EnesOptimizer {
    guard(ptr::null_mut(), || {
        // SAFETY: what the caller of this function says.
        let settings = unsafe { self::settings(dimension, x0, sigma0, settings) }?;
        let es = Optimizer::new(&settings).map_err(|e| e.to_string())?;
        Ok(Box::into_raw(Box::new(EnesOptimizer::new(es))))
    })
}

/// Free an optimizer; NULL is left alone.
///
/// # Safety
/// `es` is NULL, or from this library and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_free(es: *mut EnesOptimizer) {
    if !es.is_null() {
        // SAFETY: it came from Box::into_raw and is freed once, as the header asks for.
        drop(unsafe { Box::from_raw(es) });
    }
}

/// The points to evaluate now, one after the other: `*count` of them, `dimension` numbers each.
///
/// They stay valid until the next `enes_ask`, `enes_tell` or `enes_free`. Asking again before telling gives the same
/// points. With strategy "published" there may be none: tell no values then. Returns NULL where `es` or `count` is NULL.
///
/// # Safety
/// `es` is from this library and not yet freed; `count` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_ask(es: *mut EnesOptimizer, count: *mut usize) -> *const f64 {
    guard(ptr::null(), || {
        // SAFETY: what the caller of this function says.
        let (es, count) = unsafe { (at(es)?, count.as_mut().ok_or_else(|| null("count"))?) };
        *count = es.ask().len() / es.es.mean().len();
        Ok(es.points.as_ptr())
    })
}

/// The values of the points that `enes_ask` gave, in their order; NaN for one that failed. Returns whether they were
/// taken: their number must be that of the points.
///
/// # Safety
/// `es` is from this library and not yet freed; `values` are `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_tell(es: *mut EnesOptimizer, values: *const f64, count: usize) -> bool {
    guard(false, || {
        // SAFETY: what the caller of this function says.
        let (es, values) = unsafe { (at(es)?, numbers("values", values, count)?) };
        es.tell(values, None).map(|()| true)
    })
}

/// The same for points with constraints: `violations` says by how much each point violates them, 0 or less where it is
/// feasible.
///
/// # Safety
/// `es` is from this library and not yet freed; `values` and `violations` are `count` numbers each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_tell_constrained(
    es: *mut EnesOptimizer,
    values: *const f64,
    violations: *const f64,
    count: usize,
) -> bool {
    guard(false, || {
        // SAFETY: what the caller of this function says.
        let (es, values) = unsafe { (at(es)?, numbers("values", values, count)?) };
        // SAFETY: the same.
        let violations = unsafe { numbers("violations", violations, count) }?;
        es.tell(values, Some(violations)).map(|()| true)
    })
}

/// Give a point that was evaluated elsewhere, `dimension` numbers, and its value to the search. Returns whether it was
/// taken.
///
/// # Safety
/// `es` is from this library and not yet freed; `x` are `dimension` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_inject(es: *mut EnesOptimizer, x: *const f64, value: f64) -> bool {
    guard(false, || {
        // SAFETY: what the caller of this function says.
        let es = unsafe { at(es) }?;
        // SAFETY: the same.
        let x = unsafe { numbers("x", x, es.es.mean().len()) }?;
        es.es.inject(x, value).map_err(|e| e.to_string())?;
        es.note_reason();
        Ok(true)
    })
}

/// The whole state of the search as bytes, to continue later, bit for bit. Writes them to `buffer` where `size` is large
/// enough, and returns how many there are: call it with NULL and 0 to learn that. 0 where `es` is NULL.
///
/// # Safety
/// `es` is from this library and not yet freed; `buffer` is NULL or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_checkpoint(es: *const EnesOptimizer, buffer: *mut u8, size: usize) -> usize {
    guard(0, || {
        // SAFETY: what the caller of this function says.
        let bytes = unsafe { there(es) }?.es.to_checkpoint();
        if !buffer.is_null() && size >= bytes.len() {
            // SAFETY: there is room, and memory of our own does not overlap with it.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, bytes.len()) };
        }
        Ok(bytes.len())
    })
}

/// An optimizer that continues from such bytes; NULL where they are damaged or of another version.
///
/// # Safety
/// `bytes` are `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn enes_restore(bytes: *const u8, size: usize) -> *mut EnesOptimizer {
    guard(ptr::null_mut(), || {
        if bytes.is_null() {
            return Err(null("bytes"));
        }
        // SAFETY: not NULL, and the caller says that so many are there.
        let bytes = unsafe { slice::from_raw_parts(bytes, size) };
        let es = Optimizer::from_checkpoint(bytes).map_err(|e| e.to_string())?;
        Ok(Box::into_raw(Box::new(EnesOptimizer::new(es))))
    })
}
