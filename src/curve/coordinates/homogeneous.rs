//! X, Y, Z with x = X / Z, y = Y / Z. Eleven multiplications to add an affine point, fourteen to add a
//! point, ten to double (Cohen, Miyaji, Ono 1998; Explicit-Formulas Database: madd-1998-cmo, add-1998-cmo-2,
//! dbl-2007-bl). Seven to add two affine points (mmadd-1998-cmo), nine to double one (mdbl-2007-bl).

use super::{Coordinates, PairTexts};

/// X, Y, Z of weight 1.
pub const HOMOGENEOUS: Coordinates = Coordinates {
    name: "homogeneous",
    names: &["X", "Y", "Z"],
    mixed: "
        P = x*Z - X
        R = y*Z - Y
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = X*PP
        A = RR*Z - PPP - 2 Q
        X = P*A
        T = Q - A
        B = Y*PPP
        Y = R*T - B
        Z = Z*PPP
    ",
    full: "
        U = X*Z2
        S = Y*Z2
        P = X2*Z - U
        R = Y2*Z - S
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = U*PP
        V = Z*Z2
        A = RR*V - PPP - 2 Q
        X = P*A
        T = Q - A
        B = S*PPP
        Y = R*T - B
        Z = V*PPP
    ",
    double: "
        S = 2 Y*Z
        R = Y*S
        same_x: RR = R*R
        W = 3 X*X
        B = 2 X*R
        H = W*W - 2 B
        X = H*S
        T = B - H
        Y = W*T - 2 RR
        Q = S*S
        Z = S*Q
    ",
    pair: PairTexts {
        add: "
            P = Z2 - X2
            R = y2 - Y2
            same_y: RR = R*R
            same_x: PP = P*P
            Z2 = P*PP
            Q = X2*PP
            A = RR - Z2 - 2 Q
            X2 = P*A
            T = Q - A
            B = Y2*Z2
            Y2 = R*T - B
        ",
        double: "
            S = 2 Y2
            R = Y2*S
            same_x: RR = R*R
            W = 3 X2*X2
            B = 2 X2*R
            H = W*W - 2 B
            X2 = H*S
            T = B - H
            Y2 = W*T - 2 RR
            Q = S*S
            Z2 = S*Q
        ",
    },
};
