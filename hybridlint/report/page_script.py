"""The script of the HTML page: its table of classes is filtered by a text, and sorted by a click."""

from __future__ import annotations

SCRIPT = """
(() => {
  const table = document.querySelector("table");
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows];
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "filter by class, file, code or outcome";
  field.setAttribute("aria-label", field.placeholder);
  table.parentElement.before(field);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const row of rows) {
      const told = (row.textContent + " " + row.dataset.codes).toLowerCase();
      const shown = words.every((word) => told.includes(word));
      row.hidden = !shown;
      const card = document.getElementById(row.dataset.part);
      if (card) card.hidden = !shown;
    }
  });
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.tabIndex = 0;
    head.setAttribute("role", "button");
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].textContent.trim();
      const by = new Intl.Collator(undefined, { numeric: true });
      rows.sort((a, b) => by.compare(key(a), key(b)) * (down ? -1 : 1));
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
})();
"""
