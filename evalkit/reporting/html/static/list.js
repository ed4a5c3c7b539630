// The list of cases: filtered in one pass over short entries, drawn a hundred at a time.

const PAGE = 100;
let index = null;
let shownCases = [];
let drawn = 0;
let lastSearch = { q: "", read: 0, hits: null };

function columnName(place) {
  return place[1] + "/" + place[2];
}

function title(place) {
  return [...new Set(place)].join(" / ");
}

function isFailure(entry) {
  for (let i = 1; i < entry[5].length; i += 2) if (index.mendSet.has(entry[5][i])) return true;
  return false;
}

function hasOutcome(entry, word) {
  const wanted = index.outcomes.indexOf(word);
  for (let i = 1; i < entry[5].length; i += 2) if (entry[5][i] === wanted) return true;
  return false;
}

// A case stays where one and the same criterion answers to capability, criterion and outcome together.
function placesThatFit(state) {
  return index.places.map((place) =>
    (!state.capability || place[0] === state.capability) && (!state.criterion || columnName(place) === state.criterion));
}

function fits(entry, state, places, outcomeNumber) {
  const outcomes = entry[5];
  if (state.capability || state.criterion || state.outcome) {
    let found = false;
    for (let i = 0; i < outcomes.length && !found; i += 2) {
      if (!places[outcomes[i]]) continue;
      found = !state.outcome || (state.outcome === "failure" ? index.mendSet.has(outcomes[i + 1]) : outcomes[i + 1] === outcomeNumber);
    }
    if (!found) return false;
  }
  if (state.tag && !entry[3].includes(index.tagNumber)) return false;
  if (state.finding && !entry[4].includes(index.findingNumber)) return false;
  return !state.flipped || entry[6] === 1;
}

// Whether a filter may mean cases that this page does not list.
function asksForMore(state) {
  if (state.outcome) return state.outcome !== "failure" && !index.mendSet.has(index.outcomes.indexOf(state.outcome));
  return Boolean(state.capability || state.criterion);
}

// A longer search looks only where the shorter one found something.
function searched(q) {
  if (!q) return null;
  const narrower = lastSearch.hits && lastSearch.read === read && lastSearch.q && q.includes(lastSearch.q);
  const hits = new Uint8Array(index.cases.length);
  for (let i = 0; i < read; i += 1) {
    if ((!narrower || lastSearch.hits[i]) && haystacks[i].includes(q)) hits[i] = 1;
  }
  lastSearch = { q, read, hits };
  return hits;
}

function filtered(state) {
  const places = placesThatFit(state);
  const outcomeNumber = index.outcomes.indexOf(state.outcome);
  index.tagNumber = index.tags.indexOf(state.tag);
  index.findingNumber = index.findings.indexOf(state.finding);
  const hits = searched(state.q.trim().toLowerCase());
  const order = state.order === "golden" ? index.cases.keys() : index.worst;
  const kept = [];
  for (const i of order) {
    if ((!hits || hits[i]) && fits(index.cases[i], state, places, outcomeNumber)) kept.push(i);
  }
  return kept;
}

// A page that compares names whatever came of a case, a run's page what failed. The overall verdict is named only where no single
// criterion says why, or says the same.
function isNamed(outcome) {
  return index.names_all || index.mendSet.has(outcome);
}

function namedWords(entry) {
  const byOutcome = new Map();
  const single = new Set();
  const spokenFor = (place, outcome) => place[0] + "\n" + place[1] + "\n" + (index.names_all ? outcome : "");
  for (let i = 0; i < entry[5].length; i += 2) {
    const place = index.places[entry[5][i]];
    if (place[2] !== "overall" && isNamed(entry[5][i + 1])) single.add(spokenFor(place, entry[5][i + 1]));
  }
  for (let i = 0; i < entry[5].length; i += 2) {
    if (!isNamed(entry[5][i + 1])) continue;
    const place = index.places[entry[5][i]];
    if (place[2] === "overall" && single.has(spokenFor(place, entry[5][i + 1]))) continue;
    const word = index.outcomes[entry[5][i + 1]];
    if (!byOutcome.has(word)) byOutcome.set(word, []);
    byOutcome.get(word).push(title(place));
  }
  return byOutcome;
}

function line(number, state) {
  const entry = index.cases[number];
  const outcomes = [...namedWords(entry)].map(([word, names]) => make("span", { class: "came" }, outcome(word), " ", names.join(", ")));
  if (!outcomes.length) {
    outcomes.push(hasOutcome(entry, "missing output") ? make("span", { class: "came" }, outcome("missing output")) : make("span", { class: "came quiet" }, index.names_all ? "nothing was decided" : "nothing failed"));
  }
  if (entry[6]) outcomes.push(make("span", { class: "came" }, outcome("unstable"), " flipped"));
  return make("li", null,
    make("p", { class: "ask" }, make("a", { href: address({ ...state, case: entry[0] }), dir: "auto" }, entry[0]), " ", make("span", { dir: "auto" }, entry[1])),
    entry[2] ? make("p", { class: "why", dir: "auto" }, entry[2]) : null,
    make("p", { class: "failed" }, outcomes));
}

function drawMore(state) {
  const list = document.getElementById("list");
  const rows = document.createDocumentFragment();
  for (const number of shownCases.slice(drawn, drawn + PAGE)) rows.append(line(number, state));
  list.append(rows);
  drawn = Math.min(shownCases.length, drawn + PAGE);
  const more = document.getElementById("more");
  more.hidden = drawn >= shownCases.length;
  more.textContent = "Show " + Math.min(PAGE, shownCases.length - drawn).toLocaleString("en") + " more";
}

let drawnFor = "";

function drawList(state) {
  const filter = address({ ...state, case: "" }) + (state.q ? " " + read : "");
  if (filter === drawnFor) return;
  drawnFor = filter;
  const began = performance.now();
  shownCases = filtered(state);
  drawn = 0;
  document.getElementById("list").replaceChildren();
  drawMore(state);
  const all = index.cases.length;
  const reading = state.q && read < all ? ", " + Math.floor(100 * read / all) + " % of the texts searched so far" : "";
  document.getElementById("count").textContent =
    shownCases.length.toLocaleString("en") + " of " + all.toLocaleString("en") + " cases" + reading + (index.unlisted && asksForMore(state) ? "; " + index.unlisted : "");
  performance.measure("filter", { start: began, end: performance.now() });
}
