// The page: draws what the address says, and changes the address when somebody types, clicks or presses a key.

const overview = document.getElementById("overview");
const article = document.getElementById("case");
const form = document.getElementById("filters");
const home = document.title;
let state = addressed();
let listAt = 0;
let opened = "";

function go(changes, replace) {
  state = { ...state, ...changes };
  const target = address(state);
  if (replace) history.replaceState(null, "", target === "#" ? location.pathname + location.search : target);
  else if (location.hash !== target) history.pushState(null, "", target);
  draw();
}

function options(name, values, words) {
  const select = form.elements[name];
  if (!select) return;
  for (const [i, value] of values.entries()) {
    const option = make("option", null, words ? words[i] : value);
    option.value = value;
    select.append(option);
  }
  select.disabled = !values.length;
}

function prepareForm() {
  const places = index.places.filter((place) => place[0] !== "");
  options("outcome", ["failure", ...index.outcomes], ["any " + index.failure, ...index.outcomes]);
  options("capability", [...new Set(places.map((place) => place[0]))]);
  options("criterion", [...new Set(places.map(columnName))]);
  options("tag", [...index.tags].sort());
  options("finding", index.findings);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const changes = {};
    for (const name of FILTERS) {
      const field = form.elements[name];
      if (field) changes[name] = field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value;
    }
    go(changes, true);
  });
  document.getElementById("clear").addEventListener("click", () => {
    go(Object.fromEntries(FILTERS.map((name) => [name, ""])), true);
    form.elements.q.focus();
  });
  document.getElementById("more").addEventListener("click", () => {
    const before = drawn;
    drawMore(state);
    document.getElementById("list").children[before]?.querySelector("a").focus();
  });
  form.hidden = false;
}

// What the address asks for and no menu of this page offers: an address of another run, or a name mistyped.
function isOffered(name) {
  const field = form.elements[name];
  if (name === "q" || !state[name]) return true;
  if (!field) return false;
  return field.type === "checkbox" ? state[name] === "yes" : [...field.options].some((option) => option.value === state[name] && !option.dataset.unknown);
}

function showForm() {
  for (const option of form.querySelectorAll("option[data-unknown]")) option.remove();
  const unknown = FILTERS.filter((name) => !isOffered(name));
  for (const name of FILTERS) {
    const field = form.elements[name];
    if (field && field.type === "checkbox") field.checked = state[name] === "yes";
    else if (field && field.value !== state[name]) {
      if (unknown.includes(name)) {
        const option = make("option", { "data-unknown": true }, state[name] + " (unknown)");
        option.value = state[name];
        field.append(option);
      }
      field.value = state[name];
    }
  }
  const said = document.getElementById("unknown");
  said.hidden = !unknown.length;
  said.textContent = unknown.length ? "This page knows no " + unknown.map((name) => name + ' "' + plain(state[name]) + '"').join(", no ") + ". Clear the filter, or correct the address." : "";
}

function neighbour(step, failuresOnly) {
  const order = shownCases;
  let i = order.findIndex((number) => index.cases[number][0] === state.case);
  if (i < 0 && step < 0) i = order.length;
  for (i += step; i >= 0 && i < order.length; i += step) {
    if (!failuresOnly || isFailure(index.cases[order[i]])) return index.cases[order[i]][0];
  }
  return "";
}

function step(label, id, relation) {
  if (!id) return make("span", { class: "quiet" }, label);
  return make("a", { href: address({ ...state, case: id }), rel: relation }, label);
}

async function drawCase() {
  const number = index.cases.findIndex((entry) => entry[0] === state.case);
  const wanted = state.case;
  const head = [
    make("nav", { class: "steps", "aria-label": "Cases" },
      make("a", { href: address({ ...state, case: "" }), "data-back": true }, "All cases"),
      step("Previous " + index.failure, neighbour(-1, true), "prev"),
      step("Next " + index.failure, neighbour(1, true), "next")),
    make("h1", { id: "case-title", tabindex: "-1", dir: "auto" }, wanted),
    make("p", { class: "quiet" }, make("a", { href: address({ case: wanted }), id: "self" }, "Link to this case")),
  ];
  if (number < 0) {
    article.replaceChildren(...head, make("p", null, "This page lists no case of this id: it failed nothing and no judge saw it, or it is no case of the run."));
    return;
  }
  const one = await detail(number);
  if (state.case !== wanted) return;
  const show = (chosen) => {
    const body = make("div", null, caseBody(one, chosen, (other) => {
      show(other);
      article.querySelector("select")?.focus();
    }));
    article.replaceChildren(...head, ...body.childNodes);
  };
  show(firstWithClaims(one));
}

async function draw() {
  showForm();
  drawList(state);
  const isCase = state.case !== "";
  if (isCase && opened === "") listAt = window.scrollY;
  const changed = opened !== state.case;
  const left = opened;
  opened = state.case;
  document.title = isCase ? plain(state.case) + ": " + home : home;
  if (isCase) await drawCase();
  overview.hidden = isCase;
  article.hidden = !isCase;
  if (!changed) return;
  if (isCase) {
    window.scrollTo(0, 0);
    document.getElementById("case-title").focus({ preventScroll: true });
  } else {
    window.scrollTo(0, listAt);
    const back = [...document.querySelectorAll("#list a")].find((link) => link.textContent === plain(left));
    back?.focus({ preventScroll: listAt > 0 });
  }
}

function toSection(name) {
  const target = document.getElementById(name);
  if (!target) return;
  if (state.case) go({ case: "" });
  target.scrollIntoView();
  target.focus({ preventScroll: true });
}

// Links within the page go through the address; a link to a section keeps the filter.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const target = link.getAttribute("href");
  event.preventDefault();
  if (!target.includes("=") && target !== "#") return void toSection(target.slice(1));
  if (location.hash !== target) history.pushState(null, "", target);
  const before = state;
  state = addressed();
  draw();
  if (!state.case && !before.case) toSection("cases");
});

window.addEventListener("popstate", () => {
  state = addressed();
  draw();
});

const KEYS = {
  j: () => openNeighbour(1, true),
  k: () => openNeighbour(-1, true),
  n: () => openNeighbour(1, false),
  p: () => openNeighbour(-1, false),
  "/": () => {
    if (state.case) go({ case: "" });
    form.elements.q.focus();
  },
  Escape: () => { if (state.case) go({ case: "" }); },
};

function openNeighbour(direction, failuresOnly) {
  const id = neighbour(direction, failuresOnly);
  if (id) go({ case: id });
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
  const wanted = KEYS[event.key];
  if (!wanted || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key !== "Escape" && (typing || !document.getElementById("keys").checked)) return;
  if (event.key === "Escape" && typing) return void event.target.blur();
  event.preventDefault();
  wanted();
});

window.addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not(.keys)")) folded.open = true;
});

async function begin() {
  index = await unpack(document.getElementById("index"));
  index.mendSet = new Set(index.mend);
  unshown = new RegExp(index.unshown, "gu");
  prepareForm();
  await draw();
  document.documentElement.dataset.ready = "list";
  await readAll(() => {
    if (state.q && (read === index.cases.length || !(read % (BLOCK * 16)))) drawList(state);
  });
  if (state.q) drawList(state);
  document.documentElement.dataset.ready = "all";
}

begin();
