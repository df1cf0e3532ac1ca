// Show what a program prints for other values of its constants. TensorFlow printed every
// output, and the build recorded it, so nothing is computed here. The pictures draw the
// numbers of these outputs. Pages load this when a reader opens the inputs of a program.
{
  const NUMBER = /(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\b(?:nan|inf)\b/g
  const NUMBERS = String.raw`\[[^\[\]]*\]`
  const NAMED = new RegExp(
    String.raw`(?<![\w.])(upstream|local|downstream)(?:_[a-z0-9]{1,2})?`
    + String.raw`(?:(?: *= *| +)(?:${NUMBERS}|\[(?:\s*${NUMBERS})+\s*\]`
    + String.raw`|-?(?:\d[\w.+-]*|inf|nan)))?(?!\w)`, "g")

  const ERROR = /^(?:\w+\.)*\w*(?:Error|Exception)(?=:|$)/m
  const MARK = new RegExp(`[[\\]]|${NUMBER.source}`, "g")
  const SVG = "http://www.w3.org/2000/svg"
  const SIGNS = "●○■◇"
  const blank = line => line.replace(NUMBER, "").replace(/\s+/g, " ")

  function element(name, attributes, ...children) {
    const made = /^(svg|text|line)$/.test(name)
      ? document.createElementNS(SVG, name) : document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  // A trace in the colors of its names. What differs from what the page was built with
  // is marked: a number if its line is otherwise the same, or else the line.
  function rendered(text, original) {
    const lines = text.split("\n"), before = original.split("\n")
    const marks = []
    let start = 0
    lines.forEach((line, at) => {
      const old = before[at] ?? ""
      if (line !== old) {
        const numbers = [...line.matchAll(NUMBER)], olds = old.match(NUMBER) ?? []
        if (blank(line) === blank(old) && numbers.length === olds.length)
          numbers.forEach((number, k) => number[0] === olds[k]
            || marks.push([start + number.index, number[0].length]))
        else if (line) marks.push([start, line.length])
      }
      start += line.length + 1
    })
    const spans = [...text.matchAll(NAMED)].map(each => [each.index, each[0].length, each[1]])
    const marked = (from, to) => {
      const parts = []
      for (const [at, length] of marks) {
        const [left, right] = [Math.max(at, from), Math.min(at + length, to)]
        if (left >= right) continue
        parts.push(text.slice(from, left))
        parts.push(element("mark", { class: "changed" }, text.slice(left, right)))
        from = right
      }
      return [...parts, text.slice(from, to)]
    }
    const parts = []
    let from = 0
    for (const [at, length, name] of spans) {
      parts.push(...marked(from, at))
      parts.push(element("span", { class: name }, ...marked(at, at + length)))
      from = at + length
    }
    return [...parts, ...marked(from, text.length)]
  }

  // What a program printed before it failed.
  const before = text => text.slice(0, ERROR.exec(text)?.index)

  // What the numbers of each line are called: the words before a number, or the name of its
  // list and its place there. A list may go on in the next line.
  function namesOf(text) {
    let list = "", heading = "", places = []
    return text.split("\n").map((line, n) => {
      const names = [], counts = {}
      let from = 0, latest = heading || `line ${n + 1}`, isHeading = true
      const numbered = name => (counts[name] = (counts[name] ?? 0) + 1) > 1
        ? `${name} (${counts[name]})` : name
      if (/^[^\s[]/.test(line)) places = []
      for (const { 0: mark, index } of line.matchAll(MARK)) {
        const between = line.slice(from, index), isList = places.length > 0
        const words = between.match(/[\p{L}_][^=,:]*/u)?.[0]
          .replace(/-> *$|["(){}]|'(?!\w)|(?<!\w)'/g, " ").replace(/\s+/g, " ").trim()
        from = index + mark.length
        isHeading = false
        if (words) latest = words
        if (mark === "[") {
          if (!isList || words) list = numbered(latest)
          places.push(0)
        } else if (mark === "]") places.pop()
        else if (isList) names.push(words ? numbered(words) : `${list}[${places.join(", ")}]`)
        else {
          names.push(numbered(latest))
          if (/^\s*[:=]/.test(line.slice(from))) latest += ` ${mark}`
        }
        if (mark !== "[" && places.length) places.push(places.pop() + 1)
      }
      heading = isHeading ? line.match(/[\p{L}_][^=,:]*/u)?.[0].trim() : ""
      return names
    })
  }

  // The numbers of a line that change with an input, but not the input itself: the name of
  // each, how it is printed, and its value at every stop, or NaN where the line is another.
  function changing(outputs, names, line, stops, at) {
    const lines = outputs.map(text => text.split("\n")[line] ?? "")
    const own = lines[at], roles = [...own.matchAll(NAMED)]
    const all = lines.map(each => blank(each) === blank(own) ? each.match(NUMBER) ?? [] : [])
    return [...own.matchAll(NUMBER)].map(({ index }, k) => {
      const role = roles.find(each => each.index <= index && index < each.index + each[0].length)
      return { name: names[line][k], role: role?.[1] ?? "",
        printed: all.map(each => each[k]), values: all.map(each => +(each[k] ?? NaN)) }
    }).filter(({ values }) => new Set(values.filter(isFinite)).size > 1
      && values.some((y, k) => y !== +stops[k])).slice(0, SIGNS.length)
  }

  // Those numbers over the stops, a sign at each, and a cross where the program fails.
  function picture(rows, { name, stops }, at, failing) {
    const all = rows.flatMap(each => each.values).filter(isFinite)
    const [low, high] = [Math.min(...all), Math.max(...all)]
    const sizes = all.map(Math.abs).filter(Number).sort((a, b) => a - b)
    const middle = sizes[sizes.length >> 1], isWide = sizes.at(-1) > 20 * middle
    const scaled = y => isWide ? Math.asinh(y / middle) : y
    const up = y => `${86 - 78 * (scaled(y) - scaled(low)) / (scaled(high) - scaled(low))}%`
    const across = k => `${14 + 82 * k / (stops.length - 1)}%`
    const text = (x, y, said, kind) => element("text", { x, y, class: kind }, said)
    const line = (x1, y1, x2, y2) => element("line", { x1, y1, x2, y2 })
    const last = stops.length - 1
    const failed = stops.filter((_, k) => failing[k])
    const parts = rows.map(row => `${row.name} ${
      [0, at, last].map(k => `${row.values[k]} at ${stops[k]}`).join(", ")}`)
    if (failed.length) parts.push(`the program fails at ${failed.join(", ")}`)
    const svg = element("svg", { role: "img", "aria-label": `Over ${name}: ${parts.join("; ")}` },
      line(across(at), "4%", across(at), "90%"))
    const levels = !rows.length ? [] : low < 0 && high > 0 ? [low, 0, high] : [low, high]
    for (const y of levels) svg.append(text(0, up(y), +y.toPrecision(3), ""))
    if (levels[2]) svg.append(line(across(0), up(0), across(last), up(0)))
    for (const k of [0, last]) svg.append(text(across(k), "98%", stops[k], "stop"))
    const now = k => k === at ? "now" : ""
    rows.forEach(({ role, values }, sign) => values.forEach((y, k) => isFinite(y)
      && svg.append(text(across(k), up(y), SIGNS[sign], `sign ${role} ${now(k)}`))))
    failing.forEach((fails, k) => fails && svg.append(text(across(k), "90%", "×", `sign fails ${now(k)}`)))
    const key = rows.map((row, sign) =>
      element("span", { class: row.role }, `${SIGNS[sign]} ${row.name} = ${row.printed[at] ?? "–"}`))
    if (failed.length) key.push(element("span", { class: "fails" },
      `× error at ${failed.length} of ${stops.length} values`))
    return [svg, element("figcaption", {}, ...key.flatMap(each => [each, "\u2003"]),
      `over ${name}${isWide ? "; large numbers are drawn closer together" : ""}`)]
  }

  // The constants of the program, each in an element of its own.
  function constants(program, inputs) {
    const found = []
    const places = inputs.map(({ place }, k) => [...place, k])
    for (const [line, start, end, k] of places.sort((a, b) => b[1] - a[1])) {
      const range = program && globalThis.rangeOfLine(program, line, start, end)
      if (!range || range.toString() !== inputs[k].stops[inputs[k].now]) continue
      const mark = element("mark", { class: "input" }, range.toString())
      range.deleteContents()
      range.insertNode(mark)
      found[k] = mark
    }
    return found
  }

  globalThis.openInputs = (trace, program, { inputs, printed }) => {
    const code = trace.querySelector("pre code")
    const original = trace.builtText = code.textContent
    trace.endSteps = () => to(0)
    const marks = constants(program?.querySelector("code"), inputs)
    const said = element("p", { role: "status" })
    const sliders = inputs.map(({ name, stops, now }) => element("input", {
      type: "range", min: 0, max: stops.length - 1, step: 1, value: now, "aria-label": name,
    }))
    const shown = inputs.map(() => element("span", {}))
    let step = 0, moved = 0, chosen
    const index = values => values.reduce((sum, at, k) => sum * inputs[k].stops.length + at, 0)
    const line = element("select", { "aria-label": "Line in the picture" })
    const figure = element("figure", {})

    // The line of this step, or else the chosen one, over the slider that moved last.
    function draw() {
      const at = sliders.map(slider => +slider.value), { name, stops, now } = inputs[moved]
      const outputs = stops.map((_, stop) =>
        printed[index(at.map((value, k) => k === moved ? stop : value))])
      // A program that fails as it stands is meant to fail.
      const failing = outputs.map(text => ERROR.test(text) && !ERROR.test(original))
      const own = [at[moved], now, failing.indexOf(false)].find(k => failing[k] === false) ?? now
      const texts = outputs.map(before), names = namesOf(texts[own])
      const all = texts[own].trimEnd().split("\n").map((text, k) =>
        ({ text, rows: changing(texts, names, k, stops, own) }))
      const drawable = all.flatMap(({ rows }, k) => rows.length ? [k] : [])
      const inColor = drawable.filter(k => all[k].rows.some(({ role }) => role))
      const wanted = step ? step - 1
        : [chosen, inColor.at(-1), drawable.at(-1)].find(k => drawable.includes(k))
      line.replaceChildren(...drawable.map(k => element("option", { value: k },
        `Line ${k + 1}: ${all[k].text.replace(NUMBER, "…").slice(0, 40)}`)))
      line.value = wanted
      const isDrawn = drawable.includes(wanted)
      line.hidden = drawable.length < 2 || !isDrawn
      figure.hidden = !drawable.length && !failing.some(Boolean)
      figure.replaceChildren(...picture(isDrawn ? all[wanted].rows : [], inputs[moved], at[moved], failing))
      if (step && !isDrawn) figure.lastChild.prepend(`Line ${step} has no number that changes: `)
    }

    function show() {
      const at = index(sliders.map(slider => +slider.value))
      code.replaceChildren(...rendered(printed[at], original))
      sliders.forEach((slider, k) => {
        const value = inputs[k].stops[slider.value]
        const isNew = +slider.value !== inputs[k].now
        shown[k].textContent = value
        slider.ariaValueText = value
        if (!marks[k]) return
        marks[k].textContent = value
        marks[k].classList.toggle("changed", isNew)
      })
      to(0)
    }

    // What a slider doesn't tell by itself: that the program fails there.
    function failure() {
      const [type] = ERROR.test(original) ? [] : code.textContent.match(ERROR) ?? []
      return type ? `With this value the program fails: ${type.split(".").at(-1)}.` : ""
    }

    // One line of the trace at a time; 0 for all of it.
    function to(line) {
      const lines = code.textContent.trimEnd().split("\n")
      step = line > lines.length ? 0 : line
      globalThis.pointAt(trace, step, lines.length)
      said.textContent = step ? `Line ${step} of ${lines.length}: ${lines[step - 1]}` : failure()
      back.ariaDisabled = !step
      draw()
    }

    const next = element("button", { type: "button" }, "Next line")
    const back = element("button", { type: "button" }, "Previous line")
    const reset = element("button", { type: "button", class: "reset" }, "Reset")
    next.addEventListener("click", () => to(step + 1))
    back.addEventListener("click", () => step && to(step - 1))
    reset.addEventListener("click", () => {
      sliders.forEach((slider, k) => { slider.value = inputs[k].now })
      show()
    })
    sliders.forEach((slider, k) => slider.addEventListener("input", () => {
      moved = k
      show()
    }))
    line.addEventListener("change", () => {
      chosen = +line.value
      if (step) to(chosen + 1)
      else draw()
    })
    const panel = element("div", { class: "inputs", role: "group", "aria-label": "Inputs" },
      ...sliders.map((slider, k) => element("label", {},
        element("code", {}, inputs[k].name), slider, shown[k])), figure, line,
      element("p", { class: "steps" }, back, next, reset), said)
    trace.querySelector("pre").before(panel)
    show()
    sliders[0].focus()
    return panel
  }
}
