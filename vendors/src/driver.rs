//! A driver of Vulkan that compiles, and says what it made of a kernel. Nothing is submitted: a driver for a GPU that is not there
//! suffices. wgpu submits work when it opens a device, which such drivers lose.

use std::ffi::CStr;

use ash::{ext, khr, vk};
use wgalois::{Error, Result};

use crate::clock;
use crate::spirv::{self, Buffer};

/// An open device that compiles.
pub struct Driver {
    /// The loaded library, which the device needs to the end.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    executables: khr::pipeline_executable_properties::Device,
    /// The GPU's name, the driver's name and its version.
    pub name: [String; 3],
}

/// What the driver says of one form of a kernel, such as that of one subgroup size.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The threads of a subgroup.
    pub subgroup: u32,
    /// Statistics, by the driver's own names.
    pub statistics: Vec<(String, f64)>,
    /// Its forms as text, from the compiler's first to the GPU's instructions, by the driver's own names; none unless asked for.
    pub listings: Vec<(String, String)>,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its forms.
    pub executables: Vec<Executable>,
    /// The processor time that compiling took.
    pub seconds: f64,
}

fn failed(what: &'static str) -> impl Fn(vk::Result) -> Error {
    move |result| Error::Device(format!("{what}: {result}"))
}

fn text(name: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = name.iter().map(|&c| c as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Driver {
    /// Opens the first device of the drivers that the environment names (`VK_DRIVER_FILES`, `VK_ICD_FILENAMES`).
    pub fn open() -> Result<Self> {
        // SAFETY: the loader is the system's, and `Driver` holds it as long as anything that comes from it.
        let entry = unsafe { ash::Entry::load() };
        let entry = entry.map_err(|error| Error::Device(format!("Vulkan's loader: {error}")))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` and what it points to live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(failed("an instance"))?;
        // SAFETY: the instance is valid here and in the calls below.
        let all = unsafe { instance.enumerate_physical_devices() }.map_err(failed("the devices"))?;
        let Some(&physical) = all.first() else {
            return Err(Error::NoDevice("no driver of Vulkan has a device".into()));
        };
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: `physical` is of this instance, and the chain is of structs of Vulkan 1.2.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let device_name = text(&properties.properties.device_name);
        let name = [device_name, text(&driver.driver_name), text(&driver.driver_info)];
        let device = open_device(&instance, physical)?;
        let executables = khr::pipeline_executable_properties::Device::new(&instance, &device);
        Ok(Driver { _entry: entry, instance, device, executables, name })
    }

    /// Compiles SPIR-V.
    pub fn compile(&self, words: &[u32]) -> Result<Compiled> {
        self.compile_as(words, vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
    }

    /// Compiles SPIR-V, and asks for listings too.
    pub fn compile_with_listings(&self, words: &[u32]) -> Result<Compiled> {
        let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
            | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        self.compile_as(words, flags)
    }

    fn compile_as(&self, words: &[u32], flags: vk::PipelineCreateFlags) -> Result<Compiled> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: naga wrote valid SPIR-V, or the caller vouches for it; `info` lives through the call.
        let module =
            unsafe { self.device.create_shader_module(&info, None) }.map_err(failed("a shader module"))?;
        let result = self.compile_with_layout(module, &spirv::buffers(words), flags);
        // SAFETY: no pipeline is being made of the module.
        unsafe { self.device.destroy_shader_module(module, None) };
        result
    }

    fn compile_with_layout(
        &self,
        module: vk::ShaderModule,
        buffers: &[Buffer],
        flags: vk::PipelineCreateFlags,
    ) -> Result<Compiled> {
        let entries: Vec<_> = buffers
            .iter()
            .map(|buffer| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(buffer.binding)
                    .descriptor_type(match buffer.is_uniform {
                        true => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
                        false => vk::DescriptorType::STORAGE_BUFFER,
                    })
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&entries);
        // SAFETY: `info` lives through the call.
        let set =
            unsafe { self.device.create_descriptor_set_layout(&info, None) }.map_err(failed("a layout"))?;
        let sets = [set];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        // SAFETY: the same.
        let layout = unsafe { self.device.create_pipeline_layout(&info, None) };
        let result = layout.map_err(failed("a layout")).and_then(|layout| {
            let result = self.pipeline(module, layout, flags);
            // SAFETY: the pipeline that was made with it is destroyed.
            unsafe { self.device.destroy_pipeline_layout(layout, None) };
            result
        });
        // SAFETY: the same.
        unsafe { self.device.destroy_descriptor_set_layout(set, None) };
        result
    }

    fn pipeline(
        &self,
        module: vk::ShaderModule,
        layout: vk::PipelineLayout,
        flags: vk::PipelineCreateFlags,
    ) -> Result<Compiled> {
        // An empty cache: without one, drivers take the device's own, which has the kernels before.
        let info = vk::PipelineCacheCreateInfo::default();
        // SAFETY: `info` lives through the call.
        let cache = unsafe { self.device.create_pipeline_cache(&info, None) }.map_err(failed("a cache"))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            // As wgpu asks where it has subgroups.
            .flags(vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().flags(flags).layout(layout).stage(stage);
        let begin = clock::processor_seconds();
        // SAFETY: all handles are of this device, and `info` and what it points to live through the call.
        let made = unsafe { self.device.create_compute_pipelines(cache, &[info], None) };
        let seconds = clock::processor_seconds() - begin;
        // SAFETY: nothing uses the cache any more.
        unsafe { self.device.destroy_pipeline_cache(cache, None) };
        let made = made.map_err(|(_, result)| failed("compiling")(result))?;
        let Some(&pipeline) = made.first() else {
            return Err(Error::Device("the driver returned no pipeline".into()));
        };
        let with_listings = flags.contains(vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR);
        let executables = self.executables(pipeline, with_listings);
        // SAFETY: nothing uses the pipeline any more.
        unsafe { self.device.destroy_pipeline(pipeline, None) };
        Ok(Compiled { executables: executables?, seconds })
    }

    fn executables(&self, pipeline: vk::Pipeline, with_listings: bool) -> Result<Vec<Executable>> {
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the extension is enabled, and `pipeline` is of this device.
        let found = unsafe { self.executables.get_pipeline_executable_properties(&info) };
        let found = found.map_err(failed("the forms of a kernel"))?;
        let executable = |(index, properties): (u32, &vk::PipelineExecutablePropertiesKHR)| {
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
            // SAFETY: the pipeline was made with `CAPTURE_STATISTICS`, and has this form.
            let statistics = unsafe { self.executables.get_pipeline_executable_statistics(&info) };
            let statistics = statistics.map_err(failed("the statistics of a kernel"))?;
            let statistics = statistics.iter().map(|one| (text(&one.name), value(one))).collect();
            let listings = if with_listings { self.listings(&info)? } else { Vec::new() };
            Ok(Executable { subgroup: properties.subgroup_size, statistics, listings })
        };
        (0..).zip(&found).map(executable).collect()
    }

    fn listings(&self, info: &vk::PipelineExecutableInfoKHR<'_>) -> Result<Vec<(String, String)>> {
        let read = self.executables.fp().get_pipeline_executable_internal_representations_khr;
        let device = self.executables.device();
        let failed = failed("the listings of a kernel");
        let mut count = 0;
        // SAFETY: the form is of a pipeline that was made with `CAPTURE_INTERNAL_REPRESENTATIONS`; without an array, the number of
        // listings is written.
        unsafe { read(device, info, &mut count, std::ptr::null_mut()) }.result().map_err(&failed)?;
        let mut all = vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
        // SAFETY: the array has room for so many. Without room for their bytes, the sizes are written.
        unsafe { read(device, info, &mut count, all.as_mut_ptr()) }.result().map_err(&failed)?;
        let mut bytes: Vec<Vec<u8>> = all.iter().map(|one| vec![0; one.data_size]).collect();
        for (one, bytes) in all.iter_mut().zip(&mut bytes) {
            one.p_data = bytes.as_mut_ptr().cast();
        }
        // SAFETY: each has room for the bytes of its size, which live through the call.
        unsafe { read(device, info, &mut count, all.as_mut_ptr()) }.result().map_err(&failed)?;
        let listing = |(one, bytes): (&vk::PipelineExecutableInternalRepresentationKHR<'_>, &Vec<u8>)| {
            let bytes = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            (text(&one.name), String::from_utf8_lossy(bytes).into_owned())
        };
        Ok(all.iter().zip(&bytes).filter(|(one, _)| one.is_text == vk::TRUE).map(listing).collect())
    }
}

fn value(statistic: &vk::PipelineExecutableStatisticKHR) -> f64 {
    let value = &statistic.value;
    // SAFETY: `format` says which field of the union the driver wrote.
    unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => f64::from(value.b32),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => value.i64 as f64,
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => value.u64 as f64,
            _ => value.f64,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: everything that was made on the device is destroyed; nobody else has device or instance.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Opens a device with the features by which wgpu's device compiles, as far as the driver has them, and with the statistics.
fn open_device(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<ash::Device> {
    // SAFETY: `physical` is of this instance.
    let offered = unsafe { instance.enumerate_device_extension_properties(physical) };
    let offered = offered.map_err(failed("the extensions"))?;
    let offers = |name: &CStr| offered.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
    if !offers(khr::pipeline_executable_properties::NAME) {
        let what = "say what it made of a kernel (VK_KHR_pipeline_executable_properties)".into();
        return Err(Error::Unsupported { device: "this driver", what });
    }
    let has_robustness = offers(ext::robustness2::NAME);
    let mut names = vec![khr::pipeline_executable_properties::NAME.as_ptr()];
    let mut known2 = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
    let mut known = vk::PhysicalDeviceFeatures2::default();
    if has_robustness {
        names.push(ext::robustness2::NAME.as_ptr());
        known = known.push_next(&mut known2);
    }
    // SAFETY: the chain is of structs that the driver knows.
    unsafe { instance.get_physical_device_features2(physical, &mut known) };
    let core = vk::PhysicalDeviceFeatures {
        robust_buffer_access: known.features.robust_buffer_access,
        shader_int64: known.features.shader_int64,
        ..vk::PhysicalDeviceFeatures::default()
    };
    let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT {
        robust_buffer_access2: known2.robust_buffer_access2,
        robust_image_access2: known2.robust_image_access2,
        ..vk::PhysicalDeviceRobustness2FeaturesEXT::default()
    };
    let mut statistics =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let mut subgroups = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true);
    let mut maintenance = vk::PhysicalDeviceMaintenance4Features::default().maintenance4(true);
    let queue = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queue)
        .enabled_extension_names(&names)
        .enabled_features(&core)
        .push_next(&mut statistics)
        .push_next(&mut subgroups)
        .push_next(&mut maintenance);
    if has_robustness {
        info = info.push_next(&mut robust);
    }
    // SAFETY: `info` and what it points to live through the call.
    unsafe { instance.create_device(physical, &info, None) }.map_err(failed("a device"))
}
