// The formula of what a line of a trace names, if none is in sight: a copy of the last one
// above with most of the names, at the edge of the window that is farther from the line.
// Loaded when a reader first points at such a line.
{
  const copy = Object.assign(document.createElement("div"), { className: "recalled" })
  copy.setAttribute("aria-hidden", "true")
  globalThis.recall = (trace, own, roles) => {
    const formulas = [...document.querySelectorAll(".md-content__inner math")]
      .map(math => [math, roles.filter(role => math.querySelector(`.${role}`)).length])
      .filter(([, names]) => names)
    const isInSight = ([math]) => {
      const { top, bottom } = math.getBoundingClientRect()
      return top > 60 && bottom < innerHeight
    }
    const above = formulas.filter(([math]) =>
      trace.compareDocumentPosition(math) & Node.DOCUMENT_POSITION_PRECEDING)
    copy.remove()
    if (formulas.some(isInSight) || !above.length) return
    const most = Math.max(...above.map(([, names]) => names))
    const [math] = above.findLast(([, names]) => names === most)
    copy.replaceChildren(math.cloneNode(true))
    copy.classList.toggle("below", own.getBoundingClientRect().top < innerHeight / 2)
    document.querySelector(".md-content").append(copy)
  }
}
