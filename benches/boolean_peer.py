#!/usr/bin/env python3
"""Solves Boolean equations with PyPI's pycryptosat, as a peer of `wgalois solve`.

    pip install pycryptosat
    benches/boolean_peer.py FILE.anf...

The translation is a plain one: a variable for each product, whose clauses say that it is 1 if and only if all factors
are, and an exclusive or for each equation, which the solver takes as it is. Prints for each file the seconds of the
solver, of the whole script, and the solution, which is put into all equations first.
"""
import re
import sys
import time

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read(path):
    """Polynomials as lists of products; a product is a tuple of names."""
    polynomials = []
    with open(path) as lines:
        for line in lines:
            line = line.strip()
            if not line or line == "c" or line.startswith(("c ", "#")):
                continue
            products = []
            for product in line.split("+"):
                factors = [factor.strip() for factor in product.split("*")]
                if factors == ["0"]:
                    continue
                names = tuple(sorted({factor for factor in factors if factor != "1"}))
                if not all(VARIABLE.fullmatch(name) for name in names):
                    sys.exit(f"{path}: not a sum of products: {line}")
                products.append(names)
            polynomials.append(products)
    return polynomials


def solve(polynomials):
    import pycryptosat

    solver = pycryptosat.Solver()
    numbers = {}

    def number(product):
        """The solver's variable of a product, with its clauses at the first occurrence."""
        if product not in numbers:
            factors = [number((name,)) for name in product] if len(product) > 1 else []
            numbers[product] = len(numbers) + 1
            own = numbers[product]
            for factor in factors:
                solver.add_clause([-own, factor])
            if factors:
                solver.add_clause([own] + [-factor for factor in factors])
        return numbers[product]

    for products in polynomials:
        # The equation is that the sum is 0: the products sum to the constant.
        constant, odd = False, {}
        for product in products:
            if product:
                odd[product] = not odd.get(product, False)
            else:
                constant = not constant
        sum_of = [number(product) for product, is_odd in odd.items() if is_odd]
        if sum_of:
            solver.add_xor_clause(sum_of, constant)
        elif constant:
            return None
    begin = time.perf_counter()
    satisfiable, values = solver.solve()
    seconds = time.perf_counter() - begin
    if not satisfiable:
        return seconds, None
    return seconds, {product[0]: values[n] for product, n in numbers.items() if len(product) == 1}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        begin = time.perf_counter()
        polynomials = read(path)
        seconds, values = solve(polynomials) or (0.0, None)
        if values is None:
            answer = "no solution"
        else:
            for products in polynomials:
                if sum(all(values[name] for name in product) for product in products) % 2:
                    sys.exit(f"{path}: the solver's answer violates an equation")
            answer = " ".join(f"{name}={int(values[name] or 0)}" for name in sorted(values))
        print(f"{path}: solver {seconds:.3f} s, whole {time.perf_counter() - begin:.3f} s: {answer}")


if __name__ == "__main__":
    main()
