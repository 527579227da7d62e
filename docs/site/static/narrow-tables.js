// On a narrow screen each row of a wide table becomes a block, and each cell says which column it is of.
"use strict";

for (const table of document.querySelectorAll("article table.docutils")) {
  const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  if (heads.length < 3) continue;
  table.classList.add("stacks");
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => {
      cell.dataset.label = heads[column] ?? "";
      cell.classList.toggle("empty", cell.textContent.trim() === "");
    });
  }
}
