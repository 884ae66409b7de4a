// Ten tasks over real servers, each as a model would do it: in single calls, one step for what does not depend on each other, and
// in code. `search` is what it looks for first where tools are not loaded.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ tool: string, args: Record<string, unknown> }} Call
 * @typedef {{ name: string, prompt: string, search: string[], steps: Call[][], code: string }} Task
 */

const MONTHS = Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, "0"));
const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "Africa/Nairobi"];
const PEOPLE = ["ada", "grace", "edsger", "barbara", "donald", "frances"];

/**
 * Writes what the tasks are about.
 * @param {string} folder
 */
export function writeFiles(folder) {
  for (const name of ["reports", "logs", "notes", "inbox", "done"]) mkdirSync(join(folder, name), { recursive: true });
  const write = (/** @type {string} */ path, /** @type {string[]} */ lines) =>
    writeFileSync(join(folder, path), `${lines.join("\n")}\n`);
  for (const month of MONTHS) {
    const rows = Array.from({ length: 60 }, (_, at) => `2026-${month}-${(at % 28) + 1},item-${at},${(at * 37) % 500}`);
    write(`reports/${month}.csv`, ["date,item,amount", ...rows]);
    write(
      `logs/${month}.log`,
      Array.from({ length: 80 }, (_, at) => `${at % 27 === 0 ? "ERROR disk full" : "INFO request served"} ${at}`),
    );
    write(`notes/${month}.md`, [
      `# Notes of month ${month}`,
      ...Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of the notes of that month.`),
    ]);
    write(`inbox/${month}.txt`, [`Letter ${month}`]);
  }
}

/**
 * @param {string} folder
 * @returns {Task[]}
 */
export function writeTasks(folder) {
  return [...fileTasks(folder), ...otherTasks(folder)];
}

/**
 * @param {string} folder
 * @returns {Task[]}
 */
function fileTasks(folder) {
  const at = (/** @type {string} */ path) => `${folder}/${path}`;
  const read = (/** @type {string} */ path) => ({ tool: "fs__read_text_file", args: { path: at(path) } });
  const list = (/** @type {string} */ path) => ({ tool: "fs__list_directory", args: { path: at(path) } });
  const names = (/** @type {string} */ path) =>
    `(await fs.list_directory({ path: "${at(path)}" })).content.split("\\n").map((line) => line.replace("[FILE] ", "")).filter(Boolean)`;
  const text = (/** @type {string} */ path) => `(await fs.read_text_file({ path: "${at(path)}/" + name })).content`;
  return [
    {
      name: "sum twelve reports",
      prompt: "Add up the amounts of all reports and tell me the total and the best month.",
      search: ["list the files of a folder", "read a text file"],
      steps: [[list("reports")], MONTHS.map((month) => read(`reports/${month}.csv`))],
      code: `const sums = await Promise.all((${names("reports")}).map(async (name) => {
  const rows = ${text("reports")}.trim().split("\\n").slice(1);
  return { name, total: rows.reduce((sum, row) => sum + Number(row.split(",")[2]), 0) };
}));
return { total: sums.reduce((sum, { total }) => sum + total, 0), best: sums.sort((a, b) => b.total - a.total)[0] };`,
    },
    {
      name: "errors in twelve logs",
      prompt: "Which logs have errors, and how many each?",
      search: ["list the files of a folder", "read a text file"],
      steps: [[list("logs")], MONTHS.map((month) => read(`logs/${month}.log`))],
      code: `return await Promise.all((${names("logs")}).map(async (name) => [name, ${text("logs")}.split("\\n").filter((line) => line.startsWith("ERROR")).length]));`,
    },
    {
      name: "index of twelve notes",
      prompt: "Write an index of the notes with their titles to index.md.",
      search: ["list the files of a folder", "read a text file", "write a file"],
      steps: [
        [list("notes")],
        MONTHS.map((month) => read(`notes/${month}.md`)),
        [
          {
            tool: "fs__write_file",
            args: {
              path: at("index.md"),
              content: MONTHS.map((month) => `- [Notes of month ${month}](notes/${month}.md)`).join("\n"),
            },
          },
        ],
      ],
      code: `const lines = await Promise.all((${names("notes")}).map(async (name) => {
  const title = ${text("notes")}.split("\\n")[0].slice(2);
  return \`- [\${title}](notes/\${name})\`;
}));
await fs.write_file({ path: "${at("index.md")}", content: lines.join("\\n") });
return lines.length + " notes";`,
    },
    {
      name: "move twelve letters",
      prompt: "Move all letters of the inbox to done.",
      search: ["list the files of a folder", "move a file"],
      steps: [
        [list("inbox")],
        MONTHS.map((month) => ({
          tool: "fs__move_file",
          args: { source: at(`inbox/${month}.txt`), destination: at(`done/${month}.txt`) },
        })),
      ],
      code: `const moved = ${names("inbox")};
await Promise.all(moved.map((name) => fs.move_file({ source: "${at("inbox")}/" + name, destination: "${at("done")}/" + name })));
return moved.length;`,
    },
    {
      name: "the largest of twelve files",
      prompt: "Which report is the largest file?",
      search: ["list the files of a folder", "information about a file such as its size"],
      steps: [
        [list("reports")],
        MONTHS.map((month) => ({ tool: "fs__get_file_info", args: { path: at(`reports/${month}.csv`) } })),
      ],
      code: `const sizes = await Promise.all((${names("reports")}).map(async (name) =>
  ({ name, size: Number(/size: (\\d+)/.exec((await fs.get_file_info({ path: "${at("reports")}/" + name })).content)[1]) })));
return sizes.sort((a, b) => b.size - a.size)[0];`,
    },
  ];
}

/**
 * @param {string} folder
 * @returns {Task[]}
 */
function otherTasks(folder) {
  const at = (/** @type {string} */ path) => `${folder}/${path}`;
  return [
    {
      name: "the time in five places",
      prompt: "What time is it in Berlin, New York, Tokyo, Sydney and Nairobi?",
      search: ["current time in a time zone"],
      steps: [
        ZONES.map((timezone) => ({ tool: "time__current_time", args: { timezone, format: "YYYY-MM-DD HH:mm:ss" } })),
      ],
      code: `return await Promise.all(${JSON.stringify(ZONES)}.map((timezone) => time.current_time({ timezone, format: "YYYY-MM-DD HH:mm:ss" })));`,
    },
    {
      name: "remember six people and how they are related",
      prompt: "Remember these six people, that each knows the next, and read back what you know.",
      search: ["remember facts about a person", "how things are related", "read the whole knowledge graph"],
      steps: [
        ...PEOPLE.map((name) => [
          {
            tool: "memory__create_entities",
            args: { entities: [{ name, entityType: "person", observations: [`${name} is a colleague`] }] },
          },
        ]),
        [
          {
            tool: "memory__create_relations",
            args: { relations: PEOPLE.slice(1).map((to, one) => ({ from: PEOPLE[one], to, relationType: "knows" })) },
          },
        ],
        [{ tool: "memory__read_graph", args: {} }],
      ],
      code: `const people = ${JSON.stringify(PEOPLE)};
await memory.create_entities({ entities: people.map((name) => ({ name, entityType: "person", observations: [name + " is a colleague"] })) });
await memory.create_relations({ relations: people.slice(1).map((to, at) => ({ from: people[at], to, relationType: "knows" })) });
const graph = await memory.read_graph();
return [graph.entities.length, graph.relations.length];`,
    },
    {
      name: "a sum in six steps",
      prompt: "Add 1, 2, 3, 4, 5, 6 and 7 with the tool, one after the other.",
      search: ["add two numbers"],
      steps: [3, 6, 10, 15, 21, 28].map((sum, one) => [
        { tool: "everything__get-sum", args: { a: sum - one - 2, b: one + 2 } },
      ]),
      code: `let sum = 1;
for (const b of [2, 3, 4, 5, 6, 7]) sum = Number(/is (\\d+)\\.?$/.exec(await everything.get_sum({ a: sum, b }))[1]);
return sum;`,
    },
    {
      name: "the weather in three places",
      prompt: "Where is it warmest: New York, Chicago or Los Angeles?",
      search: ["weather of a place"],
      steps: [
        ["New York", "Chicago", "Los Angeles"].map((location) => ({
          tool: "everything__get-structured-content",
          args: { location },
        })),
      ],
      code: `const places = await Promise.all(["New York", "Chicago", "Los Angeles"].map(async (location) =>
  ({ location, ...(await everything.get_structured_content({ location })) })));
return places.sort((a, b) => b.temperature - a.temperature)[0];`,
    },
    {
      name: "copy one file",
      prompt: "Copy the first report to copy.csv.",
      search: ["read a text file", "write a file"],
      steps: [
        [{ tool: "fs__read_text_file", args: { path: at("reports/01.csv") } }],
        [{ tool: "fs__write_file", args: { path: at("copy.csv"), content: "date,item,amount\n".repeat(60) } }],
      ],
      code: `const { content } = await fs.read_text_file({ path: "${at("reports/01.csv")}" });
await fs.write_file({ path: "${at("copy.csv")}", content });
return "copied";`,
    },
  ];
}
