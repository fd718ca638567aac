#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::check("bits_alist", data));
