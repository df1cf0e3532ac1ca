// The formula of what a line of a trace names, if none is in sight: a copy of the last one
// above with most of the names, at the edge of the window that is farther from the line.
// Loaded when a reader first points at such a line.
{
  const copy = Object.assign(document.createElement("div"), { className: "recalled" })
  copy.setAttribute("aria-hidden", "true")
  const named = roles => [...document.querySelectorAll(".md-content__inner math")]
    .map(math => [math, roles.filter(role => math.querySelector(`.${role}`)).length])
    .filter(([, names]) => names)

  globalThis.formulaOf = (trace, roles) => {
    const above = named(roles).filter(([math]) => !math.closest(".inputs")
      && trace.compareDocumentPosition(math) & Node.DOCUMENT_POSITION_PRECEDING)
    const most = Math.max(...above.map(([, names]) => names))
    return above.findLast(([, names]) => names === most)?.[0]
  }

  globalThis.recall = (trace, own, roles) => {
    const isInSight = ([math]) => {
      const { top, bottom } = math.getBoundingClientRect()
      return top > 60 && bottom < innerHeight
    }
    copy.remove()
    const math = globalThis.formulaOf(trace, roles)
    if (named(roles).some(isInSight) || !math) return
    copy.replaceChildren(math.cloneNode(true))
    copy.classList.toggle("below", own.getBoundingClientRect().top < innerHeight / 2)
    document.querySelector(".md-content").append(copy)
  }
}
