// Check the answers that readers type. The right answer is in the fold below the field, in
// an element of the class "answer". It is a number, a list or a name, or, with data-of, the
// formula of a derivative. A formula is compared at the points of data-at in float64 and in
// float32, and in float32 at larger and smaller inputs, too. Pages with answers load this.
{
  const FUNCTIONS = { __proto__: null,
    abs: Math.abs, cos: Math.cos, cosh: Math.cosh, exp: Math.exp, expm1: Math.expm1,
    log: Math.log, log1p: Math.log1p, max: Math.max, maximum: Math.max, min: Math.min,
    minimum: Math.min, pow: (x, y) => x ** y, reciprocal: x => 1 / x, relu: x => Math.max(x, 0),
    rsqrt: x => 1 / Math.sqrt(x), sigmoid: x => x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)),
    sign: Math.sign, sin: Math.sin, sinh: Math.sinh,
    softplus: x => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
    sqrt: Math.sqrt, square: x => x * x, tan: Math.tan, tanh: Math.tanh,
    where: (condition, x, y) => condition ? x : y,
  }
  const ALIASES = { __proto__: null, ln: "log", sgn: "sign", sigma: "sigmoid", σ: "sigmoid", j: "i", "∞": "inf", infinity: "inf" }
  const GREEK = { __proto__: null, α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", θ: "theta", λ: "lambda", μ: "mu", ρ: "rho", τ: "tau", φ: "phi" }
  const COUNT = { __proto__: null, max: 2, maximum: 2, min: 2, minimum: 2, pow: 2, where: 3 }
  const CONSTANTS = { __proto__: null, e: Math.E, pi: Math.PI, π: Math.PI, inf: Infinity }
  const OPERATORS = { __proto__: null,
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
    "^": (a, b) => a ** b, "<": (a, b) => +(a < b), ">": (a, b) => +(a > b),
    "<=": (a, b) => +(a <= b), ">=": (a, b) => +(a >= b), "==": (a, b) => +(a === b),
  }
  const COMPARISONS = ["<", ">", "<=", ">=", "=="]
  const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"]
  const FILLERS = "a all and both each every float for gradient inputs it math np of the them tf three upstream".split(" ")
  const PARTS = { __proto__: null, "½": 0.5, "¼": 0.25, "¾": 0.75 }
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
  const SAME = { __proto__: null, "−": "-", "–": "-", "‐": "-", "‑": "-", "·": "*", "×": "*", "⋅": "*", "∗": "*", "•": "*", "∙": "*", "÷": "/", "∕": "/", "⁄": "/", "**": "^", "[": "(", "]": ")", "{": "(", "}": ")", "≤": "<=", "≥": ">=", "∞": "inf" }
  const TOKEN = /\s*(?:((?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?)|((?:[\p{L}_][\p{L}\p{M}\d_]*\.)*[\p{L}_][\p{L}\p{M}\d_]*|∞)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\*\*|[<>=]=|\S))/uy
  const MODULES = /^(?:tf\.(?:math|nn|keras\.ops)|keras\.ops|tf|np|jnp|math|torch)\./
  const POINTS = [0, 1, -1, 0.5, 2, -3, -0.25, 7]
  const UPSTREAM = [1, -2]
  const EXTREME = [20, 45, 89, 100, 1e-4]
  const MOST_POINTS = 2000
  const MODERATE = 7
  const TINY = 2 ** -126  // below it, float32 has fewer digits

  class Problem extends Error {}

  function tokens(text) {
    const found = []
    TOKEN.lastIndex = 0
    for (let token; (token = TOKEN.exec(text));) {
      const [whole, number, name, raised, sign] = token
      const at = token.index + whole.search(/\S/)
      if (number) found.push({ kind: "number", text: number, value: +number.replace("−", "-").replaceAll("_", ""), at })
      else if (name) found.push({ kind: "name", text: name.replace(MODULES, ""), at })
      else if (raised) found.push({ kind: "raised", text: raised, at,
        value: +[...raised].map(sign => ({ "⁺": "+", "⁻": "-" })[sign] ?? RAISED.indexOf(sign)).join("") })
      else if (sign in PARTS) found.push({ kind: "number", text: sign, value: PARTS[sign], at })
      else found.push({ kind: SAME[sign] ?? sign, text: sign, at })
    }
    return found
  }

  // A tree of what was typed. A list is a node of the kind "list".
  function parse(text) {
    const all = tokens(text)
    let next = 0, bars = 0
    const end = { kind: "end", text: "", at: text.trimEnd().length }
    const seen = () => all[next] ?? end
    const fail = (why, token = seen()) => {
      throw new Problem(token.kind === "end"
        ? `The end: ${why}.` : `Character ${token.at + 1}, “${token.text}”: ${why}.`)
    }
    const takes = kind => seen().kind === kind && all[next++]
    const single = (node, token) =>
      node.kind === "list" ? fail("a list can't be calculated with", token) : node

    function list(close) {
      const items = [comparison()]
      // Python's (3,) is a list of one.
      while (takes(",")) if (seen().kind !== ")") items.push(comparison())
      if (close && !takes(close)) fail("a closing parenthesis or an operator is missing")
      return items
    }
    function comparison() {
      const left = sum(), sign = seen()
      return COMPARISONS.some(takes)
        ? { kind: sign.kind, of: [single(left, sign), single(sum(), sign)] } : left
    }
    function sum() {
      let left = product()
      for (let sign; (sign = takes("+") || takes("-"));)
        left = { kind: sign.kind, of: [single(left, sign), single(product(), sign)] }
      return left
    }
    function product() {
      let left = unary(), divided = false
      for (;;) {
        const sign = seen()
        if (takes("*") || takes("/")) {
          divided = sign.kind === "/"
          left = { kind: sign.kind, of: [single(left, sign), single(unary(), sign)] }
        } else if (["number", "name", "(", "√"].includes(sign.kind) || sign.kind === "|" && !bars) {
          if (sign.kind === "number") fail("an operator or a comma is missing before it")
          if (divided) fail("it isn't clear what is divided by; add * or parentheses")
          left = { kind: "*", of: [single(left, sign), single(unary(), sign)] }
        } else return left
      }
    }
    function unary() {
      const sign = takes("-") || takes("+")
      if (!sign) return power()
      const node = single(unary(), sign)
      return sign.kind === "+" ? node : { kind: "negative", of: [node] }
    }
    function power() {
      const base = atom()
      return ["raised", "^"].includes(seen().kind) ? raisedTo(base) : base
    }
    function raisedTo(base) {
      const sign = takes("raised") || takes("^")
      const exponent = sign.kind === "^" ? unary() : { kind: "number", value: sign.value }
      return { kind: "^", of: [single(base, sign), single(exponent, sign)] }
    }
    // sin(x), sin²(x), sin x
    function call(name, token) {
      const sign = ["raised", "^"].includes(seen().kind) && seen()
      if (sign) {
        next++
        const exponent = sign.kind === "^" ? atom() : { kind: "number", value: sign.value }
        if (exponent.kind !== "number" || exponent.value < 1) fail("write the power behind the argument", sign)
        return { kind: "^", of: [call(name, token), exponent] }
      }
      const ask = `write its argument in parentheses, ${token.text}(…)`
      const count = COUNT[name] ?? 1
      if (takes("(")) {
        const of = list(")")
        if (of.length !== count) fail(`it takes ${["one argument", "two arguments", "three arguments"][count - 1]}`, token)
        return { kind: "call", name, of: of.map(item => single(item, token)) }
      }
      if (count > 1 || !["number", "name", "√", "|"].includes(seen().kind)) fail(ask, token)
      const argument = power(), after = seen()
      if (["number", "("].includes(after.kind) || after.kind === "name" && !functionOf(after)) fail(ask, token)
      return { kind: "call", name, of: [argument] }
    }
    function functionOf({ text }) {
      return [text, text.toLowerCase()].map(name => ALIASES[name] ?? name).find(name => name in FUNCTIONS)
    }
    function atom() {
      const token = seen()
      if (takes("number")) return { kind: "number", value: token.value }
      if (takes("name")) {
        const name = functionOf(token)
        return name ? call(name, token) : { kind: "name", name: ALIASES[token.text] ?? token.text, token }
      }
      if (takes("√")) return { kind: "call", name: "sqrt", of: [single(atom(), token)] }
      if (takes("|")) {
        bars++
        const of = [single(sum(), token)]
        bars--
        if (!takes("|")) fail("the second | is missing")
        return { kind: "call", name: "abs", of }
      }
      if (takes("(")) {
        const outside = bars
        bars = 0
        const items = list(")")
        bars = outside
        return items.length > 1 ? { kind: "list", of: items } : items[0]
      }
      return fail(token.kind === "end" ? "a number, a name or a parenthesis is missing here"
        : token.kind === ")" ? "no parenthesis is open, or it is empty"
        : "a number, a name or a parenthesis should stand here")
    }

    if (!all.length) throw new Problem("Type an answer first.")
    const items = list()
    if (seen().kind === ")") fail("no parenthesis is open")
    if (seen().kind !== "end") fail("this isn't part of a formula")
    return items.length > 1 ? { kind: "list", of: items } : items[0]
  }

  const namesOf = node => node.kind === "name"
    ? (node.name in CONSTANTS ? [] : [node]) : (node.of ?? []).flatMap(namesOf)

  // The value at a point. `round` is applied after each operation, as a dtype does.
  function value(node, at, round = x => x) {
    const of = node.kind === "list" ? [] : (node.of ?? []).map(each => value(each, at, round))
    switch (node.kind) {
      case "number": return round(node.value)
      case "name": return round(at[node.name] ?? CONSTANTS[node.name])
      case "negative": return -of[0]
      case "call": return round(FUNCTIONS[node.name](...of))
      default: return round(OPERATORS[node.kind](...of))
    }
  }

  // All points of "x = 0 1 2; upstream = 1 -2", the simplest first.
  function pointsOf(text, names) {
    const said = Object.fromEntries((text ?? "").split(";").filter(each => each.trim()).map(each => {
      const [name, numbers] = each.split("=")
      return [name.trim(), numbers.trim().split(/\s+/).map(Number)]
    }))
    let points = [{ at: {}, far: 0 }]
    for (const name of names) {
      points = points.flatMap(({ at, far }) => (said[name] ?? (name.startsWith("upstream") ? UPSTREAM : POINTS)).map((number, k) =>
        ({ at: { ...at, [name]: Math.fround(number) }, far: far + k })))
    }
    return points.sort((a, b) => a.far - b.far).slice(0, MOST_POINTS).map(each => each.at)
  }

  const shown = (number, digits = 6) => Number.isNaN(number) ? "NaN" : Number.isFinite(number)
    ? String(+number.toPrecision(digits)).replace("-", "−") : number > 0 ? "infinity" : "−infinity"
  const place = at => "At " + Object.entries(at).map(([name, x]) => `${name} = ${shown(x)}`).join(", ")

  const namesIn = (...formulas) =>
    [...new Set(formulas.flatMap(each => namesOf(parse(each))).map(each => each.name))]

  // Without what people type around an answer, but as long, so that positions stay.
  const blank = part => " ".repeat(part.length)
  function bare(text) {
    const inside = text.replace(/^\s*return\b|[\x60$]|[;.\s]+$/g, blank)
    const [before] = inside.match(/^[^()]*(?:\([^()]*\)[^()]*)*(?<![<>=!])[=≈](?!=)/) ?? [""]
    return blank(before) + inside.slice(before.length).replace(/^\s*(?:[≈~]|about\b|approximately\b)/, blank)
  }

  const isUpstream = name => /^upstream|_bar$/.test(name)

  const spelled = name => (GREEK[name] ?? name).normalize("NFD").replace("\u0304", "_bar")

  // The variable of an exercise that a reader's name means: also θ, ȳ, y_bar or dy.
  function meant(name, names) {
    const plain = spelled(name)
    const same = [plain, plain.toLowerCase()].find(each => names.includes(each))
    if (same) return same
    const match = plain.match(/^(?:upstream|grad|g)(?:_(\w+))?$/i) ?? plain.match(/^d([a-z])$/)
      ?? plain.match(/^(\w+?)_?bar$/i)
    const upstreams = names.filter(isUpstream), output = match?.[1] ?? ""
    if (!match || upstreams.length < 2) return match && !names.includes(output) ? upstreams[0] : undefined
    return upstreams.find(each => each.replace(/^upstream_|_bar$/g, "") === output)
  }

  // The formula that was typed, in the variables of the exercise.
  function parseFormula(typed, names, of) {
    const formula = parse(bare(typed))
    if (formula.kind === "list") throw new Problem("This is a list. Type one formula.")
    for (const node of namesOf(formula)) {
      const name = meant(node.name, names)
      if (name) node.name = name
      else throw new Problem(unknown(node, names, of))
    }
    return formula
  }

  function unknown({ name, token }, names, of) {
    const one = `“${name}” is one name.`
    const called = Object.keys(FUNCTIONS).flatMap(each => names.map(argument => [each, argument]))
      .find(each => each.join("") === name)
    if (called) return `${one} Write ${called[0]}(${called[1]}).`
    if (name.length > 1 && [...name].every(letter => names.includes(letter)))
      return `${one} For the product write ${[...name].join(" * ")}.`
    const end = Object.keys(FUNCTIONS).find(each => name.endsWith(each) && meant(name.slice(0, -each.length), names))
    if (end) return `${one} For the product write ${name.slice(0, -end.length)} * ${end}(…).`
    if (isUpstream(spelled(name)) && !names.some(isUpstream))
      return `This answer is the local derivative. Leave “${token.text}” out.`
    return `“${token.text}” isn't known here. The formula has ${names.join(", ")}, and functions such as ${
      of.match(/\w+(?=\()/)?.[0] ?? "exp"}(${names.find(each => !isUpstream(each))}).`
  }

  const agrees = (a, b) => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b))
  const isNear = (a, exact) => Math.abs(a - exact) <= (exact ? Math.max(1e-3 * Math.abs(exact), TINY) : 1e-6)

  // Inputs that are larger or smaller than those of the exercise, of the same signs.
  function extremes(points, names) {
    const base = points.find(at => Object.values(at).every(Boolean)) ?? points[0]
    return names.filter(name => !isUpstream(name)).flatMap(name => {
      const signs = [1, -1].filter(sign => points.some(at => Math.sign(at[name]) === sign))
      return EXTREME.flatMap(size => signs.map(sign => ({ ...base, [name]: Math.fround(sign * size) })))
    })
  }

  // Whether a formula that isn't finite at a point with zeros has the right limit there.
  function isLimit(mine, right, { at, is }) {
    const zeros = Object.keys(at).filter(name => !at[name])
    return zeros.length && [1e-6, -1e-6].every(size => {
      const near = { ...at, ...Object.fromEntries(zeros.map(name => [name, size])) }
      return !Number.isFinite(value(right, near))
        || Math.abs(value(mine, near) - is) <= 1e-4 * (1 + Math.abs(is))
    })
  }

  function judgeFormula(typed, { answer, of, at }) {
    const right = parse(answer), names = namesIn(of, answer)
    const mine = parseFormula(typed, names, of)
    const compare = at => ({
      at, is: value(right, at), mine: value(mine, at), float32: value(mine, at, Math.fround),
    })
    const points = pointsOf(at, names)
    const compared = points.map(compare).filter(each => Number.isFinite(each.is))
    const finite = compared.filter(each => Number.isFinite(each.mine))
    // A right formula may overflow at large numbers, or divide 0 by 0.
    const isModerate = ({ at }) => Object.values(at).every(x => Math.abs(x) <= MODERATE)
    const counter = finite.find(each => !agrees(each.mine, each.is))
      ?? compared.find(each => !Number.isFinite(each.mine)
        && (isModerate(each) && !isLimit(mine, right, each) || 2 * finite.length < compared.length))
    if (counter) return { verdict: "wrong", says: `Wrong. ${differs(counter, counter.mine)}${hint(counter, finite, names)}` }
    const isLost = ({ is, float32 }) => Number.isFinite(Math.fround(is)) && !isNear(float32, Math.fround(is))
    // There the answer itself must be right in float32.
    const isFair = ({ at, is, mine }) => Number.isFinite(is)
      && isNear(value(right, at, Math.fround), Math.fround(is)) && (!Number.isFinite(mine) || agrees(mine, is))
    const lost = compared.find(isLost)
      ?? extremes(points, names).map(compare).find(each => isFair(each) && isLost(each))
    if (lost) return { verdict: "unstable", says: `Right, but unstable. ${
      differs(lost, lost.float32, Number.isFinite(lost.mine) ? " in float32" : "")}` }
    return { verdict: "right", says:
      `Right. It agrees with the answer at ${compared.length} points, in float64 and in float32.` }
  }

  function differs({ at, is }, mine, dtype = "") {
    const digits = shown(mine) === shown(is) ? 12 : 6
    return `${place(at)} yours gives ${shown(mine, digits)}${dtype}, but it should give ${shown(is, digits)}.`
  }

  function hint(counter, finite, names) {
    if (!finite.includes(counter)) return ""
    const missing = names.find(name => finite.every(({ at, mine, is }) => agrees(mine * at[name], is)))
    if (missing) return ` The factor ${missing} is missing.`
    const factor = counter.mine / counter.is
    return shown(factor) !== "1" && finite.every(({ mine, is }) => agrees(mine, factor * is))
      ? ` Everywhere it is ${shown(factor)} times the answer.` : ""
  }

  const leaves = node => node.kind === "list" ? node.of.flatMap(leaves) : [node]
  const isWord = ({ kind, name }) => kind === "name" && ![...Object.keys(CONSTANTS), "i", ...WORDS].includes(name.toLowerCase())
  const NUMERAL = String.raw`[-−+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?`
  const PRINTED = new RegExp(String.raw`^(?:[\s()\[\]]|(?<![\w.])(?:${NUMERAL}|[-−]?(?:nan|inf))(?![\w.]))+$`, "i")

  // The readings of what was typed for numbers: as Python, NumPy or people write them.
  function readings(typed, isList) {
    const text = bare(typed
      .replace(/(?:,\s*)?\b(?:shape\s*=\s*\([^)]*\)|dtype\s*=[^,)]*|numpy\s*=\s*)/g, blank)
      .replace(/<tf\.Tensor:|>\s*$/g, blank).replace(/\bminus\s/g, each => each.replace("minus", "    -"))
      .replace(/\b(?:tf\.(?:Tensor|constant)|np\.array|array|tensor|TensorShape)\s*(?=\()/gi, blank)
      .replace(/float\((["'])(.*?)\1\)/g, "$2").replace(/(\d)\s*%/g, "$1/100")
      .replace(/(?<=[\s,;(\[{]|^)[\p{L}_][\p{L}\p{M}\d_/]*\s*[:=](?!=)/gu, blank)
      .replace(/(?<=[\])])(?:[.^]?T|ᵀ|⊤)\s*$/u, blank).replace(/;(?=.)|\band\b/g, ","))
    if (isList) return [PRINTED.test(text) ? text.trim().replace(/(?<=[^\s(\[])\s+(?=[^\s)\]])/g, ", ") : text]
    const unit = new RegExp(String.raw`^(\s*(?:${NUMERAL}|${WORDS.join("|")}))\s+[a-z]{3,}[a-z\s]*$`, "i")
    const one = text.replace(unit, "$1")
    return [one,
      ...(/^\s*[-−+]?\d{1,3}(?:([ ,'’\u00a0\u2009\u202f])\d{3})(?:\1\d{3})*(?:\.\d+)?\s*$/.test(one)
        ? [one.replace(/(?<=\d)[ ,'’\u00a0\u2009\u202f](?=\d)/g, "")] : []),
      ...(/^\s*[-−+]?\d+,\d+\s*$/.test(one) ? [one.replace(",", ".")] : [])]
  }

  const RANKS = ["right", "close", "sign", "wrong"]

  function judgeValue(typed, { answer }) {
    const right = leaves(parse(answer))
    if (!typed.trim()) throw new Problem("Type an answer first.")
    if (right.length === 1 && isWord(right[0])) return judgeWord(typed, right[0].name)
    const several = right.length > 1
    const parsed = readings(typed, several).map(text => {
      try {
        return leaves(parse(text))
      } catch (problem) {
        return problem
      }
    })
    const fitting = parsed.filter(each => each.length === right.length)
    if (!fitting.length && parsed[0] instanceof Error) throw parsed[0]
    if (!fitting.length) throw new Problem(several
      ? `The answer has ${right.length} parts; this has ${parsed[0].length}. Separate them with commas.`
      : `The answer is one number; this is a list of ${parsed[0].length}.`)
    const judged = fitting.map(mine => right.map((is, k) => judgeLeaf(mine[k], is)))
      .map(verdicts => ({ verdicts, rank: Math.max(...verdicts.map(each => RANKS.indexOf(each))) }))
    const { verdicts } = judged.sort((a, b) => a.rank - b.rank)[0]
    const bad = verdicts.findIndex(each => each !== "right")
    if (bad < 0) return { verdict: "right", says: "Right." }
    const which = several ? ` Part ${bad + 1} differs.` : ""
    const says = {
      close: "Close. Give the answer with at least four digits.",
      sign: "Wrong: the sign.",
      wrong: "Wrong.",
    }[verdicts[bad]]
    return { verdict: "wrong", says: says + which }
  }

  // None, or NaN for each of two inputs: (NaN, NaN), np.nan, "all of them".
  function judgeWord(typed, word) {
    const text = readings(typed, true)[0]
    const words = text.toLowerCase().replace(/not a number/g, "nan")
      .match(/[\p{L}_][\p{L}\d_]*/gu)?.filter(each => each === word.toLowerCase() || !FILLERS.includes(each)) ?? []
    return words.length && !/(?<![\p{L}_])\d/u.test(text) && words.every(each => each === word.toLowerCase())
      ? { verdict: "right", says: "Right." } : { verdict: "wrong", says: "Wrong." }
  }

  function inDigits(node) {
    const digits = node.kind === "name" ? WORDS.indexOf(node.name.toLowerCase()) : -1
    return digits < 0 ? node : { kind: "number", value: digits }
  }

  function judgeLeaf(mine, is) {
    mine = inDigits(mine)
    is = inDigits(is)
    if (isWord(is)) return mine.name?.toLowerCase() === is.name.toLowerCase() ? "right" : "wrong"
    const other = namesOf(mine).find(each => each.name !== "i")
    if (other && ["nan", "none"].includes(other.name.toLowerCase())) return "wrong"
    if (other) throw new Problem(`“${other.token.text}” isn't known here. The answer is a number.`)
    // With the imaginary unit, both are sums of a real and an imaginary part.
    const [zero, one, two] = [0, 1, 2].map(i => value(mine, { i }))
    if (Math.abs(two - 2 * one + zero) > 1e-9 * (1 + Math.abs(one)))
      throw new Problem("Multiply it out, and write it as a + b i.")
    const pairs = [0, 1, 2].map(i => [value(mine, { i }), value(is, { i })])
    const within = (share, sign = 1) => pairs.every(([a, b]) => sign * a === b
      || Number.isFinite(b) && Math.abs(sign * a - b) <= (Number.isInteger(b) ? 1e-9 : share) * Math.abs(b))
    return within(1e-3) ? "right" : within(1e-2) ? "close" : within(1e-3, -1) ? "sign" : "wrong"
  }

  function judge(typed, exercise) {
    try {
      return exercise.of ? judgeFormula(typed, exercise) : judgeValue(typed, exercise)
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      return { verdict: "unread", says: problem.message }
    }
  }
  // For the tests: each point, and what the answer is there in both dtypes.
  function values({ answer, of, at }) {
    const formula = parse(answer)
    return pointsOf(at, namesIn(of, answer))
      .map(at => ({ at, is: value(formula, at), float32: value(formula, at, Math.fround) }))
  }
  globalThis.exercises = { judge, values }

  function element(name, attributes, ...children) {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  const listed = names => names.join(", ").replace(/, ([^,]*)$/, " and $1")

  // The question's bold first words, by which its form is known.
  function titleOf(fold) {
    let above = fold
    while ((above = above.previousElementSibling) && !/^H\d$/.test(above.tagName)) {
      const bold = above.matches("p") && above.querySelector("strong:first-child")
      if (bold) return bold.textContent.replace(/\.$/, "")
    }
    return "Exercise"
  }

  let count = 0
  for (const fold of document.querySelectorAll("details:has(.answer)")) {
    const fields = [...fold.querySelectorAll(".answer")].map(marked => {
      const { of, at, name } = marked.dataset
      const exercise = { answer: marked.textContent.split("=").at(-1), of, at }
      const input = element("input", {
        type: "text", id: `answer-${++count}`, autocomplete: "off", autocapitalize: "none",
        spellcheck: "false", enterkeyhint: "done",
      })
      const said = element("output", { for: input.id })
      const label = element("label", { for: input.id },
        (name ?? (of ? "Your formula" : "Your answer"))
        + (of ? `, a formula in ${listed(namesIn(of, exercise.answer))}` : ""))
      const check = () => {
        const { verdict, says } = judge(input.value, exercise)
        said.className = verdict
        said.textContent = says
        input.setAttribute("aria-invalid", String(verdict === "wrong" || verdict === "unread"))
        return verdict
      }
      input.addEventListener("input", () => {
        said.textContent = said.className = ""
        input.removeAttribute("aria-invalid")
      })
      return { check, input, parts: [label, input, said] }
    })
    const form = element("form", { class: "exercise", "aria-label": `Answer: ${titleOf(fold)}` },
      ...fields.flatMap(each => each.parts),
      element("button", { type: "submit" }, "Check"))
    form.addEventListener("submit", event => {
      event.preventDefault()
      const filled = fields.filter(each => each.input.value.trim())
      const wrong = (filled.length ? filled : fields.slice(0, 1))
        .filter(each => !["right", "unstable"].includes(each.check()))
      wrong[0]?.input.focus()
    })
    const hint = fold.previousElementSibling
    ;(hint?.matches("details:not(:has(.answer)).tip") ? hint : fold).before(form)
  }
}
