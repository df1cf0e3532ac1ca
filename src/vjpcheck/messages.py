"""What an error says, without what is another at each run."""

import re

_LONGEST = 300
"""Letters of a message that are shown."""
_IN_KERAS = re.compile(r"\x1b\[1m(.*?)\x1b\[0m", re.DOTALL)
_IN_USER_CODE = re.compile(
    r"\A.*^ {4}([A-Za-z]\w*(?:Error|Exception): .*)\Z", re.M | re.S
)
_VARYING = [
    (re.compile(r"\{\{[^{}]*\}\}\s*"), ""),  # a node, and where it runs
    (re.compile(r"\b(__\w*?[a-z]\w*?)(?:_\d+)+\b"), r"\1_…"),
    (re.compile(r"(?<=CustomGradient-)\d+"), "…"),
    (re.compile(r"\[_Xla\w+=[^\]]*\]"), ""),  # how it is compiled
    (re.compile(r"(?s)\s*(The op is created at|Stack trace for op def).*"), ""),
    (re.compile(r' op: "\w+" .*(?= do not match num inputs)'), " …"),
    (re.compile(r" of '.*(?= Error encountered: )"), " …"),
    # With oneDNN, as some processors have it, and without.
    (
        re.compile(
            r"In\[\d\] (ndims must be >= \d|and .*? different ndims: .*? vs\. \S+)"
        ),
        "In[…] … ndims …",
    ),
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"\b([Vv]ariable[/_])\d+"), r"\1…"),
    (re.compile(r"\bsequential(?:_\d+)*/layer(?:_\d+)*/"), ""),
    (re.compile(r"/[\w./-]+/(?=[\w-]+\.py)"), ""),
]


def message(error: Exception) -> str:
    """``ValueError: the text``, on one line, and not too long; of an error inside of
    AutoGraph or Keras, the one that was first."""
    text = str(error)
    for pattern in (_IN_KERAS, _IN_USER_CODE):
        if match := pattern.search(text):
            text = match[1]
    name = type(error).__name__
    full = text if re.match(r"\w+(?:Error|Exception): ", text) else f"{name}: {text}"
    return tidy(full)


def tidy(text: str) -> str:
    """Return a text on one line, without the parts that vary from run to run."""
    text = " ".join(text.split())
    for pattern, replacement in _VARYING:
        text = pattern.sub(replacement, text)
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0] + " …"
