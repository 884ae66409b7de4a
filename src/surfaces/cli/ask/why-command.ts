import type { Config } from "../../../config/config.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isBuiltin } from "../../../core/tool/tool.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { findExplanations, toExplanationRow } from "../../../runtime/report/explanation-rows.ts";
import { toClientRow, toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { namesOf } from "../../../runtime/report/waiting-servers.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type Overrides, readOverrides } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { forClient, formatClient, sayScene } from "./for-client.ts";
import { answer, loadQuestion, withCaller } from "./load-question.ts";
import type { ToolQuestion } from "./question.ts";
import { formatExplanations } from "./why-text.ts";

/** `toolcrib why TOOL`: every gate's verdict, and what to change. Status 0 when nothing that was asked for is hidden. */
export async function runWhy(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [name = "", ...words] = args.operands;
  // A whole call is a question about rules.
  if (words.length > 0) return runAsked(input);
  const overrides = await withCaller(input, readOverrides(args));
  sayScene(input, overrides);
  const { client } = overrides;
  const own = client === null ? null : (await import("./check-client.ts")).describeOwnTool(client.value, name);
  const quick = await askWithoutStart(input, name, overrides);
  const question = quick ?? (await loadQuestion(input, overrides));
  const { past } = question;
  const { toolset, notices: all } = answer(question, log);
  // Servers that were not started for this would bring tools.
  const isPart = quick !== null && (quick.config?.servers.size ?? 0) > 0;
  const notices = isPart ? all.filter(({ code }) => code !== "toolset.empty") : all;
  const warn = (said: string): void => {
    if (!args.has("json")) log.notices(joinOthers(withoutSaid(notices, said), name));
  };
  const explanations = await findOrSay({ ...toolset, notices }, name, question, input).catch((error: unknown) => {
    warn(isToolcribError(error) ? error.message : "");
    if (own !== null && isToolcribError(error) && error.code === "tool.not-found") return [];
    throw error;
  });
  warn("");
  const limits = await findLimits(question, overrides, toolset, explanations);
  const rows = { tools: explanations.map((one) => toExplanationRow(one, past)), notices: notices.map(toNoticeRow) };
  printAnswer(
    input,
    {
      query: name,
      ...(past === undefined ? {} : { past }),
      ...toClientRow(toolset),
      ...(own === null ? {} : { ofClient: own }),
      ...rows,
      ...(limits === null ? {} : { limits }),
    },
    () =>
      formatAll(explanations) + formatLimits(limits ?? []) + formatClient(toolset) + (own === null ? "" : `${own}\n`),
  );
  return explanations.some(({ standing }) => standing === "hidden") ? 1 : 0;

  function formatAll(found: typeof explanations): string {
    return found.length === 0 ? "" : formatExplanations(name, found, io, past);
  }
}

/** How much the person may use that is asked about; null if nobody is. */
async function findLimits(
  { config }: ToolQuestion,
  { caller }: Overrides,
  toolset: Toolset,
  explanations: ReturnType<typeof findExplanations>,
): Promise<readonly string[] | null> {
  if (config === undefined || caller === null) return null;
  return (await import("./limits-of-tools.ts")).limitsOfTools(config, caller, toolset, explanations);
}

function formatLimits(limits: readonly string[]): string {
  if (limits.length === 0) return "";
  return writeLines(["Limits of its calls:", ...limits.map((limit) => `  ${limit}`)]);
}

/** `why TOOL COMMAND` is `check`: what is decided about that call, by which rule and where that stands. */
function runAsked(input: CommandInput): Promise<number> {
  for (const option of ["world", "session", "at"] as const)
    if (input.args.has(option))
      throw usage(`--${option} is about tools, and a command is judged by the rules of today`);
  return import("./check-command.ts").then(({ runCheck }) => runCheck(input));
}

/** A server that another product has in the home folder is what people mean, and no part of a configuration of ours. */
async function findOrSay(
  toolset: Toolset,
  name: string,
  { config, sources = [], past }: ToolQuestion,
  input: CommandInput,
): Promise<ReturnType<typeof findExplanations>> {
  try {
    return findExplanations(toolset, name, sources, past);
  } catch (error) {
    if (!isToolcribError(error) || config === undefined) throw error;
    const { describeElsewhere } = await import("../configuration/foreign-servers.ts");
    const elsewhere = await describeElsewhere(name, config, input);
    throw elsewhere === null ? error : new ToolcribError(error.code, elsewhere, { names: error.names });
  }
}

/** A built-in tool needs no server. Null for every other name, and where a running Toolcrib knows all of them anyway. */
async function askWithoutStart(input: CommandInput, name: string, overrides: Overrides): Promise<ToolQuestion | null> {
  const { args, log, running } = input;
  if (running !== undefined || args.has("world") || args.has("fresh")) return null;
  if (args.has("session") || args.has("at")) return null;
  const { loadConfigured } = await import("./load-configured.ts");
  const configured = await loadConfigured(input, overrides);
  const { placements } = answer(await forClient(configured, overrides), log).toolset;
  const isShipped = placements.some(({ entry }) => entry.wireName === name && isBuiltin(entry.tool));
  if (!isShipped) return null;
  const { loadLiveQuestions } = await import("./live-question.ts");
  const [live] = await loadLiveQuestions(input, [overrides], withoutServers);
  // What a client gets of built-in tools depends on servers that are configured, whether or not any was started for this.
  return live === undefined ? null : forClient({ ...live, ...pickConfig(configured) }, overrides);
}

const pickConfig = ({ config }: ToolQuestion): Pick<ToolQuestion, "config"> => (config === undefined ? {} : { config });

/** Skills and module tools have a say in a built-in's standing, servers have none. */
function withoutServers(config: Config): Config {
  const stopped = (servers: Config["servers"]): Config["servers"] =>
    new Map([...servers].map(([name, server]) => [name, { ...server, enabled: { ...server.enabled, value: false } }]));
  const agents = [...config.agents].map(
    ([name, agent]) => [name, { ...agent, servers: stopped(agent.servers) }] as const,
  );
  return { ...config, servers: stopped(config.servers), agents: new Map(agents) };
}

/** Where the answer itself says what is wrong with a server, a warning would say it twice. */
function withoutSaid(notices: readonly Notice[], said: string): readonly Notice[] {
  return notices.filter(({ text }) => !said.includes(text));
}

/** What is wrong with servers that were not asked about is one line. */
function joinOthers(notices: readonly Notice[], name: string): readonly Notice[] {
  const isOther = ({ code, names }: Notice): boolean =>
    code.startsWith("server.") && !namesOf(names.map((server) => ({ name: server })))(name);
  const others = [...new Set(notices.filter(isOther).flatMap(({ names }) => names))];
  if (others.length < 2) return notices;
  const text = `${others.length} other servers are not connected: ${others.join(", ")}; "toolcrib servers" says why`;
  const joined: Notice = { level: "warning", code: "server.failed", text, names: others, origin: { kind: "default" } };
  return [...notices.filter((notice) => !isOther(notice)), joined];
}
