import fc from "fast-check";
import { expect, test } from "vitest";
import { viewToolset } from "../../src/core/search/toolset-view.ts";
import { type DefinedTool, defineTool } from "../../src/core/tool/define-tool.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { rounds } from "../support/rounds.ts";

const NAMES = ["read_issue", "list_issues", "send_mail", "find_user", "close_door", "open_door", "book_room"] as const;
const WORDS = ["issue", "mail to a user", "door", "/^(read|list)_/", "+door open", "select:send_mail,book_room", "???"];
const RUNS = rounds(200, 50);
const FIXED = new Set(["open_door"]);

/** A tool in one of its versions; which one tells a signature apart. */
function toolOf(name: string, version: number): DefinedTool {
  return defineTool(name, {
    description: `${name.replace("_", "s a ")} (${version})`,
    ...(FIXED.has(name) ? { defer: "never" } : {}),
    handler: async () => (version === 1 ? "done" : Promise.reject(new Error("broken"))),
  });
}

const anyName = fc.constantFrom(...NAMES);
const anyStep = fc.oneof(
  fc.record({ do: fc.constant("search" as const), query: fc.constantFrom(...WORDS) }),
  fc.record({ do: fc.constant("load" as const), name: anyName }),
  fc.record({ do: fc.constant("call" as const), name: anyName }),
  fc.record({ do: fc.constant("change" as const), name: anyName }),
  fc.record({ do: fc.constant("remove" as const), name: anyName }),
  fc.record({ do: fc.constant("exclude" as const), name: anyName }),
  fc.record({ do: fc.constant("turn" as const) }),
  fc.record({ do: fc.constant("resume" as const) }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;

/** One conversation that may be closed and taken up again. */
class Conversation {
  readonly versions = new Map<string, number>([...NAMES.slice(0, 5)].map((name) => [name, 1]));
  excluded: readonly string[] = [];
  /** What each name's definition was when a search last loaded it. */
  readonly loadedAs = new Map<string, string>();
  session: Session | null = null;

  async open(promoted: Session["promotions"] | null = null): Promise<Session> {
    this.session = await createSession({
      builtins: "all",
      workspace: null,
      tools: this.tools(),
      excludedTools: [...this.excluded],
      toolSearch: { threshold: 1, percent: 10 },
      model: "small",
      models: { small: { contextWindow: 600 } },
      permissions: { allow: [...NAMES, "tool_search"] },
      ...(promoted === null ? {} : { promoted }),
    });
    return this.session;
  }

  tools(): readonly DefinedTool[] {
    return [...this.versions].map(([name, version]) => toolOf(name, version));
  }

  async take(step: Step): Promise<void> {
    const session = this.session ?? (await this.open());
    switch (step.do) {
      case "search":
      case "load": {
        const query = step.do === "search" ? step.query : `select:${step.name}`;
        const { structured } = await session.call("tool_search", { query });
        const { loaded = [] } = (structured ?? {}) as { readonly loaded?: readonly string[] }; // As the source gives it.
        for (const { entry } of session.toolset.placements)
          if (loaded.includes(entry.wireName)) this.loadedAs.set(entry.wireName, entry.signature);
        return;
      }
      case "call":
        await session.call(step.name);
        return;
      case "change":
        this.versions.set(step.name, (this.versions.get(step.name) ?? 0) === 1 ? 2 : 1);
        session.setTools("host", [...this.tools()]);
        return session.refresh();
      case "remove":
        this.versions.delete(step.name);
        session.setTools("host", [...this.tools()]);
        return session.refresh();
      case "exclude":
        this.excluded = this.excluded.includes(step.name) ? [] : [step.name];
        return session.updateOptions({ excludedTools: [...this.excluded] });
      case "turn":
        return session.nextTurn();
      case "resume": {
        const promoted = JSON.parse(JSON.stringify(session.promotions));
        await session.close();
        await this.open(promoted);
      }
    }
  }
}

function check(toolset: Toolset, loadedAs: ReadonlyMap<string, string>): void {
  const { catalog, placements, judged } = toolset;
  const permitted = catalog.entries.filter((_, at) => judged[at]?.some(({ verdict }) => verdict === "hide") !== true);
  const visible = placements.filter(({ entry, standing }) => standing === "visible" && entry !== catalog.search);
  const { searchable } = viewToolset(toolset);
  const reachable = new Set([...visible, ...searchable].map(({ entry }) => entry));
  expect(reachable).toEqual(new Set(permitted));
  const isDeferring = placements.some(({ entry }) => entry === catalog.search);
  for (const { entry } of isDeferring ? visible : [])
    if (entry.tool.source === "external" && !FIXED.has(entry.wireName))
      expect(loadedAs.get(entry.wireName)).toBe(entry.signature);
}

test("random sessions: no promotion releases a changed tool, and visible and searchable are what is permitted (D3, D5, D8)", async () => {
  const seen = { steps: 0, loaded: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 12 }), async (history) => {
      const talk = new Conversation();
      try {
        await talk.open();
        for (const step of history) {
          await talk.take(step);
          const toolset = talk.session?.toolset;
          if (toolset !== undefined) check(toolset, talk.loadedAs);
          seen.steps += 1;
          seen.loaded += talk.session?.promotions.names.length ?? 0;
        }
      } finally {
        await talk.session?.close();
      }
    }),
    { numRuns: RUNS },
  );
  expect(seen.steps).toBeGreaterThan(4 * RUNS);
  expect(seen.loaded).toBeGreaterThan(4 * RUNS);
}, 180_000);
