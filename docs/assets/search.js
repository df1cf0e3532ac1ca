// The search. Its index comes in parts, which reader/search.py makes: each when it is
// asked for, and nothing before the dialog opens.
{
  const root = new URL("../", document.currentScript.src)
  const { search: version } = new URL(document.currentScript.src)
  const parts = new Map()

  // Where a site is opened from a folder, no server shows the page of an address.
  function placed(address) {
    const place = new URL(address, root)
    if (place.protocol === "file:")
      place.pathname = place.pathname.replace(/\/$/, "/index.html")
    return place
  }

  function part(name) {
    if (!parts.has(name)) {
      const script = document.createElement("script")
      script.src = new URL(`search/${name}.js${version}`, root)
      parts.set(name, new Promise((got, failed) => {
        script.got = got
        script.onerror = () => { parts.delete(name); failed(name) }
      }))
      document.head.append(script)
    }
    return parts.get(name)
  }
  // What each part calls. A script, unlike data, is also read from a folder.
  globalThis.searched = (name, value) => {
    document.currentScript.got(value)
    document.currentScript.remove()
  }

  let cut = null  // how a text is cut into words

  const titles = new Map()  // the words of a title, read once

  // What a word is found by: as it is, and by its parts.
  const known = new Map()
  function forms(name) {
    if (!known.has(name)) {
      const [whole, ...pieces] = [name, ...name.split("."), ...name.split(cut.joint)]
        .map(word => word.toLowerCase())
        .filter(word => word.length > 1 && !cut.silent.has(word))
        .map(word => word.replace(cut.ending, ""))
      known.set(name, { whole, pieces: pieces.filter(piece => piece !== whole) })
    }
    return known.get(name)
  }

  // The words of a text in its order.
  function words(text) {
    return Array.from(text.matchAll(cut.word), ({ 0: name, index }) =>
      ({ name, index, ...forms(name) })).filter(each => each.whole)
  }

  // The words of a text that say something, side by side.
  const UNNUMBERED = /[^a-z_]+/
  const NUMBERED = /[^a-z0-9_]+/
  const plain = (text, apart = UNNUMBERED) => ` ${text.toLowerCase().split(apart)
    .filter(word => word && !cut.silent.has(word))
    .map(word => word.replace(cut.ending, "")).join(" ")} `

  // How much of what was asked stands word by word in a text, from 0 to 1.
  function run(asked, text) {
    const said = asked.trim().split(" ")
    for (let length = Math.min(said.length, 12); length > 0; length--)
      for (let from = 0; from + length <= said.length; from++)
        if (text.includes(` ${said.slice(from, from + length).join(" ")} `))
          return said.length === 1 ? 1 : (length - 1) / (said.length - 1)
    return 0
  }

  // Whether one letter more, fewer, other, or two exchanged make one word the other.
  function isOneOff(word, other) {
    if (word === other || Math.abs(word.length - other.length) > 1) return false
    let from = 0
    while (word[from] === other[from]) from++
    const rest = [word.slice(from), other.slice(from)]
    while (rest.every(Boolean) && rest[0].at(-1) === rest[1].at(-1))
      rest.forEach((left, n) => rest[n] = left.slice(0, -1))
    const [a, b] = rest
    return a.length + b.length < 3 || a.length === 2 && a === b[1] + b[0]
  }

  // Paths and names of devices in a message are the reader's own.
  const PATH = /\S*\/\S*\/\S*/g

  async function find(typed, count = 10) {
    const query = typed.replace(PATH, " ").normalize("NFD")  // as the index is
    const index = await part("sections")
    cut ??= {
      word: RegExp(index.word, "gi"), joint: RegExp(index.joint),
      ending: RegExp(index.ending), silent: new Set(index.silent.split(" ")),
      faint: new Set(index.faint.split(" ")), kin: new Map(Object.entries(index.kin))
    }
    const inOrder = words(query)
    const last = inOrder.at(-1)
    const asked = [...new Map(inOrder.map(each => [each.whole, each])).values()]
    const isTold = asked.some(each => !cut.faint.has(each.name.toLowerCase()))
    for (const each of asked) {
      each.share = isTold && cut.faint.has(each.name.toLowerCase()) ? 0.25 : 1
      each.kin = cut.kin.get(each.name.toLowerCase())?.split(" ") ?? []
      each.joined = []
    }
    // Two words may be the parts of a name: stop gradient, stop_gradient.
    inOrder.slice(1).forEach((each, n) => {
      const before = inOrder[n]
      for (const a of [before.name, ...(before.kin ?? [])])
        for (const b of [each.name, ...(each.kin ?? [])])
          for (const one of [before, each])
            one.joined?.push(`${a}_${b}`.toLowerCase().replace(cut.ending, ""))
    })
    const isOpen = last && last.index + last.name.length === query.length
    for (const each of asked) each.kin = each.kin.flatMap(word => words(word)[0].whole)
    const all = new Set(asked.flatMap(each =>
      [each.whole, ...each.pieces, ...each.kin, ...each.joined]))
    const file = word => Math.max(0, index.starts.findLastIndex(start => start <= word))
    const files = new Map()
    const load = words => Promise.all([...new Set(words.map(file))].map(async n =>
      files.set(n, await part(`words/${n}`))))
    await load([...all])
    const postings = word => files.get(file(word))[word] ?? []
    // A word that no page has may be misspelt. While it is typed, it may be a beginning.
    const begun = word => Object.keys(files.get(file(word)))
      .filter(other => other !== word && other.startsWith(word))
    for (const each of asked) {
      const { whole, pieces } = each
      if (whole.length < 4 || postings(whole).length
          || each === last && isOpen && begun(whole).length) continue
      const spelling = await part("spelling")
      const near = word => spelling.filter(other => isOneOff(word, other))
      const names = near(whole)
      // If no name is near, a piece of it may be.
      const wrong = pieces.filter(word => word.length > 2 && !postings(word).length)
      each.pieces = names.length ? names : [...pieces, ...wrong.flatMap(near)]
      each.pieces.forEach(word => all.add(word))
      await load(each.pieces)
    }
    // Of each word that is asked for: what it weighs where, and at most.
    const marked = new Map()
    const found = asked.map(each => {
      const where = new Map()
      const add = (word, factor) => {
        const its = postings(word)
        for (let i = 0, number = 0; i < its.length; i += 2) {
          number += its[i]
          const weight = factor * each.share * its[i + 1]
          where.set(number, Math.max(where.get(number) ?? 0, weight))
          marked.set(word, Math.max(marked.get(word) ?? 0, weight))
        }
      }
      add(each.whole, 1)
      const isThere = postings(each.whole).length
      for (const piece of each.pieces) add(piece, isThere ? 0.2 : 0.6)
      for (const word of each.kin) add(word, 0.6)
      for (const word of each.joined) add(word, 0.5)
      if (each === last && isOpen && !isThere && each.whole.length > 2)
        for (const word of begun(each.whole)) add(word, 0.7)
      return { ...each, where, most: Math.max(0, ...where.values()) }
    })
    const most = found.reduce((sum, each) => sum + each.most, 0)
    const scores = new Map()
    for (const { most, where } of found)
      for (const [number, weight] of where) {
        const before = scores.get(number) ?? [0, 0]
        scores.set(number, [before[0] + weight, before[1] + most])
      }
    const said = plain(query)
    const exactly = plain(query, NUMBERED)
    const lower = query.trim().toLowerCase()
    // How much a title is what was asked: all of it, and nothing else.
    function likeness(title) {
      if (!titles.has(title)) titles.set(title, {
        its: words(title).map(each => each.whole),
        run: plain(title), numbered: plain(title, NUMBERED)
      })
      const { its, ...text } = titles.get(title)
      const precise = its.filter(word => all.has(word)).length / (its.length || 1)
      const whole = found.filter(each => [each.whole, ...each.pieces].some(word => its.includes(word)))
        .reduce((sum, each) => sum + each.most, 0) / most
      const told = lower.includes(title.toLowerCase()) ? title.length / lower.length : 0
      return (told === 1 ? 4 : told) + (precise && 2 * precise * whole / (precise + whole))
        + run(said, text.run) + 0.1 * run(exactly, text.numbered)
    }
    const byScore = (a, b) => b.score - a.score
    let best = [...scores].map(([number, [weight, has]]) =>
      ({ number, score: weight * (has / most) ** 0.75 }))
      .sort(byScore).slice(0, 30 * count)
    for (const each of best) {
      const [page, anchor, title, above, ...names] = index.sections[each.number]
      const address = placed(index.pages[page] + (anchor && `#${anchor}`))
      each.score *= 1 + Math.max(...[title, ...names].map(likeness))
      Object.assign(each, { page, title, above, address })
    }
    best = best.sort(byScore).slice(0, 1.2 * count)
    await Promise.all(best.map(async each => {
      const prose = await part(`prose/${each.page}`)
      each.prose = prose[each.number]
      each.score *= 1 + 0.5 * run(said, each.prose.plain ??= plain(each.prose.join(" ")))
    }))
    best = best.sort(byScore).slice(0, count)
    const weigh = each => Math.max(...[each.whole, ...each.pieces].map(word => marked.get(word) ?? 0))
    return Promise.all(best.map(async each => ({
      ...each,
      excerpt: excerpt(each.prose, weigh) ?? excerpt(
        (await part(`code/${each.page}`))[each.number].flatMap(code => code.split("\n")),
        weigh, "code") ?? { text: each.prose[0] ?? "", hits: [] }
    })))
  }

  // The block of a text with the words that weigh most, cut around the first of them.
  function excerpt(blocks, weigh, kind = "text", size = 170) {
    let best = null
    for (const text of blocks) {
      const hits = words(text).map(each => ({ ...each, weight: weigh(each) }))
        .filter(each => each.weight)
      const most = Math.max(...hits.map(each => each.weight))
      const told = new Map(hits.map(each => [each.whole, each.weight]))
      const weight = [...told.values()].reduce((sum, each) => sum + each, 0)
      if (weight > (best?.weight ?? 0))
        best = { kind, text, weight, hits: hits.filter(each => each.weight > most / 4) }
    }
    if (!best || best.text.length <= size) return best
    const { text, hits } = best
    const start = Math.min(hits[0].index - size / 4, text.length - size)
    const from = start > 0 ? text.indexOf(" ", start) + 1 : 0
    const to = from + size < text.length ? text.lastIndexOf(" ", from + size) : text.length
    const [before, after] = [from > 0 ? "… " : "", to < text.length ? " …" : ""]
    return {
      kind, text: before + text.slice(from, to) + after,
      hits: hits.filter(each => each.index >= from && each.index + each.name.length <= to)
        .map(each => ({ ...each, index: each.index - from + before.length }))
    }
  }

  // What is pasted of a traceback is compared with each message of the catalogue.
  const bare = text => text.replace(/\S*\/\S+|\d+|[^\w.\s]/g, " ").replace(/\.(?!\w)|\s+/g, " ").trim()
  async function explained(lines) {
    const silent = new Set((await part("sections")).silent.split(" "))
    const named = text => new Set(bare(text).toLowerCase().match(/[a-z]\w+/g)
      ?.filter(word => !silent.has(word)))
    const shown = (await part("messages")).flatMap(([said, links]) =>
      links.map(([title, address]) => ({
        title, message: named(said), entry: named(title), address: placed(address),
        hasGaps: said.includes("'…'")  // for names that differ from run to run
      })))
    // A rare word weighs more; one that no message has may be a name, and weighs less.
    // Of entries with the same message, the one that is named most like it comes first.
    const among = new Map()
    for (const { message, entry } of shown)
      for (const word of new Set([...message, ...entry]))
        among.set(word, (among.get(word) ?? 0) + 1)
    const weight = set => [...set].reduce((sum, word) =>
      sum + (among.has(word) ? Math.log(1 + shown.length / among.get(word)) : 2.5), 0)
    const share = (set, of) => weight([...set].filter(word => of.has(word))) / weight(set)
    // A name in quotes is often the reader's own, so a message with other names still
    // fits an entry. It doesn't fit if a name of the entry's title is missing, if its
    // names belong to other messages, or if only common words agree.
    const isMissing = (set, of) => set.size > 0 && ![...set].some(word => of.has(word))
    const isCommon = word => among.get(word) > shown.length / 25
    const inQuotes = /'[^']*'|"[^"]*"/g
    for (const each of shown) {
      const { title, message, entry, hasGaps } = each
      const both = new Set([...message, ...entry])
      const types = named(title.match(/\b[A-Z]+[a-z]\w*[A-Z]\w*/g)
        ?.filter(name => !/(Error|Exception|Warning)$/.test(name)).join(" ") ?? "")
      const own = new Set([...types].filter(word => message.has(word)))
      const titled = named(title.match(inQuotes)?.join(" ") ?? "")
      each.alike = Math.max(...lines.map(line => {
        const said = named(line)
        const fixed = named(line.replace(inQuotes, ""))
        const names = named(line.match(inQuotes)?.join(" ") ?? "")
        const known = new Set([...names].filter(word => among.has(word)))
        const isOther = isMissing(own, said)
          || (hasGaps ? isMissing(titled, said) : isMissing(known, both))
          || isMissing(names, both)
            && [...fixed].every(word => !both.has(word) || isCommon(word))
        return (isOther ? 0.4 : 1) * share(fixed.size ? fixed : said, both)
          * (0.5 + 0.5 * share(message, fixed))
          + 0.1 * share(said, entry) + 0.05 * share(entry, said)
      }))
    }
    const best = Math.max(0.5, ...shown.map(each => each.alike))
    return shown.filter(each => each.alike > 0.95 * best)
      .sort((a, b) => b.alike - a.alike).slice(0, 5)
  }

  const dialog = document.querySelector("dialog.search")
  const input = dialog.querySelector("input")
  const status = dialog.querySelector("[role=status]")
  const list = dialog.querySelector("ol")
  const links = () => [...list.querySelectorAll("a")]
  const element = (name, className, ...inside) => {
    const made = Object.assign(document.createElement(name), { className })
    made.append(...inside)
    return made
  }

  function shown({ address, above, title, excerpt }) {
    const link = element("a", "")
    link.href = address
    if (above) link.append(element("span", "search-above", above), " › ")
    link.append(element("strong", "", title))
    if (excerpt?.text) {
      const said = element(excerpt.kind === "code" ? "code" : "span", "search-excerpt")
      let at = 0
      for (const { index, name } of excerpt.hits) {
        said.append(excerpt.text.slice(at, index), element("mark", "", name))
        at = index + name.length
      }
      said.append(excerpt.text.slice(at))
      link.append(said)
    }
    return element("li", "", link)
  }

  // What is said above the sections, with the page that finds a cause by what is seen.
  function strange() {
    const link = element("a", "", "Find your mistake by what you see")
    link.href = placed("mistakes/")
    return ["This message isn't in the catalogue. ", link, ", or try these sections:"]
  }

  let asked = 0
  async function answer(query, first = [], isStrange = false) {
    const mine = ++asked
    let found = []
    const isLong = query.normalize("NFD").trim().length > 1
    try {
      if (isLong) found = await find(query)
      if (mine !== asked) return
      const there = new Set(first.map(each => each.address.href))
      found = [...first, ...found.filter(each => !there.has(each.address.href))]
      status.textContent = found.length || !isLong ? ""
        : "Nothing is found. Try fewer words, or one name of the message."
      if (found.length) status.textContent = `${found.length} sections`
      if (isStrange) status.replaceChildren(...strange())
    } catch {
      status.textContent = "The search is out of reach."
    }
    list.replaceChildren(...found.map(shown))
    list.dataset.query = query
    list.scrollTop = 0
  }

  function open(query = "") {
    if (!dialog.open) dialog.showModal()
    part("sections").catch(() => {})
    input.value = query || input.value
    input.select()
    if (query) answer(query)
  }

  addEventListener("click", event => {
    const opener = event.target.closest("[data-search]")
    if (opener) open(opener.dataset.search)
  })
  addEventListener("keydown", event => {
    const isTyped = event.target.closest?.(
      "input:not([type=radio], [type=range]), textarea, select, [contenteditable]")
    const isAsked = (event.ctrlKey || event.metaKey) ? event.key.toLowerCase() === "k"
      : !isTyped && !event.altKey && (event.key === "/" || event.key === "s")
    if (isAsked && !dialog.open) {
      event.preventDefault()
      open()
    }
  })
  dialog.addEventListener("click", event => {
    // Beside the dialog, on its button, or on a place of this page.
    if (event.target === dialog || event.target.closest("button, a")) dialog.close()
  })
  dialog.addEventListener("keydown", event => {
    event.stopPropagation()  // the theme turns pages by letters
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault()  // or a browser opens its own search
      input.focus()
      input.select()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const all = [input, ...links()]
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus()
  })
  input.form.addEventListener("submit", event => {
    event.preventDefault()
    links()[0]?.click()
  })
  input.addEventListener("input", () => answer(input.value))
  input.addEventListener("paste", async event => {
    const lines = event.clipboardData.getData("text").trim().split("\n")
    const said = lines.filter(line => /(^|[\s:])[\w.]*(Error|Exception|Warning): /.test(line))
    const last = said.at(-1) ?? lines.at(-1)
    if (!said.length && last.split(/\s+/).length < 2) return
    event.preventDefault()
    input.value = last.trim()
    const entries = await explained(said.length ? said : [last]).catch(() => [])
    answer(input.value, entries, !entries.length)
  })

  const query = new URLSearchParams(location.search).get("q")
  if (query) open(query)
}
