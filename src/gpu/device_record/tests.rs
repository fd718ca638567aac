use super::*;

fn adapter<'a>(name: &'a str, vendor: &'a str, kind: &'a str) -> Identity<'a> {
    Identity { name, vendor, kind, backend: "vulkan", driver: "1", cores: None, int64: true }
}

#[test]
fn shipped_records_are_sound_and_estimates_say_so() {
    let cases = [
        ("NVIDIA H200", "NVIDIA", "discrete", Origin::Shipped),
        ("NVIDIA H100 80GB HBM3", "NVIDIA", "discrete", Origin::Shipped),
        ("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa", "software", Origin::Shipped),
        ("NVIDIA GeForce RTX 3090", "NVIDIA", "discrete", Origin::Estimate),
        ("NVIDIA GeForce GTX 1650 Ti", "NVIDIA", "discrete", Origin::Estimate),
        ("AMD Radeon RX 7900 XTX (RADV NAVI31)", "AMD", "discrete", Origin::Estimate),
        ("Intel(R) Arc(tm) A770 Graphics (DG2)", "Intel", "discrete", Origin::Estimate),
        ("Intel(R) UHD Graphics 630", "Intel", "integrated", Origin::Estimate),
        ("Adreno (TM) 740", "Qualcomm", "integrated", Origin::Estimate),
        ("Apple M2", "Apple", "integrated", Origin::Estimate),
        ("something", "0x1234", "other", Origin::Estimate),
    ];
    for (name, vendor, kind, origin) in cases {
        let record = nearest(&adapter(name, vendor, kind));
        assert!(record.is_sound(), "{name}: {record:?}");
        assert_eq!(record.origin, origin, "{name}");
        assert!(record.knows(Family::Bits255) && record.knows(Family::Bits381), "{name}");
    }
    let [large, small] = ["NVIDIA GeForce RTX 3090", "NVIDIA GeForce GTX 1650 Ti"]
        .map(|name| nearest(&adapter(name, "NVIDIA", "discrete")));
    assert!(large.multiply_adds > 4.0 * small.multiply_adds && large.copied_bytes > 4.0 * small.copied_bytes);
}

/// The instructions that the vendors' own compilers emit: AMD's by RADV and Adreno's are fewer without 64-bit integers.
#[test]
fn arithmetic_follows_the_record() {
    let int64 = Arithmetic::INT64;
    let of =
        |name, vendor, family| nearest(&adapter(name, vendor, "discrete")).arithmetic_of(int64, family).int64;
    for family in [Family::Bits255, Family::Bits381] {
        assert!(of("NVIDIA GeForce RTX 3090", "NVIDIA", family));
        assert!(of("Intel(R) Arc(tm) A770 Graphics (DG2)", "Intel", family));
        assert!(!of("AMD Radeon RX 7900 XTX (RADV NAVI31)", "AMD", family));
        assert!(!of("Adreno (TM) 740", "Qualcomm", family));
    }
    // Whatever a record prefers, a device without 64-bit integers has none.
    let record = DeviceRecord::of_h200();
    assert!(record.arithmetic_of(int64, Family::Words).int64);
    assert!(!record.arithmetic_of(Arithmetic::PORTABLE, Family::Words).int64);
}
