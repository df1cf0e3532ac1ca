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


EXPLAINED = [
    (
        r"expected to return (\d+) gradients?, but returned (\d+)",
        "counts#one-gradient-short",
        "the gradient function returns {1} gradients, but must return {0}: one for each"
        " positional argument, and for each leaf of a list or a dictionary",
    ),
    (
        r"must accept keyword argument 'variables'",
        "variables#must-accept-variables",
        "the forward pass reads a variable: let the gradient function accept"
        " variables=None and return a pair of gradients, for the inputs and for the"
        " variables",
    ),
    (
        r"Must return gradient for each variable",
        "variables#for-each-variable",
        "the second item that the gradient function returns must be a list with one"
        " gradient for each variable",
    ),
    (
        r"currently supports keywords? arguments only when eager",
        "counts#keywords-in-a-graph",
        "inputs are passed by keyword: pass them by position",
    ),
    (
        r"required positional argument: 'variables'",
        "variables#no-variables",
        "the gradient function needs the default variables=None, because it is also"
        " called without variables",
    ),
    (
        r"can only concatenate list",
        "variables#a-tuple-of-gradients",
        "the gradients of the variables must be in a list",
    ),
    (
        r"Tensor\.graph is undefined",
        "variables#in-a-branch",
        "a variable is read in a branch: read it outside, or pass it as an argument",
    ),
    (
        r"Python bool|truth value of an array|cannot be interpreted as an integer",
        "types#an-if-in-a-rule",
        "Python needs the value of a tensor that has none yet: use tf.cond or tf.where,"
        " and don't pass settings as arguments",
    ),
    (
        r"no attribute 'numpy'|to a numpy array",
        "types#numpy-in-a-graph",
        "NumPy is called on a tensor that has no value yet",
    ),
    (
        r"too many values to unpack|not enough values to unpack"
        r"|Cannot iterate over a scalar|cannot unpack non-iterable",
        "counts#no-rule-returned",
        "the function must return a pair: its value, or one structure of values, and"
        " the gradient function",
    ),
    (
        r"unsupported callable|is not a callable object",
        "counts#unsupported-callable",
        "the function must return its value first, and then the gradient function",
    ),
    (
        r"takes (?:from )?\d.* positional arguments? but \d+ (?:was|were) given",
        "counts#one-upstream-for-two-outputs",
        "the gradient function must accept one upstream gradient for each output of the"
        " function",
    ),
    (
        r"expected to be a \w+ tensor but is a \w+ tensor|dtype",
        "types#double-against-float",
        "a dtype in the gradient function doesn't fit: downstream must have the dtype"
        " of its input",
    ),
    (
        r"unsupported type|Failed to convert|Attempt to convert a value",
        "types#a-function-as-argument",
        "each argument becomes a tensor: capture settings and functions, and don't pass"
        " them as arguments",
    ),
]
"""Patterns of error messages, each with its entry in the catalogue and advice."""
