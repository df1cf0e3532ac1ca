// A field above a list with headings: it leaves the items that have all words that a
// reader types or, if none has all, those that have the most. Numbers, what stands in quotes,
// the module of an error and the name of an operation vary from message to message.
{
  const field = document.querySelector(".filter")
  const lists = [...document.querySelectorAll(".filter ~ ul")]
  const items = lists.flatMap(list => [...list.children])
    .map(item => ({ item, text: item.textContent.toLowerCase() }))
  const label = document.createElement("label")
  const input = document.createElement("input")
  const status = document.createElement("output")
  Object.assign(input, { id: "filter", type: "search", autocomplete: "off", spellcheck: false })
  Object.assign(label, { htmlFor: "filter", textContent: "Show those with these words" })
  status.htmlFor = "filter"
  field.append(label, input, status)

  const words = typed => typed.toLowerCase()
    .replace(/\{\{.*?\}\}|\[op:.*|(?:\w+\.)+(?=\w+error)|'[^']*'|"[^"]*"|\d+/g, " ")
    .split(/[^\p{L}_]+/u).filter(word => word)

  input.addEventListener("input", () => {
    const asked = [...new Set(words(input.value))]
    const counts = items.map(({ text }) => asked.filter(word => text.includes(word)).length)
    const most = Math.max(...counts)
    const isShown = most > asked.length / 2 || !asked.length
    items.forEach(({ item }, i) => { item.hidden = !isShown || counts[i] < most })
    for (const list of lists) {
      list.hidden = [...list.children].every(item => item.hidden)
      list.previousElementSibling.hidden = list.hidden
    }
    const shown = items.filter(({ item }) => !item.hidden).length
    status.textContent = !asked.length ? "" : !isShown
      ? "None has most of these words. The search also finds messages with other names."
      : `${shown} of ${items.length}` + (most < asked.length ? " have most of these words" : "")
  })
}
