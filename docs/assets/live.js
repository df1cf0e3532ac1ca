// Show what a program prints for other values of its constants. TensorFlow printed every
// output, and the build recorded it, so nothing is computed here. The pictures draw the
// numbers of these outputs: plot.js. Pages load this when a reader comes near a program
// whose inputs are open, or opens them.
{
  const NUMBER = /(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|-?\b(?:nan|inf)\b/g
  const NUMBERS = String.raw`\[[^\[\]]*\]`
  const NAMED = new RegExp(
    String.raw`(?<![\w.])(upstream|local|downstream)(?:_[a-z0-9]{1,2})?`
    + String.raw`(?:(?: *= *| +)(?:${NUMBERS}|\[(?:\s*${NUMBERS})+\s*\]`
    + String.raw`|-?(?:\d[\w.+-]*|inf|nan)))?(?!\w)`, "g")

  const ERROR = /^(?:\w+\.)*\w*(?:Error|Exception)(?=:|$)/m
  const MARK = new RegExp(`[[\\]]|${NUMBER.source}`, "g")
  const SIGNS = "●○■◇"
  const blank = line => line.replace(NUMBER, "").replace(/\s+/g, " ")

  function element(name, attributes, ...children) {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  // A trace in the colors of its names. What differs from another text is marked: a number
  // if its line is otherwise the same, or else the line. A comparison also shows the other
  // number, which isn't part of the text.
  function rendered(text, original, isCompared) {
    const lines = text.split("\n"), before = original.split("\n")
    const marks = []
    let start = 0
    lines.forEach((line, at) => {
      const old = before[at] ?? ""
      if (line !== old) {
        const numbers = [...line.matchAll(NUMBER)], olds = old.match(NUMBER) ?? []
        if (blank(line) === blank(old) && numbers.length === olds.length)
          numbers.forEach((number, k) => number[0] === olds[k]
            || marks.push([start + number.index, number[0].length, olds[k]]))
        else if (line) marks.push([start, line.length, ""])
      }
      start += line.length + 1
    })
    const spans = [...text.matchAll(NAMED)].map(each => [each.index, each[0].length, each[1]])
    const marked = (from, to) => {
      const parts = []
      for (const [at, length, was] of marks) {
        const [left, right] = [Math.max(at, from), Math.min(at + length, to)]
        if (left >= right) continue
        parts.push(text.slice(from, left))
        parts.push(element("mark", { class: "changed", ...isCompared && was && { "data-was": was } },
          text.slice(left, right)))
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

  const lineOf = (text, line) => text.split("\n")[line] ?? ""
  const roleOf = (line, index, name) => [...line.matchAll(NAMED)].find(match =>
    match.index <= index && index < match.index + match[0].length)?.[1]
    ?? name.match(/^(upstream|local|downstream)/)?.[0] ?? ""

  // A row for each number of a line: its name, how it is printed in each of the lines with
  // the same words, and its value there, or NaN.
  function rowsOf(line, names, lines, oldLines) {
    const numbers = each => blank(each) === blank(line) ? each.match(NUMBER) ?? [] : []
    const [all, old] = [lines, oldLines].map(those => those?.map(numbers))
    return [...line.matchAll(NUMBER)].map(({ index }, k) => {
      const printed = all.map(each => each[k])
      return { name: names[k], role: roleOf(line, index, names[k]), place: k, printed,
        values: printed.map(word => +(word ?? NaN)), old: old?.map(each => +(each[k] ?? NaN)) }
    })
  }

  const varies = words => new Set(words.filter(Boolean).map(word => isFinite(word) ? +word : word)).size > 1

  // Those that change and aren't just the input; once, if several are the same.
  function changing(rows, xs) {
    const known = rows.filter(({ role, printed, values }) => varies(printed)
      && (role || values.some((y, k) => y !== +xs[k])))
    const same = row => known.find(({ role, printed }) =>
      role === row.role && `${printed}` === `${row.printed}`)
    return known.filter(row => same(row) === row).slice(0, SIGNS.length)
  }

  // The lines of a table: at least five, with the same words, whose first number increases.
  function tableOf(text) {
    const lines = text.trimEnd().split("\n")
    const first = line => +(line.match(NUMBER)?.[0] ?? NaN)
    for (let from = 0, to = 0; from < lines.length; from = to) {
      for (to = from + 1; to < lines.length && blank(lines[to]) === blank(lines[from])
        && first(lines[to]) > first(lines[to - 1]); to++);
      if (to - from >= 5 && lines[from].match(NUMBER)?.length > 1) return { from, to }
    }
    return null
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

  const opened = new Set()

  // The inputs of a program above its trace: sliders and fields, a picture, and steps.
  class Panel {
    constructor(trace, program, { inputs, printed }, { isOpen, quantity = "" }) {
      Object.assign(this, { trace, inputs, printed, isOpen, quantity, step: 0, moved: 0, places: [] })
      this.code = trace.querySelector("pre code")
      this.original = trace.builtText = this.code.textContent
      this.marks = constants(program?.querySelector("code"), inputs)
      this.at = inputs.map(({ now }) => now)
      trace.endSteps = () => this.to(0)
      if (isOpen) opened.add(this)
      this.build(trace.querySelector(".holds").dataset.program.split("/").at(-1))
      // The trace is as it was built, and a reader may point at it.
      this.place()
      this.tell("")
      this.draw()
    }

    build(file) {
      this.controls = this.inputs.map((input, k) => this.control(input, k))
      this.figure = element("figure", {})
      this.caption = element("figcaption", {})
      this.chosen = element("select", { "aria-label": "Line in the picture" })
      this.playing = button("Play", () => this.timer ? this.pause() : this.play(), "play")
      this.back = button("Previous line", () => this.step && this.to(this.step - 1))
      this.comparing = button("Compare", () => this.compare())
      const hasMotion = !matchMedia("(prefers-reduced-motion: reduce)").matches
      const next = button("Next line", () => this.to(this.step + 1))
      const reset = button("Reset", () => this.reset(), "reset")
      // A trace of one line has no steps.
      this.isLong = this.original.trimEnd().includes("\n")
      const formula = this.formula()
      this.hint = element("p", {}, "Go through the trace line by line: each line and what printed it are "
        + `marked together${formula.length ? ", and its factors in the formula" : ""}.`)
      this.said = element("p", { role: "status" })
      this.source = element("code", { class: "source" })
      this.node = element("div", { class: "inputs", role: "group", "aria-label": `Inputs of ${file}` },
        element("div", { class: "picture" }, this.chosen, this.figure),
        element("div", { class: "controls" }, ...formula, ...this.controls.map(({ node }) => node),
          element("p", { class: "steps" }, ...hasMotion && this.isLong ? [this.playing] : [],
            this.comparing, reset),
          ...this.isLong ? [element("p", { class: "steps" }, this.back, next)] : [],
          element("div", { class: "step" }, this.hint, this.said, this.source)))
      this.chosen.addEventListener("change", () => {
        this.wanted = +this.chosen.value
        if (this.step && this.wanted >= 0) this.to(this.wanted + 1)
        else this.draw()
      })
      for (const kind of ["pointerdown", "pointermove"])
        this.figure.addEventListener(kind, event => event.buttons & 1 && this.drag(event))
    }

    // A slider over the values, and a field in which one is typed.
    control({ name, stops }, k) {
      const slider = element("input", { type: "range", min: 0, max: stops.length - 1, "aria-label": name })
      const field = element("input", { type: "number", step: "any", "aria-label": `${name}, typed` })
      slider.addEventListener("input", () => this.choose(k, +slider.value))
      field.addEventListener("change", () => {
        const typed = field.value === "" ? +stops[this.at[k]] : +field.value
        const far = stops.map(stop => Math.abs(stop - typed)), stop = far.indexOf(Math.min(...far))
        this.choose(k, stop, !far[stop] ? ""
          : `${name} = ${field.value} wasn’t run; the nearest value is ${stops[stop]}.`)
      })
      return { slider, field, node: element("label", {}, element("code", {}, name), field, slider) }
    }

    // The formula whose factors the steps mark, if the panel is open from the beginning.
    formula() {
      const roles = ["upstream", "local", "downstream"].filter(role => this.code.querySelector(`.${role}`))
      const math = this.isOpen && roles.length && globalThis.formulaOf?.(this.trace, roles)
      return math ? [element("div", { class: "formula-copy", "aria-hidden": true }, math.cloneNode(true))] : []
    }

    text(at) {
      return this.printed[at.reduce((sum, stop, k) => sum * this.inputs[k].stops.length + stop, 0)]
    }

    // The reader's hand moves one input, and the same one of other open panels.
    choose(k, stop, note = "") {
      const { name, stops } = this.inputs[k]
      for (const panel of this.isOpen ? opened : [this]) {
        const own = panel.inputs.findIndex(each => each.name === name && `${each.stops}` === `${stops}`)
        if (own < 0) continue
        panel.at[own] = stop
        panel.moved = own
        panel.show(panel === this ? note : "")
      }
    }

    reset() {
      this.kept = null
      this.inputs.forEach(({ now }, k) => this.choose(k, now))
    }

    compare() {
      this.kept = this.kept ? null : { at: [...this.at], text: this.text(this.at) }
      this.show(this.kept ? `${this.setting(this.at)} is kept; now change a value.` : "")
    }

    setting(at) {
      return this.inputs.map(({ name, stops }, k) => `${name} = ${stops[at[k]]}`).join(", ")
    }

    show(note) {
      this.code.replaceChildren(...rendered(this.text(this.at), this.kept?.text ?? this.original, this.kept))
      this.place()
      this.to(0, note)
    }

    // All controls, and the constants of the program, at the values of now.
    place() {
      this.comparing.ariaPressed = !!this.kept
      this.inputs.forEach(({ stops, now }, k) => {
        const value = stops[this.at[k]], { slider, field } = this.controls[k], mark = this.marks[k]
        slider.value = this.at[k]
        slider.ariaValueText = field.value = value
        if (!mark) return
        mark.textContent = value
        mark.classList.toggle("changed", this.at[k] !== now)
      })
    }

    tell(words) {
      this.said.textContent = words
      this.hint.hidden = !this.isLong || !!words
      this.back.ariaDisabled = !this.step
    }

    // What a slider doesn't tell by itself: that the program fails there.
    failure() {
      const [type] = ERROR.test(this.original) ? [] : this.code.textContent.match(ERROR) ?? []
      return type ? `With this value the program fails: ${type.split(".").at(-1)}.` : ""
    }

    // One line of the trace at a time, with what printed it; 0 for all of it.
    async to(line, note = "") {
      const lines = this.code.textContent.trimEnd().split("\n")
      this.pause()
      const step = this.step = line > lines.length ? 0 : line
      globalThis.pointAt(this.trace, step, lines.length)
      this.tell(step ? `Line ${step} of ${lines.length}: ${lines[step - 1]}` : note || this.failure())
      this.source.replaceChildren()
      this.draw()
      const printing = step ? await globalThis.printing(this.trace, step) : []
      if (step === this.step)
        this.source.replaceChildren(...printing.flatMap(range => [" ", range.cloneContents()]))
    }

    // The backward pass, and what comes before it, one call after the other.
    play() {
      const lines = this.code.textContent.trimEnd().split("\n")
      this.to(this.step < lines.length ? this.step + 1 : 1)
      if (this.step === lines.length) return
      const pause = lines[this.step - 1].match(NAMED) ? 2400 : 1400
      this.timer = setTimeout(() => this.play(), pause)
      this.playing.textContent = "Pause"
    }

    pause() {
      clearTimeout(this.timer)
      this.timer = 0
      this.playing.textContent = "Play"
    }

    drag({ clientX }) {
      const { left, width } = this.figure.querySelector("svg").getBoundingClientRect()
      const far = this.places.map(place => Math.abs(place - (clientX - left) / width))
      const stop = far.indexOf(Math.min(...far))
      if (far.length && stop !== this.at[this.moved]) this.choose(this.moved, stop)
    }

    // A table of this output, or the line of this step, or else the chosen one, over the
    // input that moved last.
    draw() {
      const { moved, at, step, wanted } = this, { stops, now } = this.inputs[moved]
      const over = setting => stops.map((_, stop) => this.text(setting.with(moved, stop)))
      const outputs = over(at)
      // A program that fails as it stands is meant to fail.
      const failing = outputs.map(text => ERROR.test(text) && !ERROR.test(this.original))
      const own = [at[moved], now, failing.indexOf(false)].find(k => failing[k] === false) ?? now
      const texts = outputs.map(before)
      const isMoved = this.kept?.at.some((stop, k) => k !== moved && stop !== at[k])
      const old = isMoved ? over(this.kept.at).map(before) : null
      const names = namesOf(texts[own]), lines = texts[own].trimEnd().split("\n")
      const drawable = lines.map((line, k) => changing(rowsOf(line, names[k],
        texts.map(text => lineOf(text, k)), old?.map(text => lineOf(text, k))), stops)
        .filter(({ name }) => name.startsWith(this.quantity)))
      const table = tableOf(texts[at[moved]]), columns = namesOf(texts[at[moved]])[table?.from]
      const choices = [...table ? [-1] : [], ...lines.keys()].filter(k => k < 0 || drawable[k].length)
      const inColor = choices.findLast(k => drawable[k]?.some(({ role }) => role))
      const isInTable = table && step > table.from && step <= table.to && !(wanted >= 0)
      const line = step ? isInTable ? -1 : step - 1
        : [wanted, table ? -1 : inColor, choices.at(-1)].find(k => choices.includes(k))
      const title = k => k < 0 ? `Lines ${table.from + 1} to ${table.to}, over ${columns[0]}`
        : `Line ${k + 1}: ${lines[k].replace(NUMBER, "…").slice(0, 40)}`
      this.chosen.replaceChildren(...choices.map(k => element("option", { value: k }, title(k))))
      this.chosen.value = line
      this.chosen.hidden = choices.length < 2
      this.figure.hidden = !choices.length && !failing.some(Boolean)
      if (line === -1) this.drawTable(table, texts, columns)
      else this.drawLine(line, drawable[line] ?? [], failing)
    }

    drawLine(line, rows, failing) {
      const { name, stops } = this.inputs[this.moved], at = this.at[this.moved]
      const kept = this.kept?.at[this.moved] ?? -1, last = stops.length - 1
      const words = rows.map(row => `${row.name} ${
        [0, at, last].map(k => `${row.values[k]} at ${stops[k]}`).join(", ")}`)
      const count = failing.filter(Boolean).length
      if (count) words.push(`the program fails at ${stops.filter((_, k) => failing[k]).join(", ")}`)
      this.put({ xs: stops, xName: name, isEven: stops.some(stop => !isFinite(stop)), rows, at, before: kept,
        failing, words: `Over ${name}: ${words.join("; ")}`, yName: joined(rows, `numbers of line ${line + 1}`),
        all: rows.flatMap(({ values, old }) => [...values, ...old ?? []]).filter(isFinite) },
      rows.map(row => ({ row, now: row.printed[at], was: this.kept
        && lineOf(this.kept.text, line).match(NUMBER)?.[row.place] })),
      rows.length ? `at ${name} = ${stops[at]}`
        : this.step ? `Line ${this.step} has no number that changes` : "",
      count && `× error at ${count} of ${stops.length} values`)
    }

    drawTable({ from, to }, texts, names) {
      const cut = text => text.split("\n").slice(from, to), lines = cut(this.text(this.at))
      const rows = rowsOf(lines[0], names, lines, this.kept && cut(this.kept.text))
      const everywhere = [...texts, ...this.kept ? [this.kept.text] : []].map(text =>
        rowsOf(lines[0], names, cut(text)))
      const xs = rows[0].printed, drawn = rows.slice(1).filter(({ name }) => name.startsWith(this.quantity))
        .slice(0, SIGNS.length)
      const at = this.step ? this.step - 1 - from : -1, shown = at < 0 ? xs.length - 1 : at
      const words = drawn.map(row => `${row.name} ${
        [0, shown, xs.length - 1].map(k => `${row.values[k]} at ${xs[k]}`).join(", ")}`)
      this.put({ xs, xName: names[0], rows: drawn, at, before: -1, failing: [],
        words: `Over ${names[0]}: ${words.join("; ")}`, yName: joined(drawn, "numbers of the table"),
        all: drawn.flatMap(({ place }) => everywhere.flatMap(each => each[place].values)).filter(isFinite) },
      drawn.map(row => ({ row, now: row.printed[shown], was: row.old && lineOf(this.kept.text, from + shown)
        .match(NUMBER)?.[row.place] })), `at ${names[0]} ${xs[shown]}, with ${this.setting(this.at)}`)
      this.places = []
    }

    // A picture, and its numbers in words.
    put(picture, numbers, where, failure) {
      const { svg, places } = globalThis.plot(picture)
      this.places = places
      const key = numbers.map(({ row, now, was }, sign) => element("span", { class: row.role },
        `${SIGNS[sign]} ${row.name} = ${now ?? "–"}`, was ? `, was ${was}` : ""))
      if (failure) key.push(element("span", { class: "fails" }, failure))
      if (where) key.splice(numbers.length, 0, where)
      this.caption.replaceChildren(...key.flatMap(each => [each, "\u2003"]))
      this.figure.replaceChildren(svg, this.caption)
    }
  }

  const joined = (rows, otherwise) => {
    const names = rows.map(({ name }) => name).join(", ")
    return names.length <= 30 ? names : otherwise
  }

  // A long formula in smaller letters, because nothing there scrolls.
  function fit(box) {
    const share = box ? box.clientWidth / box.scrollWidth : 1
    if (share < 1) box.style.fontSize = `${Math.max(share, 0.5) * parseFloat(getComputedStyle(box).fontSize)}px`
  }

  function button(text, action, kind = "") {
    const made = element("button", { type: "button", class: kind }, text)
    made.addEventListener("click", action)
    return made
  }

  globalThis.openInputs = (trace, program, known, slot) => {
    const { node, controls } = new Panel(trace, program, known,
      { isOpen: !!slot, quantity: slot?.dataset.plot })
    if (slot) {
      slot.replaceChildren(node)
      fit(node.querySelector(".formula-copy"))
    } else {
      trace.querySelector("pre").before(element("div", { class: "live" }, node))
      controls[0].slider.focus()
    }
    return node
  }
}
