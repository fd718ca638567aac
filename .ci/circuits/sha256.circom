pragma circom 2.0.0;
include "node_modules/circomlib/circuits/sha256/sha256.circom";

// The hash of a secret message of 32 bytes, one block: some 2^15 constraints.
component main = Sha256(256);
