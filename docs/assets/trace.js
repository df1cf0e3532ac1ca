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

  // The program whose trace this is, and the number of the line that printed one.
  async function printing(block, number) {
    const blocks = [...document.querySelectorAll(".highlight")]
    const program = blocks.slice(0, blocks.indexOf(block)).findLast(each =>
      each.matches(".language-python") && each.querySelector(":scope > .filename"))
    if (!program) return null
    const page = new URL("./", location).pathname
    const root = new URL("../", source).pathname
    const name = page.replace(root, "") + program.querySelector(".filename").textContent
    const line = (await lines())[name]?.[number - 1]
    return line ? range(program.querySelector("code"), line) : null
  }

  let asked = ""
  async function point(target, node, offset) {
    const block = target?.closest?.(".md-content .language-text")
    const code = block?.querySelector("code")
    const isTrace = code?.contains(node)
      && block.querySelector(":scope > .filename")?.textContent === "prints"
    const number = isTrace ? lineAt(code, node, offset) : 0
    const blocks = isTrace ? [...document.querySelectorAll(".highlight")] : []
    const now = isTrace ? `${blocks.indexOf(block)} ${number}` : ""
    if (now === asked) return
    asked = now
    const own = isTrace && range(code, number)
    const by = own && await printing(block, number)
    if (asked !== now) return
    shown.clear()
    delete document.body.dataset.pointed
    if (!own) return
    shown.add(own)
    if (by) shown.add(by)
    document.body.dataset.pointed = ["upstream", "local", "downstream"]
      .filter(role => [...code.querySelectorAll(`.${role}`)]
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
    document.addEventListener(kind, event => {
      if (asked || event.target.closest?.(".language-text"))
        point(event.target, ...at(event))
    }, { passive: true })
  document.addEventListener("selectionchange", () => {
    const { focusNode, focusOffset } = getSelection()
    const target = focusNode?.parentElement
    if (target?.closest(".language-text")) point(target, focusNode, focusOffset)
  })
}
