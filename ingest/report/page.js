// Draws the charts and sorts the tables; `vegaEmbed` comes with the script before this one.
"use strict";

// Drawn through Vega's interpreter, so that the page's policy need not allow code made from text.
for (const spec of document.querySelectorAll("script[data-chart]")) {
  const place = document.getElementById(spec.dataset.chart);
  const label = place.getAttribute("aria-label");
  vegaEmbed(place, JSON.parse(spec.textContent), {
    renderer: "svg",
    ast: true,
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: spec.dataset.chart,
  }).then(
    () => {
      place.dataset.drawn = "yes";
      // one picture with one description; the menu beside it stays reachable
      place.removeAttribute("role");
      place.removeAttribute("aria-label");
      const picture = place.querySelector("svg.marks");
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", label);
      place.querySelector("summary").setAttribute("aria-label", "Save this chart as a picture");
    },
    (error) => {
      place.textContent = `The chart could not be drawn: ${error.message}`;
      console.error(error);
    },
  );
}

const byLetter = new Intl.Collator("en", { numeric: true }).compare;
const NUMBER = /^[+-]?[\d,]*\.?\d+( %)?$/;

// Texts in order; two that are numbers as a whole, by their value.
function compareTexts(one, other) {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return byLetter(one, other);
  return parseFloat(one.replaceAll(",", "")) - parseFloat(other.replaceAll(",", ""));
}

// What a cell sorts by: its exact number, else its text; null for a value that is not known.
function sortKey(cell, isNumber) {
  if (cell.querySelector(".null")) return null;
  const exact = cell.querySelector("data");
  const text = exact ? exact.value : cell.textContent;
  return isNumber ? Number(text.replaceAll(",", "")) : text;
}

function sortBy(header) {
  const descending = header.getAttribute("aria-sort") === "ascending";
  for (const other of header.parentElement.children) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const isNumber = header.classList.contains("number");
  const body = header.closest("table").tBodies[0];
  const keyed = [...body.rows].map((row) => [sortKey(row.cells[header.cellIndex], isNumber), row]);
  keyed.sort(([one], [other]) => {
    if (one === null || other === null) return (one === null) - (other === null); // unknown last
    const order = isNumber ? one - other : compareTexts(one, other);
    return descending ? -order : order;
  });
  body.append(...keyed.map(([, row]) => row));
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sortBy(button.parentElement));
}
