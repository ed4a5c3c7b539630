// One case of a comparison: every pair of answers side by side, and what the judge said in each order.

function haystackParts(one) {
  const parts = [one.id, ...one.asked.map((said) => said[1])];
  for (const pair of one.pairs) {
    for (const answer of pair.answers) if (answer) parts.push(answer.map((piece) => piece[1]).join(""));
    for (const order of pair.orders) parts.push(...order.refused, ...order.criteria.map((entry) => entry.rationale));
  }
  return parts;
}

function section(name, ...children) {
  return make("section", { class: "part" }, make("h2", null, name), ...children);
}

// Two answers are no two versions: what differs is marked alike in both.
function pieces(answer) {
  if (answer === null) return make("p", { class: "quiet" }, "none");
  return make("div", { class: "text", dir: "auto" }, answer.map(([kind, text]) =>
    (kind === "same" ? put(document.createDocumentFragment(), text) : make("mark", { class: "differs" }, text))));
}

function order(one) {
  const sample = one.sample ? ", sample " + (one.sample + 1) : "";
  const criteria = one.criteria.map((entry) => make("div", { class: "criterion" },
    make("p", null, make("b", null, entry.name), " prefers ", make("b", { dir: "auto" }, entry.prefers), entry.rationale ? ": " : "", make("span", { dir: "auto" }, entry.rationale)),
    entry.quotes.map(([quote, source]) => make("p", { class: "span" }, make("q", { dir: "auto" }, quote), " ", make("small", null, source)))));
  return make("div", null,
    make("h3", null, one.shown[0] + " shown first" + sample),
    one.refused.map((text, i) => make("p", { class: "finding", dir: "auto" }, "refused reply " + (i + 1) + ": " + text)),
    criteria.length ? criteria : make("p", null, outcome("no verdict")));
}

function won(pair, came) {
  if (came === "first wins") return outcome(came, pair.names[0] + " wins");
  return came === "second wins" ? outcome(came, pair.names[1] + " wins") : outcome(came);
}

function pairPart(pair) {
  return [
    section(pair.capability + ": " + pair.names.join(" against "),
      make("p", { class: "failed" }, pair.outcomes.map(([name, came]) => make("span", null, make("b", null, name), " ", won(pair, came)))),
      pair.in_code ? make("p", { class: "quiet" }, "decided in code: " + pair.in_code) : null,
      pair.compared ? null : make("p", { class: "quiet" }, "The answers are too long to mark what differs.")),
    pair.answers.every((answer) => answer === null) ? make("p", { class: "quiet" }, "The answers are not known.") : make("div", { class: "columns" },
      make("div", null, make("h3", { dir: "auto" }, pair.names[0]), pieces(pair.answers[0])),
      make("div", null, make("h3", { dir: "auto" }, pair.names[1]), pieces(pair.answers[1]))),
    pair.orders.length ? make("div", { class: "columns" }, pair.orders.map(order)) : null,
  ];
}

function firstWithClaims() {
  return -1;
}

function caseBody(one) {
  const asked = one.asked.map(([role, text]) => [role ? make("p", { class: "role" }, role) : null, make("div", { class: "text", dir: "auto" }, text)]);
  return [
    one.tags.length ? make("p", { class: "quiet", dir: "auto" }, "tags: " + one.tags.join(", ")) : null,
    section("Asked", asked),
    one.pairs.map(pairPart),
    one.context.length ? section("Context", one.context.map(([id, text]) => make("details", { class: "source" },
      make("summary", null, make("code", { dir: "auto" }, id)), make("div", { class: "text", dir: "auto" }, text)))) : null,
  ];
}
