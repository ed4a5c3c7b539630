// Data within the file: base64 of gzip of JSON. Blocks of cases are unpacked when one of their cases is needed.

const BLOCK = 64;

async function unpack(element) {
  const packed = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const packedBlocks = document.getElementsByClassName("block");
const unpacked = new Map();

function block(number) {
  if (!unpacked.has(number)) {
    if (unpacked.size > 8) unpacked.delete(unpacked.keys().next().value);
    unpacked.set(number, unpack(packedBlocks[number]));
  }
  return unpacked.get(number);
}

async function detail(number) {
  return (await block(Math.floor(number / BLOCK)))[number % BLOCK];
}

// What the search reads of a case, in lower case. Filled while the page is idle; `read` says how far.
const haystacks = [];
let read = 0;

function haystack(one) {
  return haystackParts(one).join("\n").toLowerCase();
}

async function readAll(onBlock) {
  for (let number = 0; number < packedBlocks.length; number += 1) {
    const cases = await unpack(packedBlocks[number]);
    for (const one of cases) haystacks.push(haystack(one));
    read = haystacks.length;
    onBlock();
    await new Promise((resume) => setTimeout(resume, 0));
  }
}
