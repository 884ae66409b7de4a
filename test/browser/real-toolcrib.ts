import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { oneFile } from "../support/one-file.ts";
import { newMachine, startUp } from "../support/running-up.ts";
import { launchBrowser, type SharedBrowser } from "./browser.ts";

const TOWN = fileURLToPath(new URL("../fixtures/town-server.mjs", import.meta.url));
const FORECAST = "Tells the weather of the next days.";
/** All built-in tools and those of the server at once: the grid draws only the rows in sight. */
const TALL = { width: 1440, height: 1800 };

/** `toolcrib up` in a process of its own, with a server of the official package behind it. */
export interface RealToolcrib {
  /** The address with the token, as it is printed. */
  readonly link: string;
  readonly origin: string;
  readonly token: string;
  /** The log of calls. */
  readonly audit: string;
  readonly machine: ReturnType<typeof newMachine>;
  /** An official MCP client, connected with the token. */
  connect(name: string): Promise<Client>;
  /** Changes what the server says of `forecast`, from its next start on. */
  redefine(description: string): void;
}

interface Given {
  /** On top of the server and who approves; the person's own file. */
  readonly config?: object;
  /** The workspace's `toolcrib.yaml`. */
  readonly project?: string;
  /** Other files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Seconds that the server takes before it begins; none if absent. */
  readonly startsAfter?: number;
  /** Runs before Toolcrib starts. */
  readonly prepare?: (machine: ReturnType<typeof newMachine>) => Promise<void>;
}

/** Opens pages in one browser for all tests of a file, each in front of a `toolcrib up` of its own. */
export function usePages(): (given?: Given) => ReturnType<typeof openPage> {
  let browser: SharedBrowser | null = null;
  beforeAll(async () => {
    ensureBuilt();
    browser = await launchBrowser();
  }, 180_000);
  afterAll(() => browser?.close());
  return (given) => {
    if (browser === null) throw new Error("pages are opened inside tests");
    return openPage(browser, given);
  };
}

/** Whatever must never happen on the page fails the test. */
async function openPage(
  browser: SharedBrowser,
  given: Given = {},
): Promise<{ readonly page: Page; readonly toolcrib: RealToolcrib }> {
  const toolcrib = await openToolcrib(given);
  const { page, offences, close } = await browser.open({ viewport: TALL });
  onTestFinished(async () => {
    await close();
    expect(offences).toEqual([]);
  });
  const answer = await page.goto(toolcrib.link);
  // Sources have no built page.
  if (answer?.status() === 404) throw new Error("the inspector is not there: run the file by `npm test -- FILE`");
  await page.getByText("Live", { exact: true }).waitFor();
  return { page, toolcrib };
}

async function openToolcrib(given: Given = {}): Promise<RealToolcrib> {
  const { config = {}, project, files = {}, startsAfter = 0, prepare } = given;
  const machine = newMachine(project === undefined ? files : { ...files, "toolcrib.yaml": project });
  const words = join(machine.home, "forecast.txt");
  const redefine = (description: string) => writeFileSync(words, description);
  redefine(FORECAST);
  const start = ["-c", 'sleep "$0"; exec "$@"', String(startsAfter), process.execPath, oneFile(TOWN), words];
  const town = { command: "/bin/sh", args: start, trustAnnotations: true };
  machine.write(
    "user",
    JSON.stringify({ builtins: "all", mcpServers: { town }, gateway: { approvals: "inspector" }, ...config }),
  );
  await prepare?.(machine);
  const { document } = await startUp(machine);
  return {
    link: `${document.inspector}#/tools?token=${document.token}`,
    origin: document.inspector,
    token: document.token,
    audit: document.audit,
    machine,
    redefine,
    async connect(name) {
      const client = new Client({ name, version: "1.0.0" });
      const requestInit = { headers: { Authorization: `Bearer ${document.token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(document.endpoint), { requestInit }));
      onTestFinished(() => client.close().catch(() => undefined));
      return client;
    },
  };
}
