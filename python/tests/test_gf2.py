"""Linear algebra over GF(2) beside galois, ldpc and the definitions."""

import galois
import ldpc.mod2
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import wgalois
from ldpc.codes import rep_code, ring_code
from wgalois import gf2

GF2 = galois.GF(2)
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 2), (7, 5), (5, 7), (31, 33), (64, 128), (65, 63), (130, 520)]

# The classical [16, 4, 6] code whose product with itself is the [[400, 16, 6]] code of ldpc's tests.
ROWS_16_4_6 = [
    (0, 1, 4, 5), (2, 6, 7, 12), (3, 4, 6, 13), (5, 8, 9, 15), (1, 7, 8, 11), (8, 12, 13, 14),
    (0, 7, 13, 15), (3, 5, 10, 12), (2, 3, 11, 15), (4, 9, 10, 11), (1, 6, 10, 14), (0, 2, 9, 14),
]  # fmt: skip


def random_matrix(rows, columns, seed=0, density=0.5):
    return (np.random.default_rng((rows, columns, seed)).random((rows, columns)) < density).astype(np.uint8)


def low_rank(rows, columns, rank, seed=0):
    return random_matrix(rows, rank, seed) @ random_matrix(rank, columns, seed + 1) % 2


def hypergraph_product(h):
    """The X and Z checks of the hypergraph product of a classical code with itself."""
    m, n = h.shape
    hx = np.hstack([np.kron(h, np.eye(n, dtype=np.uint8)), np.kron(np.eye(m, dtype=np.uint8), h.T)])
    hz = np.hstack([np.kron(np.eye(n, dtype=np.uint8), h), np.kron(h.T, np.eye(m, dtype=np.uint8))])
    return hx.astype(np.uint8), hz.astype(np.uint8)


def classical(name):
    if name == "hx_400_16_6":
        h = np.zeros((12, 16), np.uint8)
        for row, ones in enumerate(ROWS_16_4_6):
            h[row, list(ones)] = 1
        return h
    code = ring_code(20) if name == "toric_20" else rep_code(20)
    return np.asarray(scipy.sparse.csr_matrix(code).todense()).astype(np.uint8)


@pytest.mark.parametrize("shape", SHAPES)
def test_forms_beside_galois(shape):
    rows, columns = shape
    for a in [random_matrix(*shape), low_rank(rows, columns, min(rows, columns) // 2), np.zeros(shape, np.uint8)]:
        rank = gf2.rank(a, device="cpu")
        form = gf2.rref(a, device="cpu")
        assert form.shape == shape and form.dtype == np.uint8
        pivots = gf2.pivots(a, device="cpu")
        assert len(pivots) == rank
        null = gf2.null_space(a, device="cpu")
        assert null.shape == (columns - rank, columns)
        assert not (a.astype(int) @ null.T % 2).any() and gf2.rank(null, device="cpu") == len(null)
        space = gf2.row_space(a, device="cpu")
        assert np.array_equal(space, form[:rank])
        if rows and columns:
            field = GF2(a)
            assert rank == np.linalg.matrix_rank(field)
            assert np.array_equal(form, np.asarray(field.row_reduce()))
            assert np.array_equal(gf2.row_reduce(a), np.asarray(field.row_reduce()))
            assert np.array_equal(space, np.asarray(field.row_space()))
            if rank:
                assert np.array_equal(gf2.column_space(a), np.asarray(field.column_space()))
            assert gf2.left_null_space(a).shape == (rows - rank, rows)
            assert np.array_equal(gf2.left_null_space(a), np.asarray(field.left_null_space()).reshape(rows - rank, rows))
            # Rows without a pivot in these columns may differ; what they span may not.
            half = columns // 2
            ours, theirs = gf2.row_reduce(a, ncols=half), np.asarray(field.row_reduce(ncols=half))
            assert np.array_equal(ours[:, :half], theirs[:, :half])
            assert gf2.rank(ours) == gf2.rank(np.vstack([ours, theirs])) == rank
        echelon, same = gf2.echelon(a, device="cpu")
        assert np.array_equal(pivots, same)
        assert [int(np.argmax(row)) for row in echelon[:rank]] == pivots.tolist() and not echelon[rank:].any()


def test_solve_inv_matmul_beside_galois(tmp_path):
    for n in [1, 2, 63, 130]:
        seed = next(seed for seed in range(100) if gf2.rank(random_matrix(n, n, seed)) == n)
        a, b = random_matrix(n, n, seed), random_matrix(n, 7, 1)
        assert np.array_equal(gf2.inv(a), np.asarray(np.linalg.inv(GF2(a))))
        x = gf2.solve(a, b)
        assert np.array_equal(x, np.asarray(np.linalg.solve(GF2(a), GF2(b))))
        assert np.array_equal(gf2.matmul(a, x), b)
        assert np.array_equal(gf2.solve(a, b[:, 0]), x[:, 0])
        assert np.array_equal(gf2.matmul(a, b[:, 0]), np.asarray(GF2(a) @ GF2(b[:, 0])))
    wide = random_matrix(20, 50)
    b = wide.astype(int) @ random_matrix(50, 3) % 2
    assert np.array_equal(wide.astype(int) @ gf2.solve(wide, b) % 2, b)
    with pytest.raises(np.linalg.LinAlgError, match="rank is 1"):
        gf2.inv([[1, 1], [1, 1]])
    (tmp_path / "singular.txt").write_text("11\n11\n")
    for singular in [gf2.BitMatrix([[1, 1], [1, 1]]), tmp_path / "singular.txt"]:
        with pytest.raises(wgalois.errors.SingularError, match="rank is 1, less than 2"):
            gf2.inv(singular)
    with pytest.raises(wgalois.errors.InputError, match="cannot invert: the matrix has 2 rows and 3 columns"):
        gf2.inv(np.zeros((2, 3), bool))
    with pytest.raises(wgalois.errors.NoSolutionError):
        gf2.solve([[1, 1], [1, 1]], [0, 1])
    with pytest.raises(wgalois.errors.NoSolutionError, match="columns 1 of"):
        gf2.solve([[1, 1], [1, 1]], [[0, 0], [0, 1]])
    with pytest.raises(wgalois.errors.InputError, match="rows"):
        gf2.solve([[1, 1], [1, 1]], [0, 1, 1])
    with pytest.raises(wgalois.errors.InputError, match="cannot multiply: A has 3 columns, B has 2 rows"):
        gf2.matmul(np.zeros((2, 3), bool), np.zeros((2, 3), bool))


@pytest.mark.parametrize("name", ["hx_400_16_6", "surface_20", "toric_20"])
def test_codes_of_ldpc(name):
    hx, hz = hypergraph_product(classical(name))
    assert not (hx.astype(int) @ hz.T % 2).any()
    sparse = scipy.sparse.csr_matrix(hx)
    rank = gf2.rank(hx)
    assert rank == gf2.rank(sparse) == ldpc.mod2.rank(sparse)
    assert gf2.rank(hz) == ldpc.mod2.rank(scipy.sparse.csr_matrix(hz))
    kernel = gf2.kernel(sparse)
    assert scipy.sparse.issparse(kernel) and np.array_equal(kernel.toarray(), gf2.nullspace(hx))
    theirs = ldpc.mod2.kernel(sparse)
    assert kernel.shape == theirs.shape and not (hx @ kernel.toarray().T % 2).any()
    # One space: together they have no higher rank.
    assert gf2.rank(scipy.sparse.vstack([kernel, theirs])) == kernel.shape[0]
    assert gf2.pivot_rows(hx).tolist() == sorted(ldpc.mod2.pivot_rows(sparse).tolist())
    # Logical operators: the kernel of hx without the rows of hz.
    stack = np.vstack([gf2.row_basis(hz), kernel.toarray()])
    chosen = gf2.pivot_rows(stack)
    logical = stack[chosen[chosen >= gf2.rank(hz)]]
    n = hx.shape[1]
    assert len(logical) == n - rank - gf2.rank(hz) == {"hx_400_16_6": 16, "surface_20": 1, "toric_20": 2}[name]
    assert not (hx @ logical.T % 2).any() and gf2.rank(np.vstack([hz, logical])) == gf2.rank(hz) + len(logical)


def test_names_of_ldpc():
    for a in [random_matrix(5, 9), random_matrix(12, 4), low_rank(40, 70, 20)]:
        sparse = scipy.sparse.csr_matrix(a)
        for full in (False, True):
            form, rank, transform, pivots = gf2.row_echelon(a, full=full)
            theirs = ldpc.mod2.row_echelon(a, full=full)
            assert rank == theirs[1] and pivots.tolist() == list(theirs[3])
            assert np.array_equal(transform.astype(int) @ a % 2, form)
            assert gf2.rank(transform) == len(transform)
            if full:
                assert np.array_equal(form, theirs[0])
        form, rank, rows, columns = gf2.reduced_row_echelon(a)
        theirs = ldpc.mod2.reduced_row_echelon(a)
        assert rank == theirs[1] and np.array_equal(form[:rank, :rank], np.eye(rank))
        assert np.array_equal(rows.astype(int) @ a @ columns % 2, form)
        basis = gf2.row_basis(a)
        assert gf2.rank(basis) == len(basis) == rank == ldpc.mod2.row_basis(sparse).shape[0]
    tall = np.vstack([np.eye(6, dtype=np.uint8), random_matrix(4, 6)])
    assert np.array_equal(gf2.inverse(tall).astype(int) @ tall % 2, np.eye(6))
    with pytest.raises(wgalois.errors.SingularError) as singular:
        gf2.inverse(np.zeros((3, 2), np.uint8))
    assert (singular.value.kind, singular.value.data) == ("NotInvertible", {"rank": 0, "size": 2})


def test_forms_of_input(tmp_path):
    a = low_rank(37, 70, 20)
    rank = gf2.rank(a)
    for dtype in (bool, np.uint8, np.int8, np.int64, np.uint16):
        assert gf2.rank(a.astype(dtype)) == rank
    form = gf2.rref(a.astype(bool))
    assert form.dtype == bool and np.array_equal(form, gf2.rref(a))
    assert gf2.rank(a.T) == gf2.rank(np.asfortranarray(a)) == rank and gf2.rank(a[::2, ::3]) == gf2.rank(a[::2, ::3].copy())
    for order in ("big", "little"):
        packed = gf2.BitMatrix.from_packed(np.packbits(a, axis=1, bitorder=order), 70, order)
        assert np.array_equal(packed, a) and packed.shape == a.shape and packed.count_nonzero() == a.sum()
        assert np.array_equal(packed.to_packed(order), np.packbits(a, axis=1, bitorder=order))
        assert gf2.rank(packed) == rank and isinstance(gf2.rref(packed), gf2.BitMatrix)
        assert packed == gf2.BitMatrix(a) and np.array_equal(packed.T, a.T)
        assert np.array_equal(packed @ packed.T, a.astype(int) @ a.T % 2)
    dirty = np.full((1, 1), 255, np.uint8)
    assert np.array_equal(gf2.BitMatrix.from_packed(dirty, 3), [[1, 1, 1]])
    for kind in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array"):
        sparse = getattr(scipy.sparse, kind)(a)
        assert gf2.rank(sparse) == rank
        assert np.array_equal(gf2.rref(sparse).toarray(), gf2.rref(a))

    scipy.io.mmwrite(tmp_path / "a.mtx", scipy.sparse.coo_matrix(a.astype(int)))
    np.save(tmp_path / "a.npy", a)
    scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.csr_matrix(a))
    for name in ("a.mtx", "a.npy", "a.npz"):
        assert gf2.rank(tmp_path / name) == gf2.rank(str(tmp_path / name)) == rank
        assert np.array_equal(gf2.null_space(tmp_path / name), gf2.null_space(a))


def test_errors(tmp_path):
    errors = wgalois.errors
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n")
    for call, kind, words in [
        (lambda: gf2.rank([[0, 2]]), errors.InputError, r"entry \(0, 1\) is 2"),
        (lambda: gf2.rank(np.array([[0], [3]], np.uint8)), errors.InputError, r"entry \(1, 0\) is 3"),
        (lambda: gf2.rank([[-1]]), errors.InputError, "is -1"),
        (lambda: gf2.rank(np.array([[0, -1]], np.int8)), errors.InputError, r"entry \(0, 1\) is -1"),
        (lambda: gf2.rank(np.array([[[0, -1]]], np.int8)), errors.InputError, r"entry \(0, 0, 1\) is -1"),
        (lambda: gf2.eliminate(np.eye(3), np.eye(3), columns=4), errors.InputError, "columns=4, and a matrix has 3 columns"),
        (lambda: gf2.eliminate([[1]], [[0]], columns=1), errors.InputError, "index 1 in a matrix of 1 columns"),
        (lambda: gf2.rank([1, 0]), errors.InputError, "two dimensions"),
        (lambda: gf2.rank([[0.5]]), errors.InputError, r"entry \(0, 0\) is 0.5"),
        (lambda: gf2.rank([[np.nan]]), errors.InputError, "nan"),
        (lambda: gf2.rank([[1j]]), errors.InputError, "complex128"),
        (lambda: gf2.rank(scipy.sparse.csr_matrix([[2]])), errors.InputError, "holds 2"),
        (lambda: gf2.rank(tmp_path / "none.mtx"), errors.FileError, "none.mtx"),
        (lambda: gf2.rank(tmp_path / "bad.mtx"), errors.FormatError, "bad.mtx:3"),
        (lambda: gf2.rref([[1]], ncols=2), errors.InputError, "pivots in 2 columns"),
        (lambda: gf2.rank([[1]], device="no such adapter"), errors.NoDeviceError, "no such device"),
        (lambda: gf2.rank(np.full((2, 1, 1), 7)), errors.InputError, "is 7"),
        (lambda: gf2.rank(np.full((2, 1, 1), 7, np.uint8)), errors.InputError, "matrix 0: entry"),
    ]:
        with pytest.raises(kind, match=words):
            call()
    # The program's message ends with the option that reads such a file.
    (tmp_path / "two.txt").write_text("12\n")
    with pytest.raises(errors.FormatError, match="0 or 1 was expected") as caught:
        gf2.rank(tmp_path / "two.txt")
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_many_small_matrices(device, request):
    if device == "gpu":
        request.getfixturevalue("adapters")
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, (60, 24, 48), np.uint8)
    a[3] = 0
    a[5, 10:] = a[5, :14]
    ranks = gf2.rank(a, device=device)
    assert ranks.shape == (60,) and ranks[3] == 0 and ranks[5] < 24
    forms, spaces, kernels = gf2.rref(a, device=device), gf2.row_space(a, device=device), gf2.null_space(a, device=device)
    for k in range(60):
        assert ranks[k] == gf2.rank(a[k])
        assert np.array_equal(forms[k], gf2.rref(a[k]))
        assert np.array_equal(spaces[k], gf2.row_space(a[k]))
        assert np.array_equal(kernels[k], gf2.null_space(a[k]))
    b = rng.integers(0, 2, (60, 48, 5), np.uint8)
    products = gf2.matmul(a, b, device=device)
    assert np.array_equal(products, a.astype(int) @ b % 2)
    x = gf2.solve(a, products, device=device)
    assert np.array_equal(a.astype(int) @ x % 2, products)
    assert np.array_equal(gf2.solve(a, products[:, :, 0], device=device), x[:, :, 0])
    squares = np.stack([s for s in rng.integers(0, 2, (60, 16, 16), np.uint8) if gf2.rank(s) == 16])
    assert np.array_equal(gf2.inv(squares, device=device).astype(int) @ squares % 2, np.broadcast_to(np.eye(16), squares.shape))
    squares[1] = 0
    with pytest.raises(wgalois.errors.SingularError, match="matrix 1: no inverse: the rank is 0"):
        gf2.inv(squares, device=device)
    with pytest.raises(wgalois.errors.NoSolutionError, match="matrix 1"):
        gf2.solve(squares, np.ones((len(squares), 16), np.uint8), device=device)
    assert gf2.rank(np.zeros((0, 3, 4), bool), device=device).shape == (0,)
    assert gf2.rref(np.zeros((2, 0, 4), bool), device=device).shape == (2, 0, 4)
    assert [n.shape for n in gf2.null_space(np.zeros((2, 0, 4), bool), device=device)] == [(4, 4)] * 2
    assert gf2.row_space(a.astype(bool))[0].dtype == bool


def eliminate_by_definition(eliminators, rows):
    leading = {max(e): set(e) for e in eliminators if e}
    reduced, promoted = [], []
    for number, row in enumerate(rows):
        row = set(row)
        while row:
            if max(row) not in leading:
                leading[max(row)] = row
                promoted.append(number)
                break
            row = row ^ leading[max(row)]
        reduced.append(sorted(row, reverse=True))
    return reduced, promoted


def test_eliminate():
    rng = np.random.default_rng(8)
    columns = 70
    eliminators = [sorted({lead, *rng.integers(0, lead + 1, 5).tolist()}) for lead in range(3, columns, 3)]
    rows = [sorted(set(rng.integers(0, columns, 9).tolist())) for _ in range(60)] + [[]]
    expected = eliminate_by_definition(eliminators, rows)
    for method in ("auto", "bands", "blocked", "two-stage"):
        result = gf2.eliminate(eliminators, rows, columns=columns, method=method)
        assert result.rows == expected[0] and result.promoted.tolist() == expected[1]

    def dense(lists):
        a = np.zeros((len(lists), columns), np.uint8)
        for r, ones in enumerate(lists):
            a[r, ones] = 1
        return a

    for form in (np.asarray, scipy.sparse.csr_matrix, gf2.BitMatrix):
        result = gf2.eliminate(form(dense(eliminators)), form(dense(rows)))
        reduced = result.rows.toarray() if scipy.sparse.issparse(result.rows) else np.asarray(result.rows)
        assert np.array_equal(reduced, dense(expected[0]))
    with pytest.raises(wgalois.errors.InputError, match="same lead"):
        gf2.eliminate([[3], [3, 1]], [[1]])
    with pytest.raises(wgalois.errors.UsageError, match="expected auto"):
        gf2.eliminate([[3]], [[1]], method="none")
    assert gf2.eliminate([], [[1, 0]]).rows == [[1, 0]]


def test_plans():
    a = low_rank(30, 50, 20)
    assert wgalois.Plan.gf2("rank", 30, 50, device="cpu")(a) == gf2.rank(a)
    plan = wgalois.Plan.gf2("rref", 30, 50, device="cpu")
    for _ in range(2):
        form, pivots = plan(a)
        assert np.array_equal(form, gf2.rref(a)) and np.array_equal(pivots, gf2.pivots(a))
    b = random_matrix(50, 4)
    assert np.array_equal(wgalois.Plan.gf2("matmul", 30, 50, others=4)(a, b), gf2.matmul(a, b))
    with pytest.raises(wgalois.errors.InputError):
        plan(a[:20])
    with pytest.raises(wgalois.errors.UsageError):
        wgalois.Plan.gf2("determinant", 3, 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.uint16])
def test_numbers_of_0_and_1_are_bits(dtype):
    a = np.array([[1, 1, 0], [0, 1, 1]])
    assert gf2.rank(a.astype(dtype)) == 2
    assert (gf2.rref(a.astype(dtype)) == gf2.rref(a)).all()
    assert (gf2.solve(a.astype(dtype), np.array([1, 0], dtype)) == [1, 0, 0]).all()


def test_vectors_have_the_type_of_the_matrix():
    a = np.array([[1, 1, 0], [0, 1, 1]], bool)
    for matrix, kind in ((a, bool), (a.astype(np.uint8), np.uint8), (gf2.BitMatrix(a), np.uint8)):
        x = gf2.solve(matrix, [1, 0])
        product = gf2.matmul(matrix, x)
        assert x.dtype == product.dtype == kind and product.tolist() == [1, 0]
        solved = wgalois.Plan.gf2("solve", 2, 3, others=1, device="cpu")(matrix, [1, 0])
        assert solved.dtype == kind and np.array_equal(solved, x)
        multiplied = wgalois.Plan.gf2("matmul", 2, 3, others=1, device="cpu")(matrix, x)
        assert multiplied.dtype == kind and np.array_equal(multiplied, product)


@pytest.mark.parametrize("first, end", [(0, 0), (0, 70), (1, 33), (31, 64), (32, 97), (33, 100), (99, 100), (64, 64)])
def test_columns_of_packed_bits(first, end):
    a = np.random.default_rng(end).integers(0, 2, (5, 100), np.uint8)
    taken = gf2.BitMatrix._of(gf2.BitMatrix(a)._native.columns(first, end))
    assert np.array_equal(taken.to_numpy(), a[:, first:end])
    assert taken.count_nonzero() == int(a[:, first:end].sum())


def test_an_index_that_stands_twice_is_named():
    with pytest.raises(wgalois.errors.InputError, match="row 1: index 4 stands in it twice"):
        gf2.eliminate([[7]], [[1], [4, 2, 4]])
