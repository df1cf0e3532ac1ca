// A reader moves a slider and sees what the program prints with that constant. Every
// output was printed by TensorFlow and recorded beside the program; nothing is computed
// here. Loaded when a reader asks for the inputs of a program.
{
  const NUMBER = /(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\b(?:nan|inf)\b/g
  const NUMBERS = String.raw`\[[^\[\]]*\]`
  const NAMED = new RegExp(
    String.raw`(?<![\w.])(upstream|local|downstream)(?:_[a-z0-9]{1,2})?`
    + String.raw`(?:(?: *= *| +)(?:${NUMBERS}|\[(?:\s*${NUMBERS})+\s*\]`
    + String.raw`|-?(?:\d[\w.+-]*|inf|nan)))?(?!\w)`, "g")

  function element(name, attributes, ...children) {
    const made = document.createElement(name)
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
        const blank = each => each.replace(NUMBER, "").replace(/\s+/g, " ")
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
    let step = 0

    function show() {
      const at = sliders.reduce(
        (sum, slider, k) => sum * inputs[k].stops.length + +slider.value, 0)
      code.replaceChildren(...rendered(printed[at], original))
      sliders.forEach((slider, k) => {
        const value = inputs[k].stops[slider.value]
        const isNew = +slider.value !== inputs[k].now
        shown[k].textContent = value
        slider.setAttribute("aria-valuetext", value)
        if (!marks[k]) return
        marks[k].textContent = value
        marks[k].classList.toggle("changed", isNew)
      })
      to(0)
    }

    // One line of the trace at a time; 0 for all of it.
    function to(line) {
      const lines = code.textContent.trimEnd().split("\n")
      step = line > lines.length ? 0 : line
      globalThis.pointAt(trace, step, lines.length)
      // A slider tells its value by itself.
      said.textContent = step ? `Line ${step} of ${lines.length}: ${lines[step - 1]}` : ""
      back.setAttribute("aria-disabled", String(!step))
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
    for (const slider of sliders) slider.addEventListener("input", show)
    const panel = element("div", { class: "inputs", role: "group", "aria-label": "Inputs" },
      ...sliders.map((slider, k) => element("label", {},
        element("code", {}, inputs[k].name), slider, shown[k])),
      element("p", { class: "steps" }, back, next, reset), said)
    trace.querySelector("pre").before(panel)
    show()
    sliders[0].focus()
    return panel
  }
}
