//! Microsoft's shader compiler DXC, as a library.
//!
//! It has COM interfaces: an object begins with a pointer to a table of functions, each of which
//! takes the object as its first argument. On Linux, the releases up to 1.7 have two destructors
//! after the three functions common to all objects. Crates that wrap DXC expect later releases.

use std::ffi::{OsString, c_void};
use std::ptr::{null, null_mut};

use libloading::Library;
use wgalois::parallel::*;

use crate::checkers::{Check, Complaint, Source};

/// The lowest profile with all features that naga uses for 64-bit integers.
const PROFILE: &str = "cs_6_2";
/// The arguments that wgpu uses. Without Microsoft's signing library, the compiler validates its
/// output with its built-in validator.
const ARGUMENTS: [&str; 4] = ["-HV", "2018", "-no-warnings", "-Ges"];

/// Loads the library that the environment names.
pub fn find() -> Result<Check, String> {
    let path = std::env::var_os("WGALOIS_DXC").ok_or("WGALOIS_DXC does not name libdxcompiler")?;
    Tools::load(&path)?;
    // Each thread needs its own objects.
    Ok(Box::new(move |sources| {
        let tools = || Tools::load(&path).expect("it was loaded before");
        let complaints = sources.par_iter().collect_init(tools, |tools, source| tools.check(source));
        complaints.into_iter().flatten().collect()
    }))
}

/// A class or an interface.
type Guid = (u32, u16, u16, [u8; 8]);

const COMPILER: [Guid; 2] = [
    (0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]),
    (0x8c21_0bf3, 0x011f, 0x4422, [0x8d, 0x70, 0x6f, 0x9a, 0xcb, 0x8d, 0xb6, 0x17]),
];
const LIBRARY: [Guid; 2] = [
    (0x6245_d6af, 0x66e0, 0x48fd, [0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c]),
    (0xe520_4dc7, 0xd18c, 0x4c3c, [0xbd, 0xfb, 0x85, 0x16, 0x73, 0x98, 0x0f, 0xe7]),
];
const UTF8: u32 = 65001;

type Create = unsafe extern "C" fn(*const Guid, *const Guid, *mut Raw) -> i32;
type Raw = *mut c_void;

/// An object of the library, released when dropped.
struct Object(Raw);

impl Object {
    /// Returns the object that `make` writes to its argument.
    fn made(make: impl FnOnce(*mut Raw) -> i32) -> Result<Self, String> {
        let mut raw = null_mut();
        match make(&mut raw) {
            0 if !raw.is_null() => Ok(Object(raw)),
            status => Err(format!("status {status:#x}")),
        }
    }

    /// Returns function `index` of the object's table.
    ///
    /// # Safety
    /// The table has that function, and `F` is its type.
    unsafe fn function<F: Copy>(&self, index: usize) -> F {
        // SAFETY: an object begins with the pointer to its table, which has the function.
        unsafe { (*self.0.cast::<*const F>()).add(index).read() }
    }

    /// Returns the bytes of a blob.
    fn bytes(&self) -> &[u8] {
        type Pointer = unsafe extern "C" fn(Raw) -> *const u8;
        type Size = unsafe extern "C" fn(Raw) -> usize;
        // SAFETY: functions 5 and 6 of a blob return its bytes and their number.
        unsafe {
            let (pointer, size) = (self.function::<Pointer>(5)(self.0), self.function::<Size>(6)(self.0));
            if pointer.is_null() { &[] } else { std::slice::from_raw_parts(pointer, size) }
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: function 2 of every object releases one reference, and this object owns one.
        unsafe { self.function::<unsafe extern "C" fn(Raw) -> u32>(2)(self.0) };
    }
}

/// The compiler and the object that creates its inputs.
struct Tools {
    compiler: Object,
    library: Object,
    // Declared last, so that it is dropped last.
    _code: Library,
}

impl Tools {
    fn load(path: &OsString) -> Result<Self, String> {
        // SAFETY: the library is Microsoft's compiler, whose only entry point has this type.
        unsafe {
            let code = Library::new(path).map_err(|error| error.to_string())?;
            let create: Create = *code.get(b"DxcCreateInstance").map_err(|error| error.to_string())?;
            let object = |[class, interface]: &[Guid; 2]| Object::made(|raw| create(class, interface, raw));
            Ok(Tools { compiler: object(&COMPILER)?, library: object(&LIBRARY)?, _code: code })
        }
    }

    fn check(&self, source: &Source) -> Option<Complaint> {
        let message = self.compile(source).err()?;
        Some(Complaint { name: source.name.clone(), message })
    }

    fn compile(&self, source: &Source) -> Result<(), String> {
        type CreateBlob = unsafe extern "C" fn(Raw, *const u8, u32, u32, *mut Raw) -> i32;
        type Compile = unsafe extern "C" fn(
            Raw,
            Raw,
            *const u32,
            *const u32,
            *const u32,
            *const *const u32,
            u32,
            *const c_void,
            u32,
            Raw,
            *mut Raw,
        ) -> i32;
        type Status = unsafe extern "C" fn(Raw, *mut i32) -> i32;
        type Part = unsafe extern "C" fn(Raw, *mut Raw) -> i32;
        let (name, entry, profile) = (wide(&source.name), wide("main"), wide(PROFILE));
        let arguments = ARGUMENTS.map(wide);
        let arguments: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        // SAFETY: the indices and types are those of the library's header, and the data behind the
        // pointers outlive the calls.
        unsafe {
            let (text, length) = (source.bytes.as_ptr(), source.bytes.len() as u32);
            let create: CreateBlob = self.library.function(8);
            let blob = Object::made(|raw| create(self.library.0, text, length, UTF8, raw))?;
            let compile: Compile = self.compiler.function(5);
            let result = Object::made(|raw| {
                let (name, entry, profile) = (name.as_ptr(), entry.as_ptr(), profile.as_ptr());
                let (list, count) = (arguments.as_ptr(), arguments.len() as u32);
                let compiler = self.compiler.0;
                compile(compiler, blob.0, name, entry, profile, list, count, null(), 0, null_mut(), raw)
            })?;
            let mut status = -1;
            result.function::<Status>(5)(result.0, &mut status);
            // Function 6 returns the compiled shader, function 7 the errors.
            let part = |index| Object::made(|raw| result.function::<Part>(index)(result.0, raw));
            if status == 0 && part(6).is_ok_and(|shader| !shader.bytes().is_empty()) {
                return Ok(());
            }
            Err(String::from_utf8_lossy(part(7)?.bytes()).into_owned())
        }
    }
}

/// Returns a text as the library takes it on Linux, with its terminating zero.
fn wide(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).chain([0]).collect()
}
