//! Examples in the help of verbs.

use clap::Command;

/// A verb and its examples.
const EXAMPLES: &[(&[&str], &str)] = &[
    (
        &["polymul"],
        "  wgalois polymul a.txt b.txt --prime babybear -o c.npy
  wgalois polymul signal.txt filter.txt --verify       exact, over the integers",
    ),
    (&["intmul"], "  wgalois intmul a.txt b.txt -o product.txt"),
    (
        &["ntt"],
        "  wgalois ntt values.npy --prime babybear -o spectrum.npy
  wgalois ntt values.npy --prime koalabear --batch 2^4 --output-order bitrev
  wgalois ntt spectrum.npy --prime babybear --inverse -o values.npy",
    ),
    (
        &["msm"],
        "  wgalois gen msm --count 2^10 -o set
  wgalois msm --points set/points.bin --scalars set/scalars.bin --verify
  wgalois msm --curve bn254 --points points.eip --scalars scalars.be",
    ),
    (
        &["eliminate"],
        "  wgalois eliminate --eliminators eliminators.txt --rows rows.txt -o result.txt
  wgalois eliminate --eliminators e.txt --rows r.txt --method two-stage --plan",
    ),
    (
        &["gf2"],
        "  wgalois gf2 rank a.mtx
  wgalois gf2 solve a.npz b.npy -o x.npy --verify
  wgalois gf2 rref rows.txt --format lists --columns 4k -o form.lists",
    ),
    (&["gf2", "solve"], "  wgalois gf2 solve a.npz b.npy -o x.npy --verify"),
    (
        &["solve"],
        "  wgalois solve system.anf --all
  wgalois solve system.anf --fix x3=1 --count
  wgalois solve challenge.txt --time-limit 2h --checkpoint state.json",
    ),
    (
        &["groth16"],
        "  wgalois groth16 prove circuit.zkey witness.wtns --proof proof.json --public public.json
  wgalois groth16 prove circuit.zkey 1.wtns 2.wtns --proof proofs --public publics
  wgalois groth16 verify verification_key.json public.json proof.json",
    ),
    (
        &["kzg"],
        "  wgalois kzg commit --setup trusted_setup.txt blob.bin -o c.txt
  wgalois kzg open --setup trusted_setup.txt blob.bin -o p.txt
  wgalois kzg verify --setup trusted_setup.txt blob.bin --commitments c.txt --proofs p.txt",
    ),
    (
        &["gen"],
        "  wgalois gen poly --terms 2^16 --prime babybear -o a.npy
  wgalois gen gf2 --rows 4k --rank 1000 -o a.gf2
  wgalois gen boolean --variables 24 --equations 48 --planted -o system.anf
  wgalois gen groth16 --circuit circuit.r1cs -o keys",
    ),
    (
        &["check"],
        "  wgalois check gf2 rank a.mtx --result rank.txt
  wgalois check polymul a.txt b.txt --prime babybear --result c.npy",
    ),
    (
        &["bench"],
        "  wgalois bench ntt --sizes 2^10..2^20 --plot times.svg
  wgalois bench gf2 --sizes 4k --json
  wgalois bench msm --sizes 2^16",
    ),
    (
        &["bench", "ntt"],
        "  wgalois bench ntt --sizes 2^10..2^20 --plot times.png --csv times.csv
  wgalois bench ntt --prime koalabear --batch 4k --sizes 2^8 --device cpu",
    ),
    (
        &["bench", "gf2"],
        "  wgalois bench gf2 --sizes 2^10..2^13 --kind random,permutation --plot times.svg
  wgalois bench gf2 --sizes 4k --device cpu",
    ),
    (
        &["bench", "msm"],
        "  wgalois bench msm --curve bn254 --sizes 2^14..2^18 --plot times.svg
  wgalois bench msm --sizes 2^16 --distribution bits --device cpu",
    ),
    (&["gf2", "rank"], "  wgalois gf2 rank a.npz"),
    (&["gf2", "kernel"], "  wgalois gf2 kernel a.npz -o basis.npz --verify"),
    (&["gf2", "mul"], "  wgalois gf2 mul a.gf2 b.gf2 -o product.gf2"),
    (&["devices"], "  wgalois devices\n  wgalois devices --json"),
    (&["formats"], "  wgalois formats | less"),
    (&["completions"], "  wgalois completions bash > /etc/bash_completion.d/wgalois"),
    (&["man"], "  wgalois man -o /usr/local/share/man/man1"),
    (&["shaders"], "  wgalois shaders --dump folder --target spirv"),
];

/// Adds the examples to the help of verbs, before what they already have at the end.
pub fn shown(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (path, examples)| add(command, path, examples))
}

fn add(command: Command, path: &[&str], examples: &str) -> Command {
    match path {
        [] => {
            let examples = format!("Examples:\n{examples}");
            let long = match command.get_after_long_help() {
                Some(text) => format!("{examples}\n\n{text}"),
                None => examples.clone(),
            };
            command.after_help(examples).after_long_help(long)
        }
        [name, rest @ ..] => command.mut_subcommand(name, |verb| add(verb, rest, examples)),
    }
}
