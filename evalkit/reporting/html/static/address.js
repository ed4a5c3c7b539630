// The state of the page stands in its address: which filter, which case. A link to the address is a link to what is seen.

const FILTERS = ["q", "outcome", "capability", "criterion", "tag", "finding", "flipped", "order"];

function addressed() {
  const state = { case: "" };
  const written = location.hash.slice(1);
  const parameters = new URLSearchParams(written.includes("=") ? written : "");
  for (const name of [...FILTERS, "case"]) state[name] = parameters.get(name) || "";
  return state;
}

function address(state) {
  const parts = [];
  for (const name of [...FILTERS, "case"]) {
    if (state[name]) parts.push(name + "=" + encodeURIComponent(state[name].toWellFormed ? state[name].toWellFormed() : state[name]));
  }
  return "#" + parts.join("&");
}
