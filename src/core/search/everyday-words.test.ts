import { expect, test } from "vitest";
import { rankWords } from "./rank-words.ts";
import { SearchIndex } from "./search-index.ts";

interface Sketch {
  readonly name: string;
  readonly description: string;
  readonly server?: string;
  readonly examples?: readonly string[];
}

const TOOLS: readonly Sketch[] = [
  { name: "merge_pull_request", description: "Merge a pull request", server: "github" },
  { name: "list_pull_requests", description: "List pull requests of a repository", server: "github" },
  { name: "create_issue", description: "Create an issue in a repository", server: "github" },
  { name: "get_self", description: "Retrieve your token's bot user", server: "notion" },
  { name: "create_page", description: "Create a page", server: "notion" },
  { name: "browser_navigate", description: "Navigate to a URL", server: "playwright" },
  { name: "list_directory", description: "Files and directories of a path", server: "files" },
  { name: "kubectl_scale", description: "Scale a deployment", server: "cluster" },
];

function find(query: string, tools: readonly Sketch[] = TOOLS): readonly string[] {
  const index = new SearchIndex<Sketch>();
  for (const tool of tools) index.add(tool, { server: null, inputSchema: null, ...tool });
  const ranked = rankWords(index, query, new Uint8Array(index.slots.length).fill(1));
  return ranked.map(({ slot }) => `${index.slots[slot]?.server}/${index.slots[slot]?.name}`);
}

test.each([
  ["land the pr", "github/merge_pull_request"],
  ["report a bug", "github/create_issue"],
  ["who am i in notion", "notion/get_self"],
  ["open a website", "playwright/browser_navigate"],
  ["ls", "files/list_directory"],
  ["run five replicas", "cluster/kubectl_scale"],
])("%s finds %s", (query, wanted) => {
  expect(find(query)[0]).toBe(wanted);
});

test("verbs are known with what stands between them and their particle", () => {
  const tools = [
    { name: "revert_release", description: "Rollback of a deployment", server: "ops" },
    { name: "list_releases", description: "All versions", server: "ops" },
  ];
  expect(find("roll the shop back", tools)[0]).toBe("ops/revert_release");
});

test("British words find tools with American ones", () => {
  const tools = [
    { name: "list_artifacts", description: "Files of a build", server: "ci" },
    { name: "set_color", description: "Paints a cell", server: "sheet" },
    { name: "organize", description: "Sorts a folder", server: "files" },
  ];
  expect(["artefacts", "colours", "organise it"].map((query) => find(query, tools)[0])).toEqual([
    "ci/list_artifacts",
    "sheet/set_color",
    "files/organize",
  ]);
});

test("a short word with another letter is another word", () => {
  const tools = [{ name: "get_brand", description: "Retrieve a brand" }];
  expect(find("braid", tools)).toEqual([]);
  expect(find("barnd", tools)).toEqual(["/get_brand"]);
});

test("a letter too many, too few or in the wrong place does not hide a tool", () => {
  for (const query of ["deploymnet", "deploymentt", "deployent"])
    expect(find(query)).toEqual(["cluster/kubectl_scale"]);
});

test("of words that are as near to a mistyped one, that which tools are named by is meant", () => {
  const tools = [
    { name: "get_weather", description: "Forecast of a city" },
    ...["one", "two", "three"].map((name) => ({ name, description: "Says whether it is on" })),
  ];
  expect(find("wether", tools)).toEqual(["/get_weather"]);
});

test("addresses and names of files say what they are", () => {
  const tools = [
    { name: "read_sheet", description: "Reads cells" },
    { name: "whois_ip", description: "Who has an IP" },
    { name: "lookup_domain", description: "Registration facts" },
    { name: "evaluate", description: "Runs JavaScript" },
  ];
  expect(find("open budget.xlsx", tools)[0]).toBe("/read_sheet");
  expect(find("8.8.8.8 is whose", tools)[0]).toBe("/whois_ip");
  expect(find("example.com is whose", tools)[0]).toBe("/lookup_domain");
  expect(find("better than moment.js", tools)).not.toContain("/evaluate");
});

test("a request that fits nothing finds nothing", () => {
  expect(find("xyzzy plugh")).toEqual([]);
});

test("copies of one tool on several servers take one of the first places", () => {
  const copies = ["one", "two", "three"].map((server) => ({
    name: "create_issue",
    description: "Create an issue in a repository",
    server,
  }));
  const other = { name: "create_issue_comment", description: "Add a comment to an issue", server: "one" };
  const found = find("create an issue", [...copies, other]);
  expect(found.slice(0, 2)).toEqual([expect.stringMatching(/\/create_issue$/), "one/create_issue_comment"]);
  expect(found).toHaveLength(4);
  const elsewhere = { name: "create_issue", description: "Adds a ticket to a GitLab project", server: "lab" };
  expect([...find("create an issue", [...copies.slice(0, 1), elsewhere])].sort()).toEqual([
    "lab/create_issue",
    "one/create_issue",
  ]);
});

test("the server's name chooses the server, and the other words its tool", () => {
  const tools = ["github", "gitlab"].flatMap((server) =>
    ["create_issue", "close_issue", "list_labels"].map((name) => ({
      name,
      description: `${name} of ${server}`,
      server,
    })),
  );
  expect(find("gitlab labels", tools)[0]).toBe("gitlab/list_labels");
  expect(find("close it on github", tools)[0]).toBe("github/close_issue");
});

test("requests that were made for a tool find it", () => {
  const tools = [
    { name: "zap", description: "Starts a job", examples: ["wake the llama", "feed the llama"] },
    { name: "zip", description: "Starts another job", examples: ["brush a horse"] },
  ];
  expect(find("feed my llama", tools)).toEqual(["/zap"]);
});

test("words that say one thing together count as that, and less as themselves", () => {
  const tools = [
    { name: "create_refund", description: "Refund a payment", server: "shop" },
    { name: "navigate_back", description: "Go back in the history", server: "browser" },
    { name: "list_customers", description: "All customers", server: "shop" },
  ];
  expect(find("my money back for this order", tools)[0]).toBe("shop/create_refund");
});

test("two words that are written as one find a tool whose name has both, and no other", () => {
  const tools = [
    { name: "generate_mind_map", description: "Ideas around a topic", server: "charts" },
    { name: "generate_map", description: "Places on a map", server: "charts" },
    { name: "read_mind", description: "Reads thoughts", server: "charts" },
  ];
  expect(find("mindmap", tools)[0]).toBe("charts/generate_mind_map");
  expect(find("mindmap", tools.slice(1))).toEqual([]);
});
