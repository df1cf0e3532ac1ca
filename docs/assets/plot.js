// Draw recorded numbers over the values of an input, or over the lines of a table. Both
// axes have a name, and ticks at true places. Text beside the axes is drawn outside of the
// box of the picture, so all places are percentages, and no text is stretched.
{
  const SVG = "http://www.w3.org/2000/svg"
  const percent = fraction => `${100 * fraction}%`

  function element(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
  }

  // Multiples of 1, 2 or 5 times a power of ten: the finest that aren't too many.
  function roundNumbers(low, high, most) {
    for (let power = Math.floor(Math.log10(high - low)) - 1; ; power++)
      for (const factor of [1, 2, 5]) {
        const step = factor * 10 ** power
        const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)]
        if (last - first < most)
          return Array.from({ length: last - first + 1 }, (_, k) => +((first + k) * step).toPrecision(12))
      }
  }

  // With a little room, the ends are round numbers, too.
  function linear(numbers, most, room = 0) {
    let [low, high] = [Math.min(...numbers), Math.max(...numbers)]
    if (low === high) [low, high] = [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)]
    const ticks = roundNumbers(low - room * (high - low), high + room * (high - low), most)
    if (room) [low, high] = [Math.min(low, ticks[0]), Math.max(high, ticks.at(-1))]
    return { ticks, note: "", place: y => (y - low) / (high - low) }
  }

  // Powers of ten are evenly spaced; with zero or both signs, small numbers are linear.
  function logarithmic(numbers, most) {
    const sizes = numbers.map(Math.abs).filter(Number)
    const top = Math.max(...sizes), last = Math.floor(Math.log10(top))
    const isOneSided = Math.min(...numbers) > 0
    const first = isOneSided ? Math.ceil(Math.log10(Math.min(...sizes)))
      : Math.max(Math.floor(Math.log10(Math.min(...sizes))), last - 4)
    const bent = y => isOneSided ? Math.log10(y) : Math.sign(y) * Math.log10(1 + Math.abs(y) / 10 ** first)
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map(bent)
    const sides = low < 0 && high > 0 ? 2 : 1
    const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, Math.floor(most / sides))))
    const powers = []
    for (let power = last; power >= first; power -= stride) powers.push(10 ** power)
    const wanted = powers.length > 1 ? powers : powers.flatMap(y => [y / 5, y / 2, y, 2 * y, 5 * y])
    const place = y => (bent(y) - low) / (high - low)
    const isFree = y => isOneSided || !y || Math.abs(place(y) - place(0)) > 0.09
    const ticks = [...isOneSided ? [] : [0, ...wanted.map(y => -y)], ...wanted].map(y => +y.toPrecision(12))
    return { ticks: ticks.filter(y => place(y) > -1e-9 && place(y) < 1 + 1e-9 && isFree(y)), place,
      note: isOneSided ? " (log)" : " (symmetric log)" }
  }

  // For numbers of very different size, which would lie on one line otherwise.
  function scale(numbers, most = 6) {
    const sizes = numbers.map(Math.abs).filter(Number).sort((a, b) => a - b)
    const isWide = sizes.at(-1) > 20 * sizes[sizes.length >> 1]
    return (isWide ? logarithmic : linear)(numbers, most, 0.1)
  }

  // A power of ten as such, if the number is long.
  function label(y) {
    const size = Math.abs(y), power = Math.log10(size), sign = y < 0 ? "−" : ""
    if (!size || (size >= 0.001 && size < 1e5))
      return [sign + size.toLocaleString("en-US", { maximumFractionDigits: 6 })]
    const digits = +(size / 10 ** Math.floor(power + 1e-9)).toPrecision(6)
    return [`${sign}${digits === 1 ? "" : `${digits}·`}10`,
      element("tspan", { dy: "-0.4em", "font-size": "75%" }, `${Math.floor(power + 1e-9)}`.replace("-", "−"))]
  }

  // What is the same at neighbors, as [what, first, last].
  function runs(values) {
    const found = []
    values.forEach((value, k) => {
      if (!value) return
      if (found.at(-1)?.[0] === value && found.at(-1)[2] === k - 1) found.at(-1)[2] = k
      else found.push([value, k, k])
    })
    return found
  }

  // Straight between its numbers, and broken where there is none.
  function line(xs, ys, kind) {
    const path = ys.map((y, k) => isFinite(y)
      ? `${isFinite(ys[k - 1]) ? "L" : "M"}${xs[k].toFixed(4)} ${y.toFixed(4)}` : "").join("")
    return element("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", width: "100%", height: "100%" },
      element("path", { d: path, class: kind, "vector-effect": "non-scaling-stroke" }))
  }

  // A disk, a circle, a square or a diamond.
  function sign(number, x, y, kind, size) {
    const at = { class: `sign s${number} ${kind}` }
    return number < 2 ? element("circle", { ...at, cx: x, cy: y, r: size })
      : element("rect", { ...at, x, y, width: 2 * size, height: 2 * size })
  }

  // Rows have a name, a role, and for each x a value and how it is printed; those to
  // compare with, values of before. All numbers, also those not drawn, set the axis.
  globalThis.plot = ({ xs, xName, isEven, rows, yName, all, at, before, failing, words }) => {
    const across = isEven ? { place: k => k / (xs.length - 1 || 1), ticks: [] } : linear(xs.map(Number), 8)
    const up = scale(all.length ? all : [0, 1])
    const places = xs.map((x, k) => across.place(isEven ? k : +x))
    // A little room at each end, so that no sign is cut.
    const [right, down] = [f => percent(0.02 + 0.96 * f), f => 0.96 - 0.92 * f]
    const height = y => down(up.place(y))
    const svg = element("svg", { role: "img", "aria-label": words })
    const text = (x, y, kind, ...parts) => svg.append(element("text", { x, y, class: kind }, ...parts))
    const rule = (x1, y1, x2, y2, kind) => svg.append(element("line", { x1, y1, x2, y2, class: kind }))
    if (all.length) for (const y of up.ticks) {
      rule(0, percent(height(y)), "100%", percent(height(y)), y ? "grid" : "grid zero")
      text("-0.5em", percent(height(y)), "y", ...label(y))
    }
    for (const x of isEven ? xs.keys() : across.ticks) {
      rule(right(across.place(x)), "100%", right(across.place(x)), "101.5%", "axis")
      text(right(across.place(x)), "100%", "x", ...isEven ? [xs[x]] : label(x))
    }
    rule(0, 0, 0, "100%", "axis")
    rule(0, "100%", "100%", "100%", "axis")
    text("-2.6em", 0, "name", yName + up.note)
    text("100%", "100%", "name x", xName)
    const labels = []
    rows.forEach(({ name, values, printed }, number) => {
      const odd = printed.map((word, k) => word && !isFinite(values[k]) && !failing[k] && word)
      for (const [word, first, last] of runs(odd)) {
        const half = 0.48 / Math.max(xs.length - 1, 1)
        const [from, to] = [Math.max(places[first] - half, 0), Math.min(places[last] + half, 1)]
        svg.append(element("rect", { x: right(from), y: 0, width: percent(0.96 * (to - from)),
          height: "100%", class: "odd" }))
        labels.push([(from + to) / 2, 0.5 + 0.14 * number, `${name} is ${word}`])
      }
    })
    if (before >= 0) rule(right(places[before]), 0, right(places[before]), "100%", "before")
    if (at >= 0) rule(right(places[at]), 0, right(places[at]), "100%", "now")
    const drawn = xs.map((_, k) => 0.02 + 0.96 * places[k])
    rows.forEach(({ role, values, old }, number) => {
      if (old) svg.append(line(drawn, old.map(height), `before ${role}`))
      // The first line is thick, so that a second one that is the same doesn't hide it.
      svg.append(line(drawn, values.map(height), `${role} ${number ? "" : "first"}`))
      values.forEach((y, k) => isFinite(y) && svg.append(sign(number, percent(drawn[k]), percent(height(y)),
        `${role} ${k === at ? "now" : ""}`, k === at ? 5 : xs.length > 30 ? 1.8 : 2.6)))
    })
    failing.forEach((fails, k) => fails && text(percent(drawn[k]), "96%", "fails", "×"))
    const [stretch] = runs(failing).sort((a, b) => b[2] - b[1] - a[2] + a[1])
    if (stretch) labels.push([(places[stretch[1]] + places[stretch[2]]) / 2, 0.86, "fails here"])
    for (const [x, y, words] of labels) {
      const [to, end] = x < 0.2 ? [0, "first"] : x > 0.8 ? [1, "last"] : [x, ""]
      text(right(to), percent(y), `odd ${end}`, words)
    }
    return { svg, places: drawn }
  }
}
