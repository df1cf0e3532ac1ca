// Who points at a line of a trace sees the line of the program that printed it, and
// the factors of its names in the formulas. A click or the caret of the keyboard does
// as well. Which line printed which comes from the engine, when it is asked for. So do
// the inputs that a reader may change, which are open on some traces. On a page with
// answers, exercise.js judges them, where a table has a filter, filter.js makes its
// field, and recall.js brings a formula
// that is out of sight.
{
  const here = document.currentScript.src
  const asked = {}
  // A script of the site, once; from a file, too, where nothing can be fetched.
  const load = address => asked[address] ??= new Promise(got => {
    const script = document.createElement("script")
    script.src = Object.assign(new URL(address, here), { search: new URL(here).search })
    script.onload = script.onerror = got
    document.head.append(script)
  })

  if (document.querySelector("details .answer")) load("exercise.js")
  if (document.querySelector(".filter")) load("filter.js")

  // The range of columns of a line, from 1, without its end.
  function range(code, number, from = 0, to = Infinity) {
    const text = code.textContent.split("\n")
    if (number > text.length) return null
    const start = text.slice(0, number - 1).join("\n").length + (number > 1)
    const found = new Range()
    let left = start + from, end = Math.min(to, text[number - 1].length) - from
    const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let begun = false; walk.nextNode();) {
      const { data } = walk.currentNode
      if (!begun && left <= data.length) {
        found.setStart(walk.currentNode, left)
        begun = true
        end += left
      }
      if (begun && end <= data.length) {
        found.setEnd(walk.currentNode, end)
        return found
      }
      if (begun) end -= data.length
      else left -= data.length
    }
    return null
  }
  globalThis.rangeOfLine = range

  function lineAt(code, node, offset) {
    const before = new Range()
    before.setStart(code, 0)
    before.setEnd(node, offset)
    return before.toString().split("\n").length
  }

  // A line without its numbers.
  const words = line => line.replace(/-?\d[\w.+-]*|-?\b(?:nan|inf)\b|\s+/g, "")

  function programOf(trace) {
    const blocks = [...document.querySelectorAll(".md-content .highlight")]
    return blocks.slice(0, blocks.indexOf(trace))
      .findLast(each => each.matches(".language-python:has(> .filename)"))
  }

  // The lines of the statement that begins in a line, as ranges: all until its brackets
  // are closed, but for those in strings.
  function statement(code, number) {
    const lines = code.textContent.split("\n")
    const ranges = []
    let open = 0
    for (let at = number; at <= lines.length; at++) {
      ranges.push(range(code, at))
      const bare = lines[at - 1].replace(/"[^"]*"|'[^']*'/g, "")
      open += bare.split(/[([{]/).length - bare.split(/[)\]}]/).length
      if (open <= 0) break
    }
    return ranges
  }

  // What of the program printed a line of its trace. With other inputs the trace may
  // have other lines: of those nobody knows.
  async function printing(trace, number) {
    const name = trace.querySelector(".holds")?.dataset.program
    await load("lines.js")
    const by = globalThis.printedBy?.[name]
    const now = trace.querySelector("pre code").textContent.split("\n")
    const built = trace.builtText?.split("\n") ?? now
    const same = now.length === built.length && words(now[number - 1]) === words(built[number - 1])
    const line = same && by?.[number - 1]
    const program = programOf(trace)
    return line && program ? statement(program.querySelector("code"), line) : []
  }

  const [shown, later] = globalThis.CSS?.highlights
    ? ["pointed", "later"].map(name => {
        const made = new Highlight()
        CSS.highlights.set(name, made)
        return made
      })
    : [new Set(), new Set()]
  globalThis.printing = printing
  let pointed = {}, stepped = null
  async function point(trace, number) {
    if (trace === pointed.trace && number === pointed.number) return
    const now = pointed = { trace, number }
    const code = trace?.querySelector("pre code")
    const own = number ? range(code, number) : null
    const by = own ? await printing(trace, number) : []
    if (now !== pointed) return
    shown.clear()
    for (const each of own ? [own, ...by] : []) shown.add(each)
    const roles = ["upstream", "local", "downstream"]
      .filter(role => own && [...code.querySelectorAll(`.${role}`)]
        .some(each => own.intersectsNode(each)))
    document.body.dataset.pointed = roles.join(" ")
    if (roles.length) await load("recall.js")
    if (now === pointed) globalThis.recall?.(trace, own, roles)
  }

  // One line of a trace, and the lines after it pale; 0 for all of it.
  globalThis.pointAt = (trace, number, count) => {
    if (stepped && stepped.trace !== trace && number) stepped.trace.endSteps()
    if (number || stepped?.trace === trace) stepped = number ? { trace, number } : null
    else if (stepped) return
    const code = trace.querySelector("pre code")
    later.clear()
    for (let line = number + 1; number && line <= count; line++) later.add(range(code, line))
    pointed = {}
    point(trace, number)
  }

  function pointTo(node, offset) {
    const trace = node?.parentElement?.closest(".language-text:has(> .holds)") ?? null
    const code = trace?.querySelector("pre code")
    if (code?.contains(node)) point(trace, lineAt(code, node, offset))
    else point(stepped?.trace ?? trace, stepped?.number ?? 0)
  }
  function at({ clientX: x, clientY: y }) {
    const place = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y)
    return [place?.offsetNode ?? place?.startContainer, place?.offset ?? place?.startOffset]
  }
  for (const kind of ["pointermove", "pointerdown"])
    document.addEventListener(kind, event => pointTo(...at(event)), { passive: true })
  document.addEventListener("selectionchange", () => {
    const { focusNode, focusOffset } = getSelection()
    if (focusNode?.parentElement?.closest(".language-text")) pointTo(focusNode, focusOffset)
  })

  // A stop of the keyboard for each trace; its arrows go from line to line. The first
  // one says what its lines do.
  const traces = [...document.querySelectorAll(".language-text:has(> .holds)")]
  for (const trace of traces) {
    const lines = trace.querySelector("pre")
    Object.assign(lines, { tabIndex: 0, role: "group",
      ariaLabel: "Output: the arrow keys mark a line and what printed it" })
    lines.addEventListener("keydown", event => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      const count = lines.textContent.trimEnd().split("\n").length
      const from = pointed.trace === trace ? pointed.number : 0
      point(trace, Math.max(1, Math.min(count, from + step)))
    })
    lines.addEventListener("blur", () => pointTo(null))
  }
  if (globalThis.CSS?.highlights)
    traces.find(trace => !trace.closest("details"))?.querySelector(".filename").insertAdjacentHTML("beforeend",
      '<span class="hint">point at a line to see what printed it</span>')

  // The panel of a trace, or of a figure; null if something can't be loaded.
  async function open(its, place, slot) {
    const { program, live } = its.dataset, isFigure = its.matches("img")
    const scripts = isFigure ? ["figure.js"] : ["recall.js", "plot.js", "live.js"]
    await Promise.all([...scripts, live].map(load))
    const known = globalThis.live?.[program]
    const make = isFigure ? globalThis.openFigure : globalThis.plot && globalThis.openInputs
    return known && make ? make(its.parentElement, place, known, slot) : null
  }

  // A panel that is open from the beginning is made when a reader comes near.
  const nearby = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) {
      nearby.unobserve(target)
      const slot = target.querySelector(".live")
      open(target.querySelector(".holds"), programOf(target), slot)
        .then(panel => panel ?? slot.append("The inputs can't be loaded."))
    }
  }, { rootMargin: "800px" })

  // Any other, below a figure or on a trace, when a reader asks for it.
  const ICON = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1 4h5m4 0h5M1 12h1m4 0h9"/>'
    + '<circle cx="8" cy="4" r="2"/><circle cx="4" cy="12" r="2"/></svg>'
  for (const its of document.querySelectorAll("[data-live]")) {
    const box = its.parentElement, isFigure = its.matches("img")
    const what = isFigure ? "picture" : "inputs"
    if (box.querySelector(".live")) {
      nearby.observe(box)
      continue
    }
    const button = Object.assign(document.createElement("button"), {
      className: "change", innerHTML: `${ICON}Change the ${what}`, ariaExpanded: false,
      ariaLabel: `Change the ${what} of ${its.dataset.program.split("/").at(-1)}`,
    })
    if (isFigure) box.after(button)
    else box.querySelector(".filename").append(button)
    let panel
    button.addEventListener("click", async () => {
      if (!panel) {
        button.disabled = true
        panel = await open(its, isFigure ? button : programOf(box))
        button.disabled = false
        if (!panel) {
          button.textContent = "The inputs can't be loaded"
          button.ariaLabel = null
          return
        }
      } else if (panel.hidden) panel.hidden = false
      else {
        panel.querySelector(".reset").click()
        panel.hidden = true
      }
      button.ariaExpanded = !panel.hidden
    })
  }
}
