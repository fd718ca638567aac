#!/usr/bin/env python3
"""Measures how the time of `wgalois solve` grows with the number of variables, beside the time that its plan expects.

    benches/boolean_growth.py PROGRAM FOLDER [--device gpu] [--method crossbred] [--ratio 2] [--most 300] N...

For each N: a random quadratic system with RATIO times N equations and a planted solution, all of whose solutions are
looked for, so that the search is complete. Writes FOLDER/boolean_growth.csv and FOLDER/boolean_growth.svg, a chart with
a logarithmic axis of seconds: dots are measured, the line is the model's prediction. A size that takes more than MOST
seconds ends the series.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, MARGIN = 640, 400, 60


def measure(program, folder, n, options):
    """The equations, the method, the expected and the measured seconds of one size; None if it takes too long."""
    path = pathlib.Path(folder) / f"{n}.anf"
    equations = round(options.ratio * n)
    generate = [program, "gen", "boolean", "--variables", str(n), "--equations", str(equations)]
    subprocess.run([*generate, "--seed", "1", "--planted", "-o", str(path)], check=True)
    solve = [program, "solve", str(path), "--all", "--json", "--device", options.device, "--method", options.method]
    try:
        run = subprocess.run(solve, capture_output=True, text=True, timeout=options.most)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode != 0:
        sys.exit(f"{' '.join(solve)}: exit code {run.returncode}\n{run.stderr}")
    report = json.loads(run.stdout)
    return equations, report["method"], report["plan"]["seconds"], report["search_seconds"]


def chart(rows, title):
    """An SVG text: dots for measured seconds, a line for expected ones."""
    sizes = [row[0] for row in rows]
    seconds = [value for row in rows for value in row[3:]]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)) + 1e-9)
    first, last = min(sizes), max(max(sizes), min(sizes) + 1)

    def x(n):
        return MARGIN + (n - first) / (last - first) * (WIDTH - 2 * MARGIN)

    def y(value):
        return HEIGHT - MARGIN - (math.log10(value) - low) / max(high - low, 1) * (HEIGHT - 2 * MARGIN)

    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="14">{title}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">variables</text>',
        f'<text x="{WIDTH - MARGIN}" y="44" text-anchor="end">seconds: dots measured, line expected by the plan</text>',
    ]
    for power in range(low, high + 1):
        at = y(10.0**power)
        text.append(f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        text.append(f'<text x="{MARGIN - 8}" y="{at + 4:.1f}" text-anchor="end">1e{power}</text>')
    for n in sizes:
        text.append(f'<text x="{x(n):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{n}</text>')
    line = " ".join(f"{x(row[0]):.1f},{y(row[3]):.1f}" for row in rows)
    text.append(f'<polyline points="{line}" fill="none" stroke="#888" stroke-width="1.5"/>')
    for row in rows:
        text.append(f'<circle cx="{x(row[0]):.1f}" cy="{y(row[4]):.1f}" r="4" fill="#06c"/>')
    return "\n".join([*text, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--ratio", type=float, default=2)
    parser.add_argument("--most", type=float, default=300)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n in sorted(options.sizes):
            measured = measure(options.program, folder, n, options)
            if measured is None:
                print(f"{n} variables: more than {options.most:g} s", file=sys.stderr)
                break
            rows.append((n, *measured))
            print("n {} m {}: {}, expected {:.3g} s, measured {:.3g} s".format(*rows[-1]), flush=True)
    if not rows:
        sys.exit("nothing was measured")
    with open(options.folder / "boolean_growth.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["variables", "equations", "method", "expected_seconds", "measured_seconds"])
        writer.writerows(rows)
    title = f"wgalois solve, m = {options.ratio:g} n, quadratic, planted, {options.method}, {options.device}"
    picture = chart([(n, m, method, max(e, 1e-6), max(s, 1e-6)) for n, m, method, e, s in rows], title)
    (options.folder / "boolean_growth.svg").write_text(picture)


if __name__ == "__main__":
    main()
