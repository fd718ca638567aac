//! X, Y, Z with x = X / Z^2, y = Y / Z^3. Eleven multiplications to add an affine point, sixteen to add a
//! point, eight to double (Cohen, Miyaji, Ono 1998; Explicit-Formulas Database: add-1998-cmo-2,
//! dbl-1998-cmo-2). Six to add two affine points, seven to double one, with Z = 1 in the same formulas.

use super::{Coordinates, PairTexts};

/// X, Y, Z of weights 2, 3, 1.
pub const JACOBIAN: Coordinates = Coordinates {
    name: "jacobian",
    names: &["X", "Y", "Z"],
    mixed: "
        Q = Z*Z
        P = x*Q - X
        Q = Q*Z
        R = y*Q - Y
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = X*PP
        X = RR - PPP - 2 Q
        T = Q - X
        A = Y*PPP
        Y = R*T - A
        Z = Z*P
    ",
    full: "
        T = Z2*Z2
        U = X*T
        T = T*Z2
        S = Y*T
        T = Z*Z
        P = X2*T - U
        T = T*Z
        R = Y2*T - S
        same_y: RR = R*R
        same_x: PP = P*P
        PPP = P*PP
        Q = U*PP
        X = RR - PPP - 2 Q
        T = Q - X
        A = S*PPP
        Y = R*T - A
        V = Z*Z2
        Z = V*P
    ",
    double: "
        U = 2 Y
        same_x: V = U*U
        S = X*V
        W = Y*V
        M = 3 X*X
        X = M*M - 2 S
        T = S - X
        A = W*U
        Y = M*T - A
        Z = U*Z
    ",
    pair: PairTexts {
        add: "
            P = Z2 - X2
            R = y2 - Y2
            same_y: RR = R*R
            same_x: PP = P*P
            PPP = P*PP
            Q = X2*PP
            X2 = RR - PPP - 2 Q
            T = Q - X2
            A = Y2*PPP
            Y2 = R*T - A
            Z2 = P
        ",
        double: "
            U = 2 Y2
            same_x: V = U*U
            S = X2*V
            W = Y2*V
            M = 3 X2*X2
            X2 = M*M - 2 S
            T = S - X2
            A = W*U
            Y2 = M*T - A
            Z2 = U
        ",
    },
};
