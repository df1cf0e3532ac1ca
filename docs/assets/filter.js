// A field above a table leaves the rows that have all words that a reader types or, if
// none has all, those that have the most. Numbers, what stands in quotes, the module of an
// error and the name of an operation vary from message to message. The headings of the
// columns become buttons that sort the rows.
{
  const compare = new Intl.Collator("en", { numeric: true }).compare
  const words = typed => typed.toLowerCase()
    .replace(/\{\{.*?\}\}|\[op:.*|(?:\w+\.)+(?=\w+error)|'[^']*'|"[^"]*"|\d+/g, " ")
    .split(/[^\p{L}_]+/u).filter(word => word)

  function filter(field, rows, id) {
    const label = document.createElement("label")
    const input = document.createElement("input")
    const status = document.createElement("output")
    Object.assign(input, { id, type: "search", autocomplete: "off", spellcheck: false })
    Object.assign(label, { htmlFor: id, textContent: "Filter the rows" })
    status.htmlFor = id
    field.append(label, input, status)
    const texts = rows.map(row => row.textContent.toLowerCase())
    input.addEventListener("input", () => {
      const asked = [...new Set(words(input.value))]
      const counts = texts.map(text => asked.filter(word => text.includes(word)).length)
      const most = Math.max(...counts)
      const isShown = most > asked.length / 2 || !asked.length
      rows.forEach((row, i) => { row.hidden = !isShown || counts[i] < most })
      const shown = rows.filter(row => !row.hidden).length
      status.textContent = !asked.length ? "" : !isShown
        ? "None has most of these words. The search also finds messages with other names."
        : `${shown} of ${rows.length}` + (most < asked.length ? " have most of these words" : "")
    })
  }

  function sort(headings, body) {
    for (const heading of headings) {
      const button = document.createElement("button")
      Object.assign(button, { type: "button", className: "sorter" })
      button.append(...heading.childNodes)
      heading.append(button)
      button.addEventListener("click", () => {
        const isUp = heading.ariaSort === "ascending"
        for (const other of headings) other.ariaSort = null
        heading.ariaSort = isUp ? "descending" : "ascending"
        const text = row => row.cells[heading.cellIndex].textContent
        const rows = [...body.rows].sort((a, b) => compare(text(a), text(b)))
        body.append(...isUp ? rows.reverse() : rows)
      })
    }
  }

  document.querySelectorAll(".filter").forEach((field, number) => {
    const { tHead, tBodies: [body] } = field.nextElementSibling
    filter(field, [...body.rows], `filter-${number}`)
    sort([...tHead.rows[0].cells], body)
  })
}
