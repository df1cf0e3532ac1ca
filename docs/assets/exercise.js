// A reader types an answer and learns whether it is right. What the answer is stands in
// the fold below, in an element of the class "answer": a number, a list or a name; or,
// with data-of, a formula of the derivative of that function, which is compared at the
// points of data-at in float64 and in float32. Loaded where a page has such an answer.
{
  const FUNCTIONS = { __proto__: null,
    abs: Math.abs, cos: Math.cos, cosh: Math.cosh, exp: Math.exp, expm1: Math.expm1,
    log: Math.log, log1p: Math.log1p, max: Math.max, maximum: Math.max, min: Math.min,
    minimum: Math.min, sigmoid: x => x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)),
    sign: Math.sign, sin: Math.sin, sinh: Math.sinh, sqrt: Math.sqrt, square: x => x * x,
    tan: Math.tan, tanh: Math.tanh,
  }
  const ALIASES = { __proto__: null, ln: "log", sigma: "sigmoid", σ: "sigmoid", θ: "theta", β: "beta", ε: "epsilon", j: "i" }
  const OF_TWO = ["max", "maximum", "min", "minimum"]
  const CONSTANTS = { __proto__: null, e: Math.E, pi: Math.PI, π: Math.PI }
  const OPERATORS = { __proto__: null,
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
    "^": (a, b) => a ** b,
  }
  const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"]
  const PARTS = { __proto__: null, "½": 0.5, "¼": 0.25, "¾": 0.75 }
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
  const SAME = { __proto__: null, "−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "∗": "*", "÷": "/", "**": "^", "[": "(", "]": ")" }
  const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?)|((?:[\p{L}_][\p{L}\d_]*\.)*[\p{L}_][\p{L}\d_]*)|([⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\*\*|\S))/uy
  const POINTS = [0, 1, -1, 0.5, 2, -3, -0.25, 7]
  const UPSTREAM = [1, -2]
  const MOST_POINTS = 2000
  const MODERATE = 7

  class Problem extends Error {}

  function tokens(text) {
    const found = []
    TOKEN.lastIndex = 0
    for (let token; (token = TOKEN.exec(text));) {
      const [whole, number, name, raised, sign] = token
      const at = token.index + whole.search(/\S/)
      if (number) found.push({ kind: "number", text: number, value: +number.replace("−", "-"), at })
      else if (name) found.push({ kind: "name", text: name.replace(/^(?:tf\.(?:math|nn)|tf|np|math)\./, ""), at })
      else if (raised) found.push({ kind: "raised", text: raised, at,
        value: +[...raised].map(digit => RAISED.indexOf(digit)).join("") })
      else if (sign in PARTS) found.push({ kind: "number", text: sign, value: PARTS[sign], at })
      else found.push({ kind: SAME[sign] ?? sign, text: sign, at })
    }
    return found
  }

  // A tree of what was typed. A list is a node of the kind "list".
  function parse(text) {
    const all = tokens(text)
    let next = 0
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
      const items = [sum()]
      // Python's (3,) is a list of one.
      while (takes(",")) if (seen().kind !== ")") items.push(sum())
      if (close && !takes(close)) fail("a closing parenthesis or an operator is missing")
      return items
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
        } else if (["number", "name", "("].includes(sign.kind)) {
          if (sign.kind === "number") fail("before it stands no operator; separate a list with commas")
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
      const base = atom(), sign = seen()
      if (takes("raised"))
        return { kind: "^", of: [single(base, sign), { kind: "number", value: sign.value }] }
      return takes("^") ? { kind: "^", of: [single(base, sign), single(unary(), sign)] } : base
    }
    function atom() {
      const token = seen()
      if (takes("number")) return { kind: "number", value: token.value }
      if (takes("name")) {
        const name = ALIASES[token.text] ?? token.text
        if (!(name in FUNCTIONS)) return { kind: "name", name, token }
        if (!takes("(")) fail(`write its argument in parentheses, ${token.text}(…)`, token)
        const of = list(")"), count = OF_TWO.includes(name) ? 2 : 1
        if (of.length !== count) fail(`it takes ${count === 2 ? "two arguments" : "one argument"}`, token)
        return { kind: "call", name, of: of.map(each => single(each, token)) }
      }
      if (takes("(")) {
        const items = list(")")
        return items.length > 1 ? { kind: "list", of: items } : items[0]
      }
      if (token.kind === "|") fail("write abs(…)")
      return fail(token.kind === "end" ? "here a number, a name or a parenthesis is missing"
        : token.kind === ")" ? "no parenthesis is open, or it is empty"
        : "here should stand a number, a name or a parenthesis")
    }

    const equals = all.find(each => each.kind === "=")
    if (equals) fail("type only what stands to the right of it", equals)
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

  function judgeFormula(typed, { answer, of, at }) {
    const right = parse(answer), mine = parse(typed), names = namesIn(of, answer)
    if (mine.kind === "list") throw new Problem("This is a list. Type one formula.")
    const other = namesOf(mine).find(each => !names.includes(each.name))
    if (other) {
      const product = other.name.length > 1 && [...other.name].every(each => names.includes(each))
      const called = Object.keys(FUNCTIONS).flatMap(each => names.map(name => [each, name]))
        .find(each => each.join("") === other.name)
      throw new Problem(called ? `“${other.name}” is one name. Write ${called[0]}(${called[1]}).` : product
        ? `“${other.name}” is one name. For the product write ${[...other.name].join(" * ")}.`
        : `“${other.token.text}” isn't known here. The formula has ${names.join(", ")}, and functions such as ${
          of.match(/\w+(?=\()/)?.[0] ?? "exp"}(${names[0]}).`)
    }
    const compared = pointsOf(at, names).map(at => ({
      at, is: value(right, at), mine: value(mine, at), float32: value(mine, at, Math.fround),
    })).filter(each => Number.isFinite(each.is))
    const agrees = (a, b) => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b))
    const finite = compared.filter(each => Number.isFinite(each.mine))
    // Zero and large numbers are where a right formula may overflow, or divide 0 by 0.
    const moderate = ({ at }) => Object.values(at).every(x => x && Math.abs(x) <= MODERATE)
    const counter = finite.find(each => !agrees(each.mine, each.is))
      ?? compared.find(each => !Number.isFinite(each.mine) && (moderate(each) || 2 * finite.length < compared.length))
    if (counter) {
      const factor = counter.mine / counter.is
      const missing = names.find(name => finite.every(each => agrees(each.mine * each.at[name], each.is)))
      const more = !finite.includes(counter) ? "" : missing ? ` The factor ${missing} is missing.`
        : finite.every(each => agrees(each.mine, factor * each.is)) && shown(factor) !== "1"
          ? ` Everywhere it is ${shown(factor)} times the answer.` : ""
      const digits = shown(counter.mine) === shown(counter.is) ? 12 : 6
      return { verdict: "wrong", says: `Wrong. ${place(counter.at)} yours gives ${
        shown(counter.mine, digits)}, but it should give ${shown(counter.is, digits)}.${more}` }
    }
    const loses = compared.find(({ is, float32 }) => {
      const exact = Math.fround(is)
      return Number.isFinite(exact)
        && !(Math.abs(float32 - exact) <= (exact ? 1e-3 * Math.abs(exact) : 1e-6))
    })
    if (loses) return { verdict: "unstable", says:
      `Right, but unstable. ${place(loses.at)} yours gives ${shown(loses.float32)}${Number.isFinite(loses.mine) ? " in float32" : ""}, but it should give ${shown(loses.is)}.` }
    return { verdict: "right", says:
      `Right. It agrees with the answer at ${compared.length} points, in float64 and in float32.` }
  }

  const leaves = node => node.kind === "list" ? node.of.flatMap(leaves) : [node]

  function judgeValue(typed, { answer }) {
    const right = leaves(parse(answer)), mine = leaves(parse(typed))
    const several = right.length > 1
    if (right.length !== mine.length) throw new Problem(several
      ? `The answer has ${right.length} parts; this has ${mine.length}. Separate them with commas.`
      : "The answer has one part. Write a decimal with a point.")
    const verdicts = right.map((is, k) => judgeLeaf(mine[k], is))
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

  function inDigits(node) {
    const digits = node.kind === "name" ? WORDS.indexOf(node.name.toLowerCase()) : -1
    return digits < 0 ? node : { kind: "number", value: digits }
  }

  function judgeLeaf(mine, is) {
    mine = inDigits(mine)
    is = inDigits(is)
    const named = node => node.kind === "name" && node.name !== "i" && node.name
    if (named(is) || named(mine) && !(mine.name in CONSTANTS))
      return named(mine) && named(is) && mine.name.toLowerCase() === is.name.toLowerCase() ? "right" : "wrong"
    const other = namesOf(mine).find(each => each.name !== "i")
    if (other) throw new Problem(`“${other.token.text}” isn't known here. The answer is a number.`)
    // With the imaginary unit, both are sums of a real and an imaginary part.
    const [zero, one, two] = [0, 1, 2].map(i => value(mine, { i }))
    if (Math.abs(two - 2 * one + zero) > 1e-9 * (1 + Math.abs(one)))
      throw new Problem("Multiply it out, and write it as a + b i.")
    const pairs = [0, 1, 2].map(i => [value(mine, { i }), value(is, { i })])
    const within = (share, sign = 1) => pairs.every(([a, b]) =>
      Math.abs(sign * a - b) <= (Number.isInteger(b) ? 1e-9 : share) * Math.abs(b))
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
