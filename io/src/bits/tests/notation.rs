//! 0/1 text in the notations of programs.

use super::*;

fn read(text: &str) -> Result<BitMatrix> {
    read_matrix(&source("f", text), Format::Text, &LIMITS)
}

#[test]
fn expressions_of_programs_are_one_matrix() {
    let expected = read("10\n01\n11\n").unwrap();
    for text in [
        "[[1,0],[0,1],[1,1]]",
        "[[1, 0], [0, 1], [1, 1]]\n",
        "[[1, 0], [0, 1],\n [1, 1]]",
        "[ [ 1, 0 ], [ 0, 1 ], [ 1, 1 ] ]\r\n",
        "[[1 0] [0 1] [1 1]]",
        "[[1, 0,], [0, 1], [1, 1],]",
        "((1, 0), (0, 1), (1, 1))",
        "((1, 0), (0, 1), (1, 1),)\n",
        "[(1, 0), (0, 1), (1, 1)]",
        "(\n (1,\n  0), (0, 1), # the second\n (1, 1))\n",
        "(1, 0)\n(0, 1)\n(1, 1)\n",
        "(1, 0),\n(0, 1),\n(1, 1),\n",
        "[1,0;0,1;1,1]",
        "[1, 0; 0, 1; 1, 1]\n",
        "[1 0; 0 1; 1 1]",
        "[1 0;\n 0 1;\n 1 1]",
        "[[1, 0], [0, 1], [1, 1]]\n# 3 x 2\n",
        "# (a comment; with marks)\n10\n01\n11\n",
        "# printed by a program\n\n1 0 # first\n0 1\n# between\n1 1\n",
        "1 .\n. 1\n1 1\n",
        "[ 1 . ]\n[ . 1 ]\n[ 1 1 ]\n",
        " 1 .\r\n . 1\r\n 1 1\r\n",
        "\u{feff}10\n01\n11\n",
        "\u{feff}[[1,0],[0,1],[1,1]]",
        "# 1\n10\n01\n11\n# 3 x 2\n",
        "10\n01\n11\n\n# a comment\n# 3 x 2\n",
    ] {
        assert_eq!(read(text).unwrap_or_else(|error| panic!("{text}: {error}")), expected, "{text}");
    }
    for (text, shape) in [
        ("()", (0, 0)),
        ("[;]", (0, 0)),
        ("((), ())", (2, 0)),
        ("(1,)", (1, 1)),
        ("((1,),)", (1, 1)),
        ("()\n# 0 x 7\n", (0, 7)),
        ("\u{feff}", (0, 0)),
        ("\u{feff}1", (1, 1)),
    ] {
        let matrix = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((matrix.rows(), matrix.columns()), shape, "{text}");
    }
}

#[test]
fn what_is_ambiguous_or_wrong_is_refused_with_its_place() {
    for (text, says) in [
        ("[0 1] [1 1]", "f:1:7: a second row in one line"),
        ("(0, 1), (1, 1)\n", "f:1:9: a second row in one line"),
        ("[[1,0],[0]]", "f:1:10: the row ends after 1 columns"),
        ("[[1,0],[0,1,1]]", "f:1:13: more than 2 columns"),
        ("[[1,0],[0,2]]", "f:1:11: \"2\": 0 or 1 was expected"),
        ("[[1,0],[10]]", "f:1:10: \"0\": numbers other than 0 and 1"),
        ("[[1,0],[1.]]", "f:1:10: \".\": numbers other"),
        ("[[1,0],[0,1)]", "f:1:12: \")\": 0 or 1 was expected"),
        ("[[1,0],[0,1]", "f:1:13: the end: `,`, a row or `]` was expected"),
        ("[[1,0],[0,1]]]", "f:1:14: \"]\": the end of the text"),
        ("[[1,0],[0,1]] [1,1]", "f:1:15: \"[\": the end of the text"),
        ("[[1,0],,[0,1]]", "f:1:8: \",\": a row in brackets"),
        ("[[1,,0],[0,1]]", "f:1:5: \",\": 0 or 1"),
        ("[[1,0];[0,1]]", "f:1:7: \";\": `,`, a row or `]`"),
        ("[1,0;0,1", "f:1:9: the end: 0 or 1"),
        ("[1,0;0]", "f:1:7: the row ends after 1 columns"),
        ("[1,0;0,1,]", "f:1:9: a comma without a number"),
        ("[1 0;\n0 1\n1 1]", "f:3:1: more than 2 columns"),
        ("[1;\n0\n1]", "f:3:1: more than 1 columns"),
        ("[1 0\n0 1; 1 1 1 1]", "f:2:1: a number in a new line"),
        ("[Mod(1, 2), Mod(0, 2)]", "f:1:2: \"M\": 0 or 1"),
        ("(1, 0", "f:1:6: the end: 0 or 1"),
        ("(1, 0)\n1 0\n", "f:2:1: \"1\": a row in brackets"),
        ("1 . 0\n", "f:1:3: a dot in a text that has zeros, too"),
        ("1 .\n0 1\n", "f:1:3: a dot in a text that has zeros"),
        ("1. 0.\n", "f:1:2: \".\": 0 or 1 was expected; numpy.savetxt"),
        ("1 ... 1\n", "f:1:3: \".\": 0 or 1 was expected; NumPy leaves out"),
        ("1.1\n", "f:1:2: \".\": 0 or 1"),
        ("# 1 x 2\n1 0\n", "f:1:1: a shape, which the last line of a file states"),
        ("1 0\n# the end\n", "f:2:1: \"# the end\": expected a shape"),
        ("1 0\n\n1 1\n", "f:2:1: the row ends after 0 columns"),
        ("c + 1\n", "f:1:1: \"c\": 0 or 1"),
        ("[[1,0],[0,1]]\n# 3 x 2\n", "f:2:1: the file states 3 rows, and has 2"),
        ("[[1,0],[0,1]]\n# 2 x 3\n", "f:2:1: the file states 3 columns, and the first row has 2"),
    ] {
        let said = message(read(text));
        assert!(said.starts_with(says), "{text}: {said}");
    }
    let long = format!("1 0\n# {}\n", "-".repeat(70));
    assert!(
        message(read(&long)).starts_with("f:2:1: a comment in the last line"),
        "{}",
        message(read(&long))
    );
    // Before its last bracket, an expression is refused.
    for text in ["[[1,0],[0,1]]", "((1,),(0,))", "[1,0;0,1]", "(1,0)"] {
        for end in 2..text.len() {
            let cut = &text[..end];
            let is_line = |text: &str| !text.contains(['(', ';']) && text.matches('[').count() < 3;
            assert!(is_line(cut) || read(cut).is_err(), "{cut}");
        }
    }
    let limits = Limits { columns: Some(3), ..LIMITS };
    let other = read_matrix(&source("f", "[[1,0],[0,1]]"), Format::Text, &limits);
    assert!(message(other).contains("the first row has 2 columns, where 3 were expected"));
    let wide = format!("[[{}],[{}]]", "1,".repeat(100_000), "0,".repeat(100_000));
    let limits = Limits { memory: 10_000, ..LIMITS };
    assert!(message(read_matrix(&source("f", wide), Format::Text, &limits)).contains("may be used"));
}

proptest! {
    #[test]
    fn a_matrix_in_any_notation(matrix in prop::collection::vec(prop::collection::vec(0u8..2, 3), 1..6)) {
        let join = |separator: &str, row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(separator);
        let rows = |open: &str, close: &str, between: &str| {
            matrix.iter().map(|row| format!("{open}{}{close}", join(", ", row))).collect::<Vec<_>>().join(between)
        };
        let expected = read(&rows("", "", "\n")).unwrap();
        for text in [
            format!("[{}]", rows("[", "]", ", ")),
            format!("({},)", rows("(", ")", ", ")),
            format!("[{}]", rows("(", ")", ",\n ")),
            format!("[{}]", rows("", "", "; ")),
            rows("(", ")", "\n"),
        ] {
            // A single row between square brackets is a row of text.
            prop_assert_eq!(&read(&text).unwrap(), &expected, "{}", text);
        }
    }
}
