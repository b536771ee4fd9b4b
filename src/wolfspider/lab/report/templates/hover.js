"use strict";
// Names are only ever set as text. The page is complete without this script.
function readout(svg) {
  const lines = [...svg.querySelectorAll("polyline[data-name]")];
  if (!lines.length) return;
  const box = Object.fromEntries(Object.entries(svg.dataset).map(([key, text]) => [key, +text]));
  const card = svg.closest(".card"), view = svg.viewBox.baseVal;
  const tip = document.createElement("div");
  const ruler = document.createElementNS("http://www.w3.org/2000/svg", "line");
  tip.className = "readout"; tip.hidden = true; tip.setAttribute("aria-hidden", "true");
  ruler.setAttribute("class", "ruler"); ruler.setAttribute("visibility", "hidden");
  ruler.setAttribute("y1", box.top); ruler.setAttribute("y2", box.bottom);
  card.append(tip); svg.append(ruler);
  const row = (name, value, css) => {
    const line = document.createElement("div"), left = document.createElement("bdi"), right = document.createElement("span");
    left.textContent = name; left.setAttribute("class", css); right.textContent = value;
    line.append(left, right);
    return line;
  };
  svg.addEventListener("pointermove", (event) => {
    const frame = svg.getBoundingClientRect(), outer = card.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width * view.width;
    if (x < box.left || x > box.right) { hide(); return; }
    const rows = lines.map((line) => {
      const points = line.points, first = points.getItem(0).x, last = points.getItem(points.numberOfItems - 1).x;
      const place = Math.round((x - first) / (last - first || 1) * (points.numberOfItems - 1));
      const point = points.getItem(Math.max(0, Math.min(points.numberOfItems - 1, place)));
      return { name: line.dataset.name, css: line.getAttribute("class").replace("line", ""), y: (box.bottom - point.y) / (box.bottom - box.top) * box.y };
    }).sort((a, b) => b.y - a.y);
    const at = (x - box.left) / (box.right - box.left) * box.x;
    const head = box.x <= 1 ? (100 * at).toFixed(0) + " %" : Math.round(at).toLocaleString("en") + " fetches";
    const show = (value) => box.y === 1 ? (100 * value).toFixed(1) + " %" : value.toFixed(3);
    tip.replaceChildren(row(head, "", ""), ...rows.map((each) => row(each.name, show(each.y), each.css)));
    tip.hidden = false;
    const left = event.clientX - outer.left, room = outer.width - tip.offsetWidth - 4;
    tip.style.left = Math.max(4, Math.min(room, left + 16 > room ? left - tip.offsetWidth - 16 : left + 16)) + "px";
    tip.style.top = frame.top - outer.top + 8 + "px";
    ruler.setAttribute("x1", x); ruler.setAttribute("x2", x); ruler.setAttribute("visibility", "visible");
  });
  function hide() { tip.hidden = true; ruler.setAttribute("visibility", "hidden"); }
  svg.addEventListener("pointerleave", hide);
}
function focus(name) {
  for (const svg of document.querySelectorAll(".multiples svg")) {
    let dim = false; // the markers of a line come after it
    for (const part of svg.querySelectorAll("polyline, .mark")) {
      if (part.dataset.name) dim = name !== null && part.dataset.name !== name;
      part.classList.toggle("dim", dim);
    }
  }
}
document.querySelectorAll("svg.chart").forEach(readout);
for (const entry of document.querySelectorAll(".legend li")) {
  entry.addEventListener("pointerenter", () => focus(entry.dataset.name));
  entry.addEventListener("pointerleave", () => focus(null));
}
