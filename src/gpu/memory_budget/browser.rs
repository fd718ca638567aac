//! Browsers, which do not tell how much memory a GPU has: a share of what they say of the whole machine.

use super::DeviceMemory;

/// What is taken where a browser does not say how much memory the machine has, as Firefox and Safari.
const ASSUMED_GIB: f64 = 4.0;

/// Asks the browser. It says the power of two of GiB below the machine's memory, and at most a bound of its own.
#[cfg(target_arch = "wasm32")]
pub(super) fn memory() -> Option<DeviceMemory> {
    let navigator = js_sys::Reflect::get(&js_sys::global(), &"navigator".into());
    let stated = navigator.and_then(|navigator| js_sys::Reflect::get(&navigator, &"deviceMemory".into()));
    Some(of_machine(stated.ok().and_then(|stated| stated.as_f64())))
}

/// A quarter of the machine's memory: the GPU may have no other, and the page, the browser and all other programs need
/// theirs. So the host's share is left out of the budget, which is the device's alone.
fn of_machine(stated_gib: Option<f64>) -> DeviceMemory {
    let gib = stated_gib.filter(|gib| gib.is_finite() && *gib > 0.0).unwrap_or(ASSUMED_GIB);
    // Conversions of floats saturate.
    let bytes = (gib * (1u64 << 30) as f64) as u64;
    DeviceMemory { bytes, budget: bytes / 4, is_shared: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_machine_is_taken() {
        let budget = |stated| of_machine(stated).budget >> 20;
        assert_eq!(budget(Some(8.0)), 2048);
        assert_eq!(budget(Some(0.25)), 64);
        assert_eq!(budget(None), 1024);
        for strange in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!(budget(Some(strange)), 1024);
        }
    }
}
