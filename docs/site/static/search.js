// The page of the search: the page that bears the name first, then rules, pages and operators, a group each.
// Sphinx finds the pages and scores them; SEARCH_ENTRIES says what kind of page each is.
"use strict";

const SHOWN_AT_FIRST = 6;
const GROUPS = [
  ["rule", "Rules"],
  ["page", "Pages"],
  ["operator", "Operators"],
];
const POSITIONS = new Map(Object.keys(SEARCH_ENTRIES).map((name, position) => [name, position]));

// `F.softmax()`, `nd.softmax` and `hybridlint check` ask for what they call.
function barename(query) {
  const name = query.toLowerCase().trim().replace(/\(.*$/, "").replace(/^hybridlint\s+/, "");
  return name.replace(/^(mx\.)?(f|nd|sym|np|npx)\./, "");
}

// The pages that Sphinx finds: each once, with its best score and its best heading.
function matches(query) {
  const [text, ...terms] = Search._parseQuery(query);
  const byName = new Map();
  for (const [name, title, anchor, , score] of Search._performSearch(text, ...terms)) {
    if (!(name in SEARCH_ENTRIES)) continue;
    const match = byName.get(name) ?? { name, score: -Infinity, heading: null };
    match.score = Math.max(match.score, score);
    if (title.includes(" > ")) match.heading = { text: title.split(" > ").slice(1).join(" > "), anchor };
    byName.set(name, match);
  }
  const bare = barename(query);
  for (const [name, entry] of Object.entries(SEARCH_ENTRIES)) {
    if (!entry[3].includes(bare)) continue;
    const match = byName.get(name) ?? { name, score: 0, heading: null };
    byName.set(name, { ...match, named: true });
  }
  return [...byName.values()];
}

// How well a page fits: whole words of its title, parts of the title or of a heading, its sentence, its text alone.
function closeness(match, words) {
  const [, title, about] = SEARCH_ENTRIES[match.name];
  const lower = title.toLowerCase();
  const parts = lower.split(/[^a-z0-9]+/);
  if (words.every((word) => parts.includes(word))) return 0;
  if (words.every((word) => lower.includes(word))) return 1;
  const heading = (match.heading?.text ?? "").toLowerCase();
  if (words.every((word) => heading.includes(word))) return 1;
  return words.every((word) => `${lower} ${about.toLowerCase()}`.includes(word)) ? 2 : 3;
}

function item({ name, heading }, words) {
  const [, title, about] = SEARCH_ENTRIES[name];
  const element = document.createElement("li");
  const link = element.appendChild(document.createElement("a"));
  link.href = `${name}.html`;
  link.textContent = title;
  if (heading && !words.every((word) => title.toLowerCase().includes(word))) {
    const place = document.createElement("a");
    place.href = `${name}.html${heading.anchor}`;
    place.textContent = heading.text;
    element.append(" › ", place);
  }
  element.appendChild(document.createElement("p")).textContent = about;
  return element;
}

function group(kind, title, found, words) {
  const section = document.createElement("section");
  section.className = `group of-${kind}`;
  section.appendChild(document.createElement("h3")).textContent = title;
  const list = section.appendChild(document.createElement("ul"));
  list.className = "search";
  const add = (some) => list.append(...some.map((match) => item(match, words)));
  // One line more takes no more room than the button.
  const cut = found.length > SHOWN_AT_FIRST + 1 ? SHOWN_AT_FIRST : found.length;
  add(found.slice(0, cut));
  if (cut < found.length) {
    const more = section.appendChild(document.createElement("button"));
    more.type = "button";
    more.textContent = `Show all ${found.length}`;
    more.onclick = () => {
      more.remove();
      add(found.slice(cut));
    };
  }
  return section;
}

Search.query = (query) => {
  const words = barename(query).split(/[^a-z0-9_]+/).filter(Boolean);
  const found = matches(query).map((match) => ({ ...match, closeness: closeness(match, words) }));
  found.sort(
    (a, b) => a.closeness - b.closeness || b.score - a.score || POSITIONS.get(a.name) - POSITIONS.get(b.name),
  );
  const named = found.filter((match) => match.named);
  const sections = named.length ? [group("named", "Best match", named, words)] : [];
  for (const [kind, title] of GROUPS) {
    const some = found.filter((match) => !match.named && SEARCH_ENTRIES[match.name][0] === kind);
    if (some.length) sections.push(group(kind, title, some, words));
  }
  Search.output.replaceWith(...sections);
  _finishSearch(found.length);
  Search.status.textContent =
    found.length === 0
      ? `Nothing found for “${query}”. Search for a code (HYB101), a word of an error message, or an operator.`
      : `${found.length === 1 ? "1 page" : `${found.length} pages`} found for “${query}”.`;
};
