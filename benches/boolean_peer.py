#!/usr/bin/env python3
"""Solves the same random Boolean systems with `wgalois solve` on the CPU engine and with PyPI's pycryptosat.

    pip install pycryptosat
    benches/boolean_peer.py PROGRAM FOLDER [--ratio 2] [--most 300] N...
    benches/boolean_peer.py --solve FILE.anf

For each N: a random quadratic system with RATIO times N equations and a planted solution. Both solve it in turn, on one
thread each. Prints the processor seconds of both, whole processes, and the program's method. Each answer is put into all
equations. After a system that takes more than MOST seconds of a clock, larger ones are not tried.

The translation is a plain one: a variable for each product, whose clauses say that it is 1 if and only if all factors
are, and an exclusive or for each equation, which the solver takes as it is.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

ONE_THREAD = {**os.environ, "RAYON_NUM_THREADS": "1"}
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
    satisfiable, values = solver.solve()
    if not satisfiable:
        return None
    return {product[0]: values[n] for product, n in numbers.items() if len(product) == 1}


def answer(path):
    """The solver's answer to a file, which is put into all equations first."""
    polynomials = read(path)
    values = solve(polynomials)
    if values is None:
        return "no solution"
    for products in polynomials:
        if sum(all(values[name] for name in product) for product in products) % 2:
            sys.exit(f"{path}: the solver's answer violates an equation")
    return " ".join(f"{name}={int(values[name] or 0)}" for name in sorted(values, key=lambda name: (len(name), name)))


def timed(command, most):
    """The output and the processor seconds of a command; None if it takes more than `most` seconds of a clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        # 7 is the exit code of the answer that there is no solution.
        run = subprocess.run(command, capture_output=True, text=True, timeout=most, env=ONE_THREAD)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode not in (0, 7):
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if sys.argv[1:2] == ["--solve"]:
        print(answer(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--ratio", type=float, default=2)
    parser.add_argument("--most", type=float, default=300)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| n | m | method | wgalois | pycryptosat |\n|---|---|---|---|---|")
    has_peer = True
    for n in sorted(options.sizes):
        path, m = options.folder / f"{n}.anf", round(options.ratio * n)
        generate = [options.program, "gen", "boolean", "--variables", str(n), "--equations", str(m)]
        subprocess.run([*generate, "--seed", "1", "--planted", "-o", str(path)], check=True)
        own = timed([options.program, "solve", str(path), "--device", "cpu", "--json"], options.most)
        if own is None:
            sys.exit(f"{n} variables: wgalois takes more than {options.most:g} s")
        theirs = "-"
        if has_peer:
            peer = timed([sys.executable, __file__, "--solve", str(path)], options.most)
            has_peer = peer is not None
            theirs = f"{peer[1]:.2f} s" if peer else f"more than {options.most:g} s"
        print(f"| {n} | {m} | {json.loads(own[0])['method']} | {own[1]:.2f} s | {theirs} |", flush=True)


if __name__ == "__main__":
    main()
