//! The drivers that the tests of groups name.

/// Vulkan's driver files of lavapipe and of SwiftShader, in the form of its variable; `None` without both.
pub fn both_drivers() -> Option<String> {
    let swiftshader = std::env::var("SWIFTSHADER_ICD")
        .unwrap_or_else(|_| "/usr/lib/chromium/vk_swiftshader_icd.json".to_owned());
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    let mut lavapipe = files.filter_map(|file| Some(file.ok()?.path().to_str()?.to_owned()));
    let lavapipe = lavapipe.find(|path| path.contains("/lvp_icd"))?;
    std::path::Path::new(&swiftshader).exists().then(|| format!("{lavapipe}:{swiftshader}"))
}
