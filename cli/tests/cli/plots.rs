//! The plots of `wgalois bench`.

use crate::common::Folder;

#[test]
fn times_can_be_drawn() {
    let folder = Folder::new();
    for (arguments, names) in [
        ("ntt --sizes 2^5..2^7", &["GPU", "CPU engine", "one copy on the GPU"][..]),
        (
            "gf2 --sizes 2^8,2^9 --kind random,permutation",
            &["GPU, random", "CPU engine, permutation", "one copy"],
        ),
        (
            "msm --sizes 2^5,2^6 --curve bn254 --window 4,5",
            &["GPU, c 4", "GPU, c 5", "CPU engine", "one copy"],
        ),
        (
            "msm --sizes 2^5 --curve bn254 --accumulators registers,workgroup --addends 2 --reduction \
             layers:8,prefix-sums",
            &["GPU, registers, layers:8", "GPU, workgroup, prefix-sums"],
        ),
        ("msm --sizes 2^5 --curve bn254 --balance buckets,each", &["GPU, imbalanced", "one thread a bucket"]),
    ] {
        folder.run(&format!("bench {arguments} --samples 1 --plot times.svg --device gpu"));
        folder.write("x", "1 2 3 4");
        let svg = folder.text("times.svg");
        assert!(svg.starts_with("<svg"), "{arguments}: {svg}");
        let device =
            folder.report("ntt x --prime 17 --device gpu -o y")["device"].as_str().unwrap().to_owned();
        assert!(arguments.contains("msm") || svg.contains(&device), "{arguments}: {svg}");
        for name in names {
            assert!(svg.contains(name), "{arguments}: no {name} in {svg}");
        }
    }
}

/// The positions and the texts of an SVG's labels: (x, y, text).
fn labels(svg: &str) -> Vec<(f64, f64, String)> {
    let number = |tag: &str, name: &str| -> f64 {
        let start = tag.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        tag[start..].split('"').next().unwrap().parse().unwrap()
    };
    let texts = svg.split("<text").skip(1).map(|rest| rest.split_once("</text>").unwrap().0);
    texts
        .map(|text| {
            let (tag, content) = text.split_once('>').unwrap();
            (number(tag, "x"), number(tag, "y"), content.trim().to_owned())
        })
        .collect()
}

#[test]
fn plots_have_axes_with_units_a_legend_beside_the_lines_and_the_device() {
    let folder = Folder::new();
    for sizes in ["2^5", "2^4..2^6"] {
        folder.run(&format!("bench ntt --sizes {sizes} --samples 1 --plot times.svg --device cpu"));
        let svg = folder.text("times.svg");
        let labels = labels(&svg);
        let has = |text: &str| labels.iter().any(|(.., label)| label == text);
        // One size alone stands between two others.
        for label in ["2^4", "2^5", "2^6", "words of a vector", "time"] {
            assert!(has(label), "{sizes}: {label}: {labels:?}");
        }
        assert!(
            labels.iter().any(|(.., label)| [" ns", " us", " ms"].iter().any(|unit| label.ends_with(unit))),
            "{labels:?}"
        );
        assert!(labels.iter().any(|(.., label)| label.contains("CPU engine,") && label.contains("thread")));
        // The legend is to the right of every point of a line.
        let name = labels.iter().find(|(.., label)| label == "CPU engine").unwrap();
        let circles = svg.split("<circle").skip(1).map(|rest| {
            let start = rest.find("cx=\"").unwrap() + 4;
            rest[start..].split('"').next().unwrap().parse::<f64>().unwrap()
        });
        let circles: Vec<f64> = circles.collect();
        let right = circles.iter().filter(|x| **x > 800.0).count();
        assert!(right == 2 && circles.len() > right, "{circles:?}");
        assert!(name.0 > 840.0, "{labels:?}");
    }
}

/// The contrast of a colour on white, as WCAG 2 defines it.
fn contrast(colour: &str) -> f64 {
    let part = |range: std::ops::Range<usize>| {
        let value = f64::from(u8::from_str_radix(&colour[range], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    1.05 / (0.2126 * part(1..3) + 0.7152 * part(3..5) + 0.0722 * part(5..7) + 0.05)
}

#[test]
fn lines_are_readable_on_white_and_differ_in_more_than_colour() {
    let folder = Folder::new();
    folder.run(
        "bench gf2 --sizes 2^6,2^7 --kind random,deficient,doubled,permutation --samples 1 --plot times.svg --device cpu",
    );
    let svg = folder.text("times.svg");
    let strokes = svg.split("<polyline").skip(1).filter(|line| line.contains("stroke-width=\"2\""));
    let mut colours: Vec<String> = strokes
        .map(|line| {
            let start = line.find("stroke=\"").unwrap() + 8;
            line[start..start + 7].to_owned()
        })
        .collect();
    colours.sort();
    colours.dedup();
    assert_eq!(colours.len(), 4, "{colours:?}");
    for colour in &colours {
        assert!(contrast(colour) >= 4.5, "{colour}: {}", contrast(colour));
    }
    for mark in ["<circle", "<rect", "<polygon"] {
        assert!(svg.contains(mark), "{mark}");
    }
}

#[test]
fn plots_are_pixels_if_the_name_says_so() {
    let folder = Folder::new();
    folder.run("bench ntt --sizes 2^4,2^5 --samples 1 --plot times.PNG --device cpu");
    let png = folder.read("times.PNG");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82"));
    let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let (width, height) = (size(16), size(20));
    assert!((800..2000).contains(&width) && (600..900).contains(&height), "{width} x {height}");
    // The rows are those of the header, most of them white, and the letters and lines are not.
    let start = png.windows(4).position(|name| name == b"IDAT").unwrap();
    let data = &png[start + 4..png.len() - 16];
    let mut rows = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(data), &mut rows).unwrap();
    assert_eq!(rows.len() as u32, height * (1 + 3 * width));
    let pixels = rows.chunks(1 + 3 * width as usize).flat_map(|row| row[1..].chunks(3));
    let (white, others): (Vec<&[u8]>, Vec<&[u8]>) = pixels.partition(|pixel| *pixel == [255; 3]);
    assert!(white.len() > 4 * others.len() && others.len() > 2000, "{} and {}", white.len(), others.len());
    assert!(others.contains(&&[0u8, 100, 180][..]), "no pixel has the first line's colour");
}
