// A field above a list with headings: it leaves the items that have all words that a
// reader types. Numbers and what stands in quotes vary from message to message.
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

  const words = typed => typed.toLowerCase().replace(/'[^']*'|"[^"]*"|\d+/g, " ")
    .split(/[^\p{L}_]+/u).filter(word => word)

  input.addEventListener("input", () => {
    const asked = words(input.value)
    let shown = 0
    for (const { item, text } of items) {
      item.hidden = !asked.every(word => text.includes(word))
      shown += !item.hidden
    }
    for (const list of lists) {
      list.hidden = [...list.children].every(item => item.hidden)
      list.previousElementSibling.hidden = list.hidden
    }
    status.textContent = !asked.length ? "" : shown
      ? `${shown} of ${items.length}`
      : "None has all these words. The search also finds messages with other names."
  })
}
