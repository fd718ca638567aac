//! X, Y, ZZ, ZZZ with x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2: the cheapest for accumulating
//! affine points. Ten multiplications an affine point, fourteen a point, nine a doubling
//! (Bernstein, Lange, Explicit-Formulas Database: madd-2008-s, add-2008-s, dbl-2008-s-1; the
//! coordinates are Sutherland's).

use super::Coordinates;

/// X, Y, Z^2, Z^3.
pub const XYZZ: Coordinates = Coordinates {
    name: "xyzz",
    names: &["X", "Y", "ZZ", "ZZZ"],
    mixed: "
        P = x*ZZ - X
        R = y*ZZZ - Y
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = X*PP
        X = RR - PPP - 2 Q
        T = Q - X
        A = Y*PPP
        Y = R*T - A
        ZZ = ZZ*PP
        ZZZ = ZZZ*PPP
    ",
    full: "
        U = X*ZZ2
        S = Y*ZZZ2
        P = X2*ZZ - U
        R = Y2*ZZZ - S
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = U*PP
        X = RR - PPP - 2 Q
        T = Q - X
        A = S*PPP
        Y = R*T - A
        V = ZZ*ZZ2
        ZZ = V*PP
        W = ZZZ*ZZZ2
        ZZZ = W*PPP
    ",
    double: "
        U = 2 Y
        same_x: V = U*U
        W = U*V
        S = X*V
        M = 3 X*X
        X = M*M - 2 S
        T = S - X
        A = W*Y
        Y = M*T - A
        ZZ = V*ZZ
        ZZZ = W*ZZZ
    ",
};
