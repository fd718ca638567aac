//! X, Y, ZZ, ZZZ with x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2: the cheapest coordinates for accumulating
//! affine points. Ten multiplications to add an affine point, fourteen to add a point, nine to double
//! (Bernstein, Lange, Explicit-Formulas Database: madd-2008-s, add-2008-s, dbl-2008-s-1; the coordinates are
//! Sutherland's). Six to add two affine points (mmadd-2008-s), seven to double one (mdbl-2008-s-1).
//!
//! The order of the operations keeps few values live at a time, in the registers of coordinates that are no
//! longer read: the number of registers of a formula decides how many threads a multiprocessor runs.

use super::{Coordinates, PairTexts};

/// X, Y, Z^2, Z^3.
pub const XYZZ: Coordinates = Coordinates {
    name: "xyzz",
    names: &["X", "Y", "ZZ", "ZZZ"],
    mixed: "
        P = x*ZZ - X
        R = y*ZZZ - Y
        same_x: PP = P*P
        PPP = P*PP
        ZZ = ZZ*PP
        X = X*PP
        ZZZ = ZZZ*PPP
        Y = Y*PPP
        same_y: RR = R*R
        N = RR - PPP - 2 X
        X = X - N
        Y = R*X - Y
        X = N
    ",
    full: "
        U = X*ZZ2
        S = Y*ZZZ2
        P = X2*ZZ - U
        R = Y2*ZZZ - S
        same_x: PP = P*P
        PPP = P*PP
        ZZ = ZZ*ZZ2
        ZZ = ZZ*PP
        X = U*PP
        ZZZ = ZZZ*ZZZ2
        ZZZ = ZZZ*PPP
        Y = S*PPP
        same_y: RR = R*R
        N = RR - PPP - 2 X
        X = X - N
        Y = R*X - Y
        X = N
    ",
    double: "
        U = 2 Y
        same_x: V = U*U
        ZZ = V*ZZ
        W = U*V
        ZZZ = W*ZZZ
        Y = W*Y
        S = X*V
        M = 3 X*X
        X = M*M - 2 S
        S = S - X
        Y = M*S - Y
    ",
    pair: PairTexts {
        add: "
            P = ZZ2 - X2
            R = ZZZ2 - Y2
            same_x: ZZ2 = P*P
            ZZZ2 = P*ZZ2
            X2 = X2*ZZ2
            Y2 = Y2*ZZZ2
            same_y: RR = R*R
            N = RR - ZZZ2 - 2 X2
            X2 = X2 - N
            Y2 = R*X2 - Y2
            X2 = N
        ",
        double: "
            U = 2 Y2
            same_x: ZZ2 = U*U
            ZZZ2 = U*ZZ2
            Y2 = ZZZ2*Y2
            S = X2*ZZ2
            M = 3 X2*X2
            X2 = M*M - 2 S
            S = S - X2
            Y2 = M*S - Y2
        ",
    },
};
