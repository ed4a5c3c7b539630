// One case of two runs: both answers with the words that differ, and why each criterion failed in either.

function haystackParts(one) {
  const parts = [one.id, ...one.asked.map((said) => said[1])];
  for (const answer of one.answers) if (answer) parts.push(answer.map((piece) => piece[1]).join(""));
  for (const change of one.changes) parts.push(change.place, change.why, ...change.reasons);
  return parts;
}

function section(name, ...children) {
  return make("section", { class: "part" }, make("h2", null, name), ...children);
}

function pieces(answer, element) {
  if (answer === null) return make("p", { class: "quiet" }, "none, or not in the run's files");
  return make("div", { class: "text", dir: "auto" }, answer.map(([kind, text]) =>
    (kind === "same" ? put(document.createDocumentFragment(), text) : make(element, null, text))));
}

function change(one) {
  const sides = ["A", "B"].map((side, i) => (one.reasons[i] ? make("p", { dir: "auto" }, make("b", null, side + ": "), one.reasons[i]) : null));
  return make("div", { class: "criterion" }, make("h3", null, outcome(one.outcome), " ", make("span", { dir: "auto" }, one.place)),
    one.why ? make("p", { class: "quiet" }, one.why) : null, sides);
}

function firstWithClaims() {
  return -1;
}

function caseBody(one) {
  const asked = one.asked.map(([role, text]) => [role ? make("p", { class: "role" }, role) : null, make("div", { class: "text", dir: "auto" }, text)]);
  return [
    one.tags.length ? make("p", { class: "quiet", dir: "auto" }, "tags: " + one.tags.join(", ")) : null,
    index.notes.map((note) => make("p", { class: "caution" }, note)),
    section("Asked", asked.length ? asked : make("p", { class: "quiet" }, "not in the run's files")),
    make("div", { class: "columns" },
      section("Answer in A", pieces(one.answers[0], "del")),
      section("Answer in B", pieces(one.answers[1], "ins"))),
    one.compared ? null : make("p", { class: "quiet" }, "The answers are too long to mark what differs."),
    section("What came of it", one.changes.map(change)),
    one.context.length ? section("Context", one.context.map(([id, text]) => make("details", { class: "source" },
      make("summary", null, make("code", { dir: "auto" }, id)), make("div", { class: "text", dir: "auto" }, text)))) : null,
  ];
}
