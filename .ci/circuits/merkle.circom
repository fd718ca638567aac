pragma circom 2.0.0;
include "merkle_path.circom";

component main = MerklePath(2);
