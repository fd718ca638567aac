pragma circom 2.0.0;
include "node_modules/circomlib/circuits/sha256/sha256.circom";

// The hash of a secret message of 440 bytes, eight blocks: some 2^18 constraints.
component main = Sha256(3520);
