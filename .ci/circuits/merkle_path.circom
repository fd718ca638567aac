pragma circom 2.0.0;
include "node_modules/circomlib/circuits/poseidon.circom";

// The root of a Merkle tree of Poseidon hashes, from a secret leaf and its path.
template MerklePath(depth) {
    signal input leaf;
    signal input siblings[depth];
    signal input sides[depth];
    signal output root;
    signal left[depth];
    signal right[depth];
    component hashes[depth];
    var node = leaf;
    for (var i = 0; i < depth; i++) {
        sides[i] * (1 - sides[i]) === 0;
        left[i] <== node + sides[i] * (siblings[i] - node);
        right[i] <== node + siblings[i] - left[i];
        hashes[i] = Poseidon(2);
        hashes[i].inputs[0] <== left[i];
        hashes[i].inputs[1] <== right[i];
        node = hashes[i].out;
    }
    root <== node;
}
