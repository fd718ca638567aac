pragma circom 2.0.0;

// c = a b + a, of which a is secret, and d = c^4: few constraints, with two outputs and one public input.
template Multiplier() {
    signal input a;
    signal input b;
    signal output c;
    signal output d;
    signal square;
    c <== a * b + a;
    square <== c * c;
    d <== square * square;
}

component main {public [b]} = Multiplier();
