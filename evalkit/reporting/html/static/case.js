// One case: what was asked, the sources with the quoted spans, the answer with its claims, and what each criterion rests on.

function haystackParts(one) {
  const parts = [one.id, ...one.asked.map((said) => said[1]), one.answer || ""];
  for (const line of one.code) parts.push(line.place, line.reason);
  for (const [word, place, found] of one.decided) if (word !== "pass") parts.push(place, word, found);
  for (const judged of one.judged) {
    for (const reply of judged.refused) parts.push(reply.message);
    if (judged.verdict) {
      for (const claim of judged.verdict.claims) parts.push(claim.text);
      for (const criterion of judged.verdict.criteria) parts.push(criterion.rationale);
    }
  }
  return parts;
}

function section(name, ...children) {
  return make("section", { class: "part" }, make("h2", null, name), ...children);
}

function texts(text) {
  return make("div", { class: "text", dir: "auto" }, text);
}

function chip(claim) {
  return make("span", { class: "chip " + claim.status }, String(claim.id), " ", outcome(claim.status));
}

function claimMarks(judged) {
  return judged.verdict.claims.filter((claim) => claim.at).map((claim) => ({
    start: claim.at[0], end: claim.at[1], kind: "claim " + claim.status, label: () => chip(claim),
  }));
}

// Spans quoted for the same place share a mark that names all who quote it.
function quoteMarks(judged, source) {
  const byPlace = new Map();
  const add = (span, who) => {
    if (span.source !== source || !span.at) return;
    const key = span.at.join(":");
    if (!byPlace.has(key)) byPlace.set(key, { at: span.at, who: new Set() });
    byPlace.get(key).who.add(who);
  };
  for (const claim of judged.verdict.claims) for (const span of claim.evidence) add(span, judged.verdict.rows + " " + claim.id);
  for (const criterion of judged.verdict.criteria) for (const span of criterion.evidence) add(span, criterion.name);
  return [...byPlace.values()].map(({ at, who }) => ({
    start: at[0], end: at[1], kind: "quote", label: () => make("span", { class: "chip quoted" }, [...who].join(", ")),
  }));
}

function sources(one, judged) {
  if (!one.context) return section("Context", make("p", { class: "quiet" }, "not in the run's files"));
  if (!one.context.length) return null;
  return section("Context", one.context.map(([id, text]) => {
    const marks = judged ? quoteMarks(judged, id) : [];
    const name = make("summary", null, make("code", { dir: "auto" }, id), marks.length ? " quoted " + marks.length + (marks.length === 1 ? " time" : " times") : "");
    return make("details", { class: "source", open: marks.length > 0 || one.context.length === 1 }, name, marked(text, marks));
  }));
}

function answer(one, judged) {
  if (one.answer === null) return section("Answer", make("p", { class: "quiet" }, one.no_answer));
  if (one.answer === "") return section("Answer", make("p", { class: "quiet" }, "empty"));
  const marks = judged ? [...claimMarks(judged), ...quoteMarks(judged, "candidate")] : [];
  return section("Answer", marked(one.answer, marks));
}

function claims(judged) {
  if (!judged.verdict.claims.length) return null;
  const kind = judged.verdict.rows;
  const rows = judged.verdict.claims.map((claim) => make("tr", null,
    make("td", { class: "number" }, String(claim.id)),
    make("td", { class: "nowrap" }, outcome(claim.status)),
    make("td", { dir: "auto" }, claim.text, claim.at || kind === "fact" ? null : make("small", null, " (not word for word in the answer)")),
    make("td", null, claim.evidence.map(quoted), claim.cites.length ? make("p", null, make("small", null, "cites " + claim.cites.join(", "))) : null)));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": kind === "fact" ? "Facts" : "Claims" }, make("table", { class: "claims" },
    make("thead", null, make("tr", null, ["no.", "status", kind, "evidence"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", null, rows)));
}

function quoted(span) {
  return make("p", { class: "span" }, make("q", { dir: "auto" }, span.quote), " ", make("code", { dir: "auto" }, span.source),
    span.at ? null : make("small", null, " (not shown in its place)"));
}

function criterion(judged, entry) {
  const asked = index.criteria[judged.rubric + "/" + entry.name];
  const rests = entry.claims.length ? " rests on " + judged.verdict.rows + (entry.claims.length > 1 ? "s " : " ") + entry.claims.join(", ") : "";
  return make("div", { class: "criterion" },
    make("h3", null, outcome(entry.grade.replace("_", " ")), " ", make("span", { dir: "auto" }, entry.name)),
    asked ? make("p", { class: "quiet", dir: "auto" }, asked[0], asked[1] ? " Passes when: " + asked[1] : "") : null,
    make("p", { dir: "auto" }, entry.rationale, rests ? make("small", null, rests) : null),
    entry.evidence.map(quoted));
}

function refused(judged) {
  return judged.refused.map((reply, i) => make("details", { class: "raw", open: !judged.verdict },
    make("summary", null, "refused reply " + (i + 1) + ": " + reply.kind),
    make("p", { dir: "auto" }, reply.message),
    reply.text === null ? make("p", { class: "quiet" }, "the server sent no text") : make("pre", { dir: "auto", tabindex: "0" }, reply.text)));
}

function judgedName(judged) {
  const name = [...new Set([judged.capability, judged.rubric])].join(" / ");
  return judged.sample ? name + ", sample " + (judged.sample + 1) : name;
}

function judgedPart(judged) {
  const by = judged.snapshot ? ", answered by " + judged.snapshot : "";
  const body = [];
  if (judged.verdict) {
    body.push(claims(judged), judged.verdict.criteria.map((entry) => criterion(judged, entry)));
    for (const [kind, source, quote] of judged.verdict.findings) {
      body.push(make("p", { class: "finding" }, "finding, " + kind + (source ? " in " + source : "") + ": ", make("q", { dir: "auto" }, quote)));
    }
    for (const [name, text] of judged.verdict.channels) body.push(make("p", { class: "quiet" }, name + " (channel, never counted): " + text));
  } else {
    body.push(make("p", null, outcome(judged.refused.length ? "judge error" : "not bought"),
      judged.refused.length ? " no reply passed the checks: neither a pass nor a fail" : " nothing was asked"));
  }
  for (const name of judged.abstained) body.push(make("p", { class: "quiet" }, name + ": the floor judge has no rule for it"));
  const overall = judged.verdict && !judged.abstained.length ? make("p", null, "overall ", outcome(judged.verdict.overall.replace("_", " "))) : null;
  return section("Judged: " + judgedName(judged) + by, overall, body, refused(judged));
}

function codePart(one) {
  if (!one.code.length) return null;
  return section("Failed in code", one.code.map((lineOf) => make("div", { class: "criterion" },
    make("h3", null, outcome(lineOf.outcome), " ", make("span", { dir: "auto" }, lineOf.place)),
    make("p", { dir: "auto" }, lineOf.reason),
    lineOf.metadata ? make("details", null, make("summary", null, "what was found"), make("pre", { dir: "auto", tabindex: "0" }, lineOf.metadata)) : null)));
}

function decidedPart(one) {
  if (!one.decided.length) return null;
  const rows = one.decided.map(([word, place, found]) => make("tr", null,
    make("td", { class: "nowrap" }, outcome(word)), make("td", { dir: "auto" }, place), make("td", { dir: "auto" }, found)));
  return section(one.code.length ? "Otherwise decided in code" : "Decided in code",
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Decided in code" }, make("table", { class: "decided" },
      make("thead", null, make("tr", null, ["outcome", "criterion", "value or reason"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", null, rows))));
}

function altered(one) {
  if (!one.altered.length) return null;
  return section("Shown to the judge with a mark", one.altered.map((found) => make("div", null,
    make("p", null, found.finding.replace("_", " ") + " in " + found.source + ", " + found.count + " in all"),
    make("ul", null, found.places.map(([offset, shown, original]) =>
      make("li", null, "at " + offset + ": ", make("code", { dir: "auto" }, shown), " for ", make("code", { dir: "auto" }, original)))))));
}

function marksSomething(judged) {
  return judged.verdict && (judged.verdict.claims.length > 0 || judged.verdict.criteria.some((entry) => entry.evidence.length > 0));
}

// Of several judge uses and samples one marks the texts at a time; a choice says which.
function marking(one, chosen, onChoose) {
  const able = one.judged.map((judged, i) => [judged, i]).filter(([judged]) => marksSomething(judged));
  if (able.length < 2) return null;
  const select = make("select", null, able.map(([judged, i]) => make("option", { value: String(i), selected: i === chosen }, judgedName(judged))));
  select.addEventListener("change", () => onChoose(Number(select.value)));
  return make("p", { class: "marking" }, make("label", null, "Texts are marked by ", select));
}

function firstWithClaims(one) {
  const claimed = one.judged.findIndex((judged) => judged.verdict && judged.verdict.claims.length);
  return claimed >= 0 ? claimed : one.judged.findIndex(marksSomething);
}

function caseBody(one, chosen, onChoose) {
  const judged = chosen >= 0 ? one.judged[chosen] : null;
  const facts = [];
  if (one.capabilities.length) facts.push("capabilities: " + one.capabilities.join(", "));
  if (one.tags.length) facts.push("tags: " + one.tags.join(", "));
  const asked = one.asked.map(([role, text]) => [role ? make("p", { class: "role" }, role) : null, texts(text)]);
  return [
    facts.length ? make("p", { class: "quiet", dir: "auto" }, facts.join("; ")) : null,
    index.notes.map((note) => make("p", { class: "caution" }, note)),
    marking(one, chosen, onChoose),
    make("div", { class: "columns" },
      make("div", null,
        section("Asked", asked.length ? asked : make("p", { class: "quiet" }, "not in the run's files")),
        answer(one, judged),
        one.tool_calls ? section("Tool calls", make("pre", { dir: "auto", tabindex: "0" }, one.tool_calls)) : null,
        one.expected ? section("Expected", make("pre", { dir: "auto", tabindex: "0" }, one.expected)) : null),
      make("div", null, sources(one, judged), one.evidence ? section("Evidence", make("pre", { dir: "auto", tabindex: "0" }, one.evidence)) : null)),
    codePart(one),
    one.judged.map(judgedPart),
    decidedPart(one),
    altered(one),
  ];
}
