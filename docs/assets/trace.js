// Who points at a line of a trace sees the line of the program that printed it, and
// the factors of its names in the formulas. A click or the caret of the keyboard does
// as well. Which line printed which comes from the engine, when it is asked for.
if (globalThis.CSS?.highlights) {
  const source = new URL("lines.js", document.currentScript.src)
  const shown = new Highlight()
  CSS.highlights.set("pointed", shown)

  let known
  const lines = () => known ??= new Promise(got => {
    const script = document.createElement("script")
    script.src = source
    script.onload = () => got(globalThis.printedBy ?? {})
    script.onerror = () => got({})
    document.head.append(script)
  })

  // The range of a line, from 1, without its end.
  function range(code, number) {
    const text = code.textContent.split("\n")
    if (number > text.length) return null
    const start = text.slice(0, number - 1).join("\n").length + (number > 1)
    const found = new Range()
    let [left, end] = [start, text[number - 1].length]
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

  function lineAt(code, node, offset) {
    const before = new Range()
    before.setStart(code, 0)
    before.setEnd(node, offset)
    return before.toString().split("\n").length
  }

  // The line of the program that printed one of its trace.
  async function printing(trace, number) {
    const name = trace.querySelector(".holds")?.dataset.program
    const line = name && (await lines())[name]?.[number - 1]
    const blocks = [...document.querySelectorAll(".md-content .highlight")]
    const program = blocks.slice(0, blocks.indexOf(trace))
      .findLast(each => each.matches(".language-python:has(> .filename)"))
    return line && program ? range(program.querySelector("code"), line) : null
  }

  let pointed = { trace: null, number: 0 }
  async function point(node, offset) {
    const trace = node?.parentElement?.closest(".language-text:has(> .holds)") ?? null
    const code = trace?.querySelector("code")
    const number = code?.contains(node) ? lineAt(code, node, offset) : 0
    if (trace === pointed.trace && number === pointed.number) return
    const now = pointed = { trace, number }
    const own = number ? range(code, number) : null
    const by = own && await printing(trace, number)
    if (now !== pointed) return
    shown.clear()
    for (const each of [own, by]) if (each) shown.add(each)
    document.body.dataset.pointed = ["upstream", "local", "downstream"]
      .filter(role => own && [...code.querySelectorAll(`.${role}`)]
        .some(each => own.intersectsNode(each))).join(" ")
  }

  function at({ clientX, clientY }) {
    if (document.caretPositionFromPoint) {
      const place = document.caretPositionFromPoint(clientX, clientY)
      return [place?.offsetNode, place?.offset]
    }
    const place = document.caretRangeFromPoint(clientX, clientY)
    return [place?.startContainer, place?.startOffset]
  }
  for (const kind of ["pointermove", "pointerdown"])
    document.addEventListener(kind, event => point(...at(event)), { passive: true })
  document.addEventListener("selectionchange", () => {
    const { focusNode, focusOffset } = getSelection()
    if (focusNode?.parentElement?.closest(".language-text")) point(focusNode, focusOffset)
  })
}
