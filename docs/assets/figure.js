// A reader moves a slider, or sets a switch, and sees what the program draws with that
// constant, and what it asserts of it. The build drew each picture with the same program;
// nothing is drawn here. Loaded when a reader asks to change a picture.
{
  function element(name, attributes, ...children) {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  globalThis.openFigure = (paragraph, button, { inputs, shows }) => {
    // The picture of each look as it was built, which is printed, and one that moves.
    const pictures = [...paragraph.querySelectorAll("img")].map(built => {
      const moves = built.cloneNode()
      built.classList.add("built")
      moves.classList.add("moves")
      built.after(moves)
      return { moves, address: built.getAttribute("src") }
    })
    const index = values => values.reduce((sum, at, k) => sum * inputs[k].stops.length + at, 0)
    const own = index(inputs.map(each => each.now))
    // A sentence that holds at every stop says nothing of this one.
    const sentences = shows.map(parts => parts.join(" ").split(/(?<=\.) /))
    const always = sentences[0].filter(each => sentences.every(all => all.includes(each)))
    const said = element("p", { role: "status" })
    const names = inputs.map(each => each.name.replaceAll("_", " "))
    const controls = inputs.map(({ stops }, k) => element("input", { "aria-label": names[k],
      ...stops[0] === "False" ? { type: "checkbox", role: "switch" }
        : { type: "range", min: 0, max: stops.length - 1, step: 1 } }))
    const values = inputs.map(() => element("span", {}))
    const at = () => controls.map(each => each.type === "range" ? +each.value : +each.checked)
    const set = stops => controls.forEach((each, k) => {
      if (each.type === "range") each.value = stops[k]
      else each.checked = stops[k]
    })

    function show() {
      const stop = index(at())
      for (const { moves, address } of pictures) {
        moves.alt = sentences[stop].join(" ")
        moves.src = stop === own ? address : address.replace(/[^/]*$/, name => `${stop}/${name}`)
      }
      said.textContent = sentences[stop].filter(each => !always.includes(each)).join(" ")
      controls.forEach((each, k) => {
        const value = inputs[k].stops[at()[k]]
        if (each.type === "range") each.setAttribute("aria-valuetext", value)
        values[k].textContent = each.type === "range" ? value : ""
      })
    }

    const reset = element("button", { type: "button", class: "reset" }, "Reset")
    reset.addEventListener("click", () => {
      set(inputs.map(each => each.now))
      show()
    })
    for (const each of controls) each.addEventListener("input", show)
    const panel = element("div", { class: "inputs", role: "group", "aria-label": "Inputs of the picture" },
      ...controls.map((each, k) => element("label", {},
        names[k], each, values[k])), reset, said)
    button.after(panel)
    set(inputs.map(each => each.now))
    show()
    controls[0].focus()
    return panel
  }
}
