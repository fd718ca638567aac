pragma circom 2.0.0;
include "merkle_path.circom";

// Some 2^14 constraints.
component main = MerklePath(67);
