// All that a page does with a script, instead of the theme's script. That one measures
// each block of code as soon as a page opens, which blocks a phone for one to two seconds.
{
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]
  const content = document.querySelector(".md-content")

  // A button copies each program; where a browser forbids that, it selects the program.
  for (const code of all("pre > code", content)) {
    const button = document.createElement("button")
    Object.assign(button, { type: "button", title: "Copy to clipboard", className: "md-code__button" })
    button.dataset.mdType = "copy"
    code.after(button)
  }
  const dialog = document.querySelector(".md-dialog")
  dialog.setAttribute("role", "status")
  let closing
  function tell(text) {
    dialog.firstElementChild.textContent = text
    dialog.classList.add("md-dialog--active")
    clearTimeout(closing)
    closing = setTimeout(() => dialog.classList.remove("md-dialog--active"), 2000)
  }
  document.addEventListener("click", async ({ target }) => {
    if (!target.matches(".md-code__button")) return
    const code = target.previousElementSibling
    try {
      await navigator.clipboard.writeText(code.textContent.trimEnd())
      tell("Copied to clipboard")
    } catch {
      getSelection().selectAllChildren(code)
      tell("Selected: press Ctrl+C or ⌘C to copy")
    }
  })

  // A notebook leaves its neighbors when a reader downloads it, so its relative links get the
  // address of this site, from which its exercises also load their checker.
  const site = new URL("../", document.currentScript.src)
  function withAddresses(notebook, from) {
    const address = path => new URL(path, from).href
    for (const cell of notebook.cells) {
      const source = cell.source.join("")
      const changed = cell.cell_type === "code" ? source.replace(/^site = ""$/m, `site = "${site.href.split("?")[0]}"`)
        : source.replace(/(\x60+)[^]*?\1|(?<=\]\()(?=[^\s():]*[./])[^\s():#][^\s():]*/g, (part, ticks) => ticks ? part : address(part))
      cell.source = changed.split(/(?<=\n)/)
    }
    return JSON.stringify(notebook, null, 1) + "\n"
  }
  document.addEventListener("click", async event => {
    const link = event.target.closest("a[download][href$='.ipynb']")
    if (!link || location.protocol === "file:" || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const copy = document.createElement("a")
    copy.download = link.pathname.split("/").at(-1)
    try {
      const text = withAddresses(await (await fetch(link.href)).json(), link.href)
      copy.href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }))
    } catch {
      copy.href = link.href
    }
    copy.click()
    setTimeout(() => URL.revokeObjectURL(copy.href), 10000)
  })

  // The colors: those of the system (the first option), light, or dark. An inline script of
  // the header has set them already, from the same record.
  const palette = all("[data-md-component=palette] input")
  const dark = matchMedia("(prefers-color-scheme: dark)")
  function paint() {
    const index = palette.findIndex(option => option.checked)
    const own = palette[index].dataset
    const scheme = index ? own.mdColorScheme : dark.matches ? "slate" : "default"
    palette.forEach((option, k) => { option.nextElementSibling.hidden = k !== index })
    if (document.body.dataset.mdColorScheme === scheme) return
    document.body.dataset.mdColorSwitching = ""
    document.body.dataset.mdColorScheme = scheme
    setTimeout(() => delete document.body.dataset.mdColorSwitching)
  }
  const chosen = palette[__md_get("__palette")?.index] ?? palette[0]
  chosen.checked = true
  paint()
  dark.addEventListener("change", paint)
  palette.forEach((option, index) => option.addEventListener("change", () => {
    paint()
    const { mdColorMedia: media, mdColorScheme: scheme } = option.dataset
    __md_set("__palette", { index, color: { media, scheme } })
  }))

  // The menu of a small screen.
  const drawer = document.querySelector("#__drawer")
  const opener = document.querySelector(".md-header .menu")
  const menu = document.querySelector(".md-sidebar--primary")
  drawer.addEventListener("change", () => {
    opener.setAttribute("aria-expanded", drawer.checked)
    if (drawer.checked) show(here)
  })
  opener.addEventListener("click", () => drawer.click())
  menu.addEventListener("click", ({ target }) => {
    if (drawer.checked && target.closest("a")) drawer.click()
  })
  addEventListener("keydown", event => {
    if (event.key !== "Escape" || !drawer.checked) return
    drawer.click()
    opener.focus()
  })

  // Where the reader is: the header shows the title of the page, and the table of contents
  // marks the section. Observers don't force a layout.
  const here = all("a.md-nav__link--active", menu).pop()
  function show(link) {
    const box = link?.closest(".md-sidebar__scrollwrap")
    if (!box?.clientHeight) return
    const [at, frame] = [link, box].map(each => each.getBoundingClientRect())
    if (at.top < frame.top || at.bottom > frame.bottom)
      box.scrollTop += at.top - frame.top - frame.height / 2
  }
  const header = document.querySelector(".md-header__title")
  new IntersectionObserver(([{ isIntersecting, boundingClientRect }]) => {
    const isAbove = !isIntersecting && boundingClientRect.top < 0
    header.classList.toggle("md-header__title--active", isAbove)
    if (!drawer.checked) show(here)
  }).observe(content.querySelector("h1") ?? content)

  const links = new Map()
  for (const link of all("[data-md-component=toc] a[href^='#']")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    if (heading) links.set(heading, [...links.get(heading) ?? [], link])
  }
  const above = new Set()
  const reached = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) above.add(target)
      else above.delete(target)
    const last = [...links.keys()].filter(heading => above.has(heading)).pop()
    for (const [heading, its] of links) for (const link of its) {
      link.classList.toggle("md-nav__link--active", heading === last)
      link.classList.toggle("md-nav__link--passed", heading !== last && above.has(heading))
      if (heading === last) show(link)
    }
  }, { rootMargin: "9999999px 0px -80%" })
  for (const heading of links.keys()) reached.observe(heading)

  // The framework that a reader chooses in one place is shown everywhere, and on the next
  // page. What the reader looks at stays where it is.
  const tabs = all(".tabbed-labels label", content)
  function choose(framework) {
    for (const { control, textContent } of tabs)
      if (textContent === framework) control.checked = true
  }
  for (const tab of tabs) tab.control.addEventListener("change", () => {
    const { top } = tab.getBoundingClientRect()
    choose(tab.textContent)
    scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: "instant" })
    __md_set("framework", tab.textContent)
  })
  choose(__md_get("framework"))

  // The button that leads to the top appears when the reader scrolls up.
  const top = document.querySelector(".md-top")
  let before = 0
  addEventListener("scroll", () => {
    top.hidden = scrollY >= before || scrollY < innerHeight
    before = scrollY
  }, { passive: true })
  top.addEventListener("click", () => scrollTo(0, 0))

  // The keyboard stops at what is too wide for the page, because that scrolls.
  const sizes = new ResizeObserver(entries => {
    // All are measured before one is changed, or the page would be laid out for each.
    const wide = entries.map(({ target }) => target.scrollWidth > target.clientWidth)
    entries.forEach(({ target }, k) => {
      if (wide[k]) target.tabIndex = 0
      else target.removeAttribute("tabindex")
    })
  })
  // A program far from the screen isn't laid out yet. Until it is, its longest line decides.
  const columns = (innerWidth - 66) / 8.1
  for (const code of all(".language-python pre > code", content))
    if (code.textContent.split("\n").some(line => line.length > columns)) code.tabIndex = 0
  for (const box of all(".formula, pre > code", content)) sizes.observe(box)

  // The sign of a claim opens what was tried beside the claim. Without this script, or where
  // a browser has no popovers, it is a link to the same text at the end of the page.
  const card = document.createElement("div")
  if ("popover" in card) {
    Object.assign(card, { popover: "auto", className: "claim-card md-typeset" })
    card.setAttribute("role", "note")
    content?.append(card)
    content?.addEventListener("click", event => {
      const sign = event.target.closest(".claim-sign a")
      if (!sign || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      const entry = document.getElementById(sign.hash.slice(1))
      card.replaceChildren(...[...entry.childNodes].map(node => node.cloneNode(true)))
      card.querySelector(".back")?.remove()
      card.showPopover()
      const { left, bottom, top } = sign.getBoundingClientRect()
      const width = card.offsetWidth, height = card.offsetHeight
      card.style.left = `${Math.max(8, Math.min(left - 24, document.documentElement.clientWidth - width - 8))}px`
      card.style.top = `${bottom + height + 16 < innerHeight ? bottom + 8 : Math.max(8, top - height - 8)}px`
      card.tabIndex = -1
      card.focus({ preventScroll: true })
      card.addEventListener("toggle", ({ newState }) => {
        if (newState === "closed" && card.contains(document.activeElement)) sign.focus({ preventScroll: true })
      }, { once: true })
    })
    addEventListener("scroll", () => card.matches(":popover-open") && card.hidePopover(), { passive: true })
  }
}
