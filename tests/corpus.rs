//! Replays the seeds of the fuzz targets, and inputs a few steps away from them.

#[path = "../fuzz/properties.rs"]
mod properties;

use std::path::Path;

/// A single test, since the largest request of memory is counted over the whole process.
#[test]
fn every_seed_and_its_neighbours_keep_the_properties() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    for (target, property) in properties::TARGETS {
        let files =
            std::fs::read_dir(seeds.join(target)).unwrap_or_else(|e| panic!("seeds of {target}: {e}"));
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= 3, "{target} has {} seeds", files.len());
        for file in files {
            let seed = std::fs::read(&file).unwrap();
            assert!(seed.len() <= 4096, "{}: a seed is small", file.display());
            let replay = |data: &[u8]| {
                let outcome = std::panic::catch_unwind(|| property(data));
                assert!(outcome.is_ok(), "{target}: {} became {data:02x?}", file.display());
            };
            replay(&seed);
            // Truncate the seed at some places, and flip one bit at others.
            for step in 0..16 {
                let at = seed.len() * step / 16;
                replay(&seed[..at]);
                if let Some(byte) = seed.get(at) {
                    let mut changed = seed.clone();
                    changed[at] = byte ^ 1 << (step % 8);
                    replay(&changed);
                }
            }
        }
    }
}

/// Every target has a file, a section of fuzz/Cargo.toml and seeds, and there are no others.
#[test]
fn targets_files_and_seeds_agree() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut expected: Vec<String> = properties::TARGETS.iter().map(|target| target.0.to_owned()).collect();
    expected.sort();
    for folder in ["fuzz_targets", "seeds"] {
        let entries = std::fs::read_dir(fuzz.join(folder)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, expected, "{folder}");
    }
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in expected {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let text = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(text.contains(&format!("check(\"{name}\", data)")), "{name}");
    }
}
