//! EIP-2537's published vectors for sums on G2, from ethereum/EIPs, assets/eip-2537/msm_G2_bls.json and
//! fail-msm_G2_bls.json, and EIP-197's order of coordinates.

use super::*;
use wgalois::curve::{Bls12_381G2, Bn254G2};
use wgalois::{Cpu, Device};

/// The points `g2`, `p2`, 2 `g2` and 2 `g2` + 2 `p2` of the vectors.
const G2: &str = concat!(
    "00000000000000000000000000000000024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
    "0000000000000000000000000000000013e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
    "000000000000000000000000000000000ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
    "000000000000000000000000000000000606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
);
const P2: &str = concat!(
    "00000000000000000000000000000000103121a2ceaae586d240843a398967325f8eb5a93e8fea99b62b9f88d8556c80dd726a4b30e84a36eeabaf3592937f27",
    "00000000000000000000000000000000086b990f3da2aeac0a36143b7d7c824428215140db1bb859338764cb58458f081d92664f9053b50b3fbd2e4723121b68",
    "000000000000000000000000000000000f9e7ba9a86a8f7624aa2b42dcc8772e1af4ae115685e60abc2c9b90242167acef3d0be4050bf935eed7c3b6fc7ba77e",
    "000000000000000000000000000000000d22c3652d0dc6f0fc9316e14268477c2049ef772e852108d269d9c38dba1d4802e8dae479818184c08f9a569d878451",
);
const TWICE_G2: &str = concat!(
    "000000000000000000000000000000001638533957d540a9d2370f17cc7ed5863bc0b995b8825e0ee1ea1e1e4d00dbae81f14b0bf3611b78c952aacab827a053",
    "000000000000000000000000000000000a4edef9c1ed7f729f520e47730a124fd70662a904ba1074728114d1031e1572c6c886f6b57ec72a6178288c47c33577",
    "000000000000000000000000000000000468fb440d82b0630aeb8dca2b5256789a66da69bf91009cbfe6bd221e47aa8ae88dece9764bf3bd999d95d71e4c9899",
    "000000000000000000000000000000000f6d4552fa65dd2638b361543f887136a43253d9c66c411697003f7a13c308f5422e1aa0a59c8967acdefd8b6e36ccf3",
);
const TWICE_BOTH: &str = concat!(
    "00000000000000000000000000000000009cc9ed6635623ba19b340cbc1b0eb05c3a58770623986bb7e041645175b0a38d663d929afb9a949f7524656043bccc",
    "000000000000000000000000000000000c0fb19d3f083fd5641d22a861a11979da258003f888c59c33005cb4a2df4df9e5a2868832063ac289dfa3e997f21f8a",
    "00000000000000000000000000000000168bf7d87cef37cf1707849e0a6708cb856846f5392d205ae7418dd94d94ef6c8aa5b424af2e99d957567654b9dae1d9",
    "0000000000000000000000000000000017e0fa3c3b2665d52c26c7d4cea9f35443f4f9007840384163d3aa3c7d4d18b21b65ff4380cf3f3b48e94b5eecb221dd",
);

fn zeros() -> String {
    "0".repeat(512)
}

fn scalar(scalar: u64) -> String {
    format!("{scalar:064x}")
}

/// Reads pairs of points and scalars and returns their sum as a record.
fn sum(pairs: &[(&str, u64)]) -> String {
    let input: String = pairs.iter().map(|(point, k)| format!("0x{point}{}\n", scalar(*k))).collect();
    let source = source(input);
    let points =
        super::read::<Bls12_381G2>(&source, Format::EipPairs, None, Trust::Nothing, u64::MAX).unwrap();
    let scalars = read_scalars_of_pairs::<Bls12_381G2>(&source, u64::MAX).unwrap();
    let sum = wgalois::msm::multiply(&Device::Cpu(Cpu::default()), &points, &scalars).unwrap();
    eip::encode(&sum).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn published_sums_on_g2() {
    assert_eq!(sum(&[(G2, 2)]), TWICE_G2);
    assert_eq!(sum(&[(P2, 1)]), P2);
    assert_eq!(sum(&[(G2, 0)]), zeros());
    assert_eq!(sum(&[(&zeros(), 17)]), zeros());
    assert_eq!(sum(&[(G2, 2), (&zeros(), 2)]), TWICE_G2);
    assert_eq!(sum(&[(P2, 0), (P2, 0)]), zeros());
    assert_eq!(sum(&[(G2, 2), (P2, 2)]), TWICE_BOTH);
}

#[test]
fn published_records_of_g2_that_are_refused() {
    let refused = |point: &str| {
        let bytes: Vec<u8> =
            (0..256).map(|i| u8::from_str_radix(&point[2 * i..][..2], 16).unwrap()).collect();
        refused::<Bls12_381G2>(bytes, Format::Eip, 1)
    };
    // bls_pairing_g2_not_in_correct_subgroup
    let outside = concat!(
        "00000000000000000000000000000000197bfd0342bbc8bee2beced2f173e1a87be576379b343e93232d6cef98d84b1d696e5612ff283ce2cfdccb2cfb65fa0c",
        "00000000000000000000000000000000184e811f55e6f9d84d77d2f79102fd7ea7422f4759df5bf7f6331d550245e3f1bcf6a30e3b29110d85e0ca16f9f6ae7a",
        "000000000000000000000000000000000f10e1eb3c1e53d2ad9cf2d398b2dc22c5842fab0a74b174f691a7e914975da3564d835cd7d2982815b8ac57f507348f",
        "000000000000000000000000000000000767d1c453890f1b9110fda82f5815c27281aba3f026ee868e4176a0654feea41a96575e0c4d58a14dbfbcc05b5010b1",
    );
    assert!(refused(outside).contains("not in the subgroup"));
    // bls_g2msm_point_not_on_curve
    assert!(refused(&[&G2[..128], &P2[128..256], &G2[256..]].concat()).contains("not on bls12-381-g2"));
    // bls_g2msm_violate_top_bytes
    assert!(refused(&["1", &G2[1..]].concat()).contains("not below the field's modulus"));
    // bls_g2msm_invalid_field_element
    let large = "000000000000000000000000000000001c4bb49d2a0ef12b7123acdd7110bd292b5bc659edc54dc21b81de057194c79b2a5803255959bbef8e7f56c8c1216863";
    assert!(refused(&[large, &G2[128..]].concat()).contains("not below the field's modulus"));
}

/// EIP-197: "Elements of F_p^2 are encoded as two elements: a i + b as (a, b)".
#[test]
fn the_generator_of_bn254_g2_as_eip_197_prints_it() {
    let expected = [
        "11559732032986387107991004021392285783925812861821192530917403151452391805634",
        "10857046999023057135944570762232829481370756359578518086990519993285655852781",
        "4082367875863433681332203403145435568316851327593401208105741076214120093531",
        "8495653923123431417604973247489272438418190587263600148770280649306958101930",
    ];
    let record = eip::encode(&Affine::<Bn254G2>::generator());
    for (bytes, number) in record.chunks(32).zip(expected) {
        assert_eq!(dashu_int::UBig::from_be_bytes(bytes), number.parse().unwrap());
    }
    assert_eq!(record.len(), 128);
}
