"""Whether a sentence was turned round: by a negation, or by a word for its opposite.

A test that held for a sentence can't hold for its opposite, too. So a sentence that is
turned round asks for another test, or for a reviewer who says that he has looked.
"""

import re
from collections import Counter

_NEGATIONS = {
    *("not", "never", "no", "none", "nothing", "nobody", "nowhere", "neither", "nor"),
    *("without", "cannot", "hardly", "rarely", "fails", "unless", "except"),
}
_PAIRS = """
    always sometimes, every some, all some, each one, before after, first last,
    row column, rows columns, more less, more fewer, most least, at-most at-least,
    same other, same different, equal different, right wrong, correct wrong,
    eager graph, eagerly graph, inside outside, within outside, left right,
    larger smaller, largest smallest, greater smaller, higher lower, only also,
    both either, once twice, now still, input output, inputs outputs, above below,
    forward backward, upstream downstream, start stop, starts stops, begins ends,
    keep drop, keeps drops, keep lose, keeps loses, adds removes, adds subtracts,
    raises returns, raises ignores, silently loudly, grows shrinks, rises falls,
    increases decreases, positive negative, true false, finite infinite, exact
    approximate, exactly approximately, must may, must can, needs ignores, with without,
    faster slower, fast slow, cheap expensive, static dynamic, dense sparse, old new,
    long short, up down, on off, open closed, possible impossible, safe unsafe,
    before during, again never, reads writes, saves loads, many few, enough too
"""
_OPPOSITES: dict[str, set[str]] = {}
for _pair in _PAIRS.split(","):
    _one, _other = _pair.split()
    _OPPOSITES.setdefault(_one, set()).add(_other)
    _OPPOSITES.setdefault(_other, set()).add(_one)
_AT = re.compile(r"\bat (most|least)\b")


def turned(old: str, new: str) -> str:
    """The words by which one sentence may say the opposite of the other; or none."""
    before, after = _words(old), _words(new)
    gone, come = before - after, after - before
    for word in gone:
        if opposite := _OPPOSITES.get(word, set()) & come.keys():
            return f"“{word}” became “{min(opposite)}”"
    if _negations(gone) % 2 != _negations(come) % 2:
        words = sorted({*gone, *come} & {*_NEGATIONS})
        return f"a negation changed: {', '.join(words)}"
    return ""


def _words(text: str) -> Counter[str]:
    text = _AT.sub(r"at-\1", text.lower())
    found: Counter[str] = Counter()
    for word in re.findall(r"at-(?:most|least)|[a-z]+n't|[a-z]+", text):
        if word.endswith("n't"):
            found["not"] += 1
            word = word[:-3]
        found[word] += 1
    return found


def _negations(words: Counter[str]) -> int:
    return sum(count for word, count in words.items() if word in _NEGATIONS)
