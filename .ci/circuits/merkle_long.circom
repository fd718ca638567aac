pragma circom 2.0.0;
include "merkle_path.circom";

// Just below 2^14 constraints.
component main = MerklePath(66);
