pragma circom 2.0.0;
include "node_modules/circomlib/circuits/sha256/sha256.circom";

// The hash of a secret message of 55 bytes, the longest of one block.
component main = Sha256(440);
