//! The listings of the drivers as steps: labels, instructions with their cost, and branches.

use wgalois::{Error, Result};

use crate::driver::Executable;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A place that branches name.
    Label(String),
    /// An instruction, with what it costs.
    Instruction(f64),
    /// A branch, with what it costs and the label where it goes, and whether it always does.
    Branch { cost: f64, target: String, always: bool },
}

/// A family of drivers, which have one form of listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// RADV: LLVM's disassembly. Issue slots of the vector unit.
    Radv,
    /// ANV. Instructions of a subgroup.
    Anv,
    /// NVK. Instructions of a subgroup.
    Nvk,
    /// Turnip. Cycles of issue: an instruction that repeats takes as many, and waits are counted.
    Turnip,
}

impl Form {
    /// The form of a driver.
    pub fn of(driver: &str) -> Result<Self> {
        let forms =
            [("radv", Form::Radv), ("intel", Form::Anv), ("nvk", Form::Nvk), ("turnip", Form::Turnip)];
        let name = driver.to_ascii_lowercase();
        let found = forms.into_iter().find(|(part, _)| name.contains(part));
        found.map(|(_, form)| form).ok_or_else(|| Error::Unsupported {
            device: "this driver",
            what: format!("be counted: the listings of {driver} are not known").into(),
        })
    }

    /// True if the GPUs take the texts for few registers.
    pub fn has_few_registers(self) -> bool {
        self == Form::Anv
    }

    /// What is counted.
    pub fn unit(self) -> &'static str {
        match self {
            Form::Radv => {
                "issue slots of the vector unit: 4 for v_mul_lo_u32, v_mul_hi and v_mad of 64 bits, else 1; none for scalar instructions"
            }
            Form::Anv => "instructions of a subgroup; one of fewer lanes counts as their share",
            Form::Nvk => "instructions of a subgroup",
            Form::Turnip => "cycles of issue of a subgroup: 1 and its repeats and waits for each instruction",
        }
    }

    /// The name of the last listing begins so.
    fn listing(self) -> &'static [&'static str] {
        match self {
            Form::Radv => &["Assembly"],
            Form::Anv => &["GEN Assembly"],
            Form::Nvk => &["NAK", "Assembly"],
            Form::Turnip => &["IR3 Assembly"],
        }
    }

    /// The steps of a form of a kernel.
    pub fn steps(self, form: &Executable) -> Result<Vec<Step>> {
        let named =
            |(name, _): &&(String, String)| self.listing().iter().any(|begin| name.starts_with(begin));
        let Some((_, listing)) = form.listings.iter().rfind(named) else {
            let names: Vec<&str> = form.listings.iter().map(|(name, _)| &name[..]).collect();
            return Err(Error::Device(format!("no listing {:?} among {names:?}", self.listing())));
        };
        let step = match self {
            Form::Radv => radv,
            Form::Anv => anv,
            Form::Nvk => nvk,
            Form::Turnip => turnip,
        };
        let mut steps = Vec::new();
        for line in listing.lines() {
            step(line, f64::from(form.subgroup), &mut steps);
        }
        Ok(steps)
    }
}

/// Instructions of RADV that the vector unit takes four times as long for.
const QUARTER_RATE: [&str; 8] = [
    "v_mul_lo_u32",
    "v_mul_lo_i32",
    "v_mul_hi_u32",
    "v_mul_hi_i32",
    "v_mad_u64_u32",
    "v_mad_i64_i32",
    "v_mad_co_u64_u32",
    "v_mad_co_i64_i32",
];

fn radv(line: &str, _: f64, steps: &mut Vec<Step>) {
    if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with("BB")) {
        steps.push(Step::Label(label.to_owned()));
        return;
    }
    let Some((text, _)) = line.strip_prefix('\t').and_then(|line| line.split_once(';')) else { return };
    let mut words = text.split_whitespace();
    let Some(name) = words.next() else { return };
    if name == "s_branch" || name.starts_with("s_cbranch") {
        let (target, always) = (words.next().unwrap_or_default().to_owned(), name == "s_branch");
        steps.push(Step::Branch { cost: 0.0, target, always });
        return;
    }
    let is =
        |slow: &str| name.strip_prefix(slow).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let cost = match QUARTER_RATE.iter().any(|slow| is(slow)) {
        true => 4.0,
        false if name.starts_with("s_") => 0.0,
        false => 1.0,
    };
    steps.push(Step::Instruction(cost));
}

fn anv(line: &str, threads: f64, steps: &mut Vec<Step>) {
    if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with("LABEL")) {
        steps.push(Step::Label(label.to_owned()));
        return;
    }
    // Lines that go on, and remarks, begin with spaces.
    let text = match line.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or("", |(_, text)| text).trim_start(),
        None => line,
    };
    let Some((name, rest)) = text.split_once('(') else { return };
    let lanes = rest.split_once(')').and_then(|(lanes, _)| lanes.parse::<f64>().ok());
    let Some(lanes) = lanes.filter(|_| name.starts_with(|c: char| c.is_ascii_lowercase())) else { return };
    let cost = lanes / threads;
    let name = name.split('.').next().unwrap_or_default();
    let target = |of: &str| {
        let (_, rest) = line.split_once(of)?;
        Some(rest.split_whitespace().next()?.to_owned())
    };
    let way = if matches!(name, "break" | "continue") { "UIP:" } else { "JIP:" };
    match target(way) {
        Some(target) if target.starts_with("LABEL") => {
            let always = matches!(name, "else" | "while") && !line.starts_with('(');
            // A `break` names the `while` of its loop, and goes behind it.
            let behind = |label: &str| format!("{label} and on");
            match name {
                // The end of a branch names what follows it.
                "endif" => steps.push(Step::Instruction(cost)),
                "break" => steps.push(Step::Branch { cost, target: behind(&target), always }),
                "while" => {
                    let labels = steps.iter().rev().map_while(|step| match step {
                        Step::Label(label) => Some(Step::Label(behind(label))),
                        _ => None,
                    });
                    let labels: Vec<Step> = labels.collect();
                    steps.push(Step::Branch { cost, target, always });
                    steps.extend(labels);
                }
                _ => steps.push(Step::Branch { cost, target, always }),
            }
        }
        _ => steps.push(Step::Instruction(cost)),
    }
}

fn nvk(line: &str, _: f64, steps: &mut Vec<Step>) {
    let line = line.trim_start();
    if line.starts_with("block") {
        // block.u 2 L4 [1] -> {
        let label = line.split_whitespace().nth(2).unwrap_or_default();
        steps.push(Step::Label(label.to_owned()));
        return;
    }
    let text = line.split("//").next().unwrap_or_default().trim_end();
    let (predicate, text) = match text.strip_prefix('@') {
        Some(rest) => {
            rest.split_once(char::is_whitespace).map_or((true, ""), |(_, text)| (true, text.trim_start()))
        }
        None => (false, text),
    };
    let text = text.split_once(" = ").map_or(text, |(_, operation)| operation);
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        return;
    }
    match text.strip_prefix("bra ") {
        Some(target) => {
            let target = target.split_whitespace().next().unwrap_or_default().to_owned();
            steps.push(Step::Branch { cost: 1.0, target, always: !predicate });
        }
        None => steps.push(Step::Instruction(1.0)),
    }
}

fn turnip(line: &str, _: f64, steps: &mut Vec<Step>) {
    // Some versions put an address and the words of the instruction first.
    let line = line.rsplit(']').next().unwrap_or_default().trim();
    if line.starts_with(';') || line.is_empty() {
        return;
    }
    if let Some(label) = line.strip_suffix(':') {
        steps.push(Step::Label(label.to_owned()));
        return;
    }
    let (mut text, mut cost) = (line, 1.0);
    while let Some((mark, rest)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        let times = ["rpt", "nop"].into_iter().find_map(|name| mark.strip_prefix(name)?.parse::<f64>().ok());
        cost += times.unwrap_or(0.0);
        text = rest.trim_start();
    }
    if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        return;
    }
    match text.split_once('#') {
        Some((before, target)) if target.starts_with('l') => {
            let always = before.trim_end() == "jump";
            steps.push(Step::Branch { cost, target: target.trim().to_owned(), always });
        }
        _ => steps.push(Step::Instruction(cost)),
    }
}
