"""Ways to divide 1000 steps into levels: the cheapest with at most 40 kept."""

import math


def most(parts):
    return sum(q - 1 for q in parts)


def runs(parts):
    n = math.prod(parts)
    return n + sum(n - n // q for q in parts)


def cuts(n, least=2):
    yield [n]
    for q in range(least, math.isqrt(n) + 1):
        if n % q == 0:
            yield from ([q, *rest] for rest in cuts(n // q, q))


fitting = [parts for parts in cuts(1000) if most(parts) <= 40]
for parts in sorted(fitting, key=runs)[:3]:
    print(f"{str(parts):12}  at once {most(parts)}  steps run {runs(parts)}")
