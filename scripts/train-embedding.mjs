// Learns the word vectors of the search: which words mean about the same.
//
//   npm run setup && node scripts/train-embedding.mjs --data DIR [--write]
//
// It reads operations of public APIs (APIs-guru, CC0), the requests that ship with this package, where they are there
// requests of MetaTool (MIT) and the tools of real servers, and no other text. What the vectors are worth is measured by scripts/train-reranker.mjs, which has to run after this.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadCorpus, withoutMetaTool } from "./learning/corpus.mjs";
import { trainVectors } from "./learning/train-vectors.mjs";

const HELP = `node scripts/train-embedding.mjs --data DIR [--without-metatool] [--write]

  --data DIR          holds large/catalog.jsonl, whose last 16,288 lines are the operations of APIs-guru, and
                      metatool/catalog.jsonl, metatool/train.jsonl and real-requests/catalog.jsonl
  --without-metatool  learn without MetaTool
  --write             write src/core/search/embedding-weights.ts
  --help              show this

It takes about half a minute, and the same data gives the same bytes.
`;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    "without-metatool": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.data === undefined) throw new Error("--data DIR is needed; --help says more");
else train(values.data);

/** @param {string} folder */
function train(folder) {
  const corpus = loadCorpus(folder);
  const { width, packed, words } = trainVectors(values["without-metatool"] ? withoutMetaTool(corpus) : corpus);
  console.log(`${words} words of ${width} numbers, ${Math.round(packed.length / 1024)} KB as text`);
  if (!values.write) return;
  const file = fileURLToPath(new URL("../src/core/search/embedding-weights.ts", import.meta.url));
  writeFileSync(
    file,
    `/** Written by \`scripts/train-embedding.mjs\`: hashes of words, followed by a row of small numbers for each. */
export const EMBEDDING: { readonly width: number; readonly packed: string } = {
  width: ${width},
  packed:
    "${packed}",
};
`,
  );
}
