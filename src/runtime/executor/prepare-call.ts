import type { Call } from "../../core/call/call.ts";
import { known, type Stage } from "../../core/call/eventual.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { adviseSearch } from "../../core/toolset/promotions.ts";
import type { Source } from "../../sources/source.ts";
import type { Found, Request } from "../requests/request.ts";
import { type Args, readArguments } from "./read-arguments.ts";
import { type Ended, endGone, endWith, go, type Step } from "./step.ts";
import { UNUSABLE, type Validator } from "./validator.ts";

/** A call whose tool is known and whose arguments fit it. */
export interface PreparedCall {
  readonly call: Call;
  readonly entry: Entry;
  readonly tool: Tool;
  readonly source: Source;
  /** Frozen. */
  readonly args: Args;
}

/**
 * First stage: finds the tool in the toolset that advertised it, and reads the arguments, which are validated later.
 */
export function prepareCall(call: Call, request: Request): Step<PreparedCall> {
  const found = findTool(call.toolName, request);
  if (found.kind === "end") return found;
  const { tool, source, entry } = found.value;
  const args = readArguments(call.arguments);
  if (args.kind === "end") return args;
  return go({ call, entry, tool, source, args: args.value });
}

/**
 * Checks the arguments against the schema, at first and whenever a hook changed them. Conversions that the tool's
 * author wants are made here, before hooks and rules: they judge what runs.
 */
export function* validateCall(prepared: PreparedCall, validator: Validator): Stage<Step<PreparedCall>> {
  const check = ({ entry, tool, args }: PreparedCall) => validator.check(entry.signature, tool.inputSchema, args);
  const problem = yield* known(check(prepared));
  if (problem === null) return go(prepared);
  const converted = coerce(prepared);
  const fits = converted !== null && (yield* known(check(converted))) === null;
  return fits ? go(converted) : misfit(prepared, problem);
}

function coerce(prepared: PreparedCall): PreparedCall | null {
  const { source, tool, args } = prepared;
  if (source.coerce === undefined) return null;
  const read = readArguments(source.coerce(tool, args));
  return read.kind === "go" ? { ...prepared, args: read.value } : null;
}

function misfit({ entry }: PreparedCall, problem: string): Ended {
  if (problem.startsWith(UNUSABLE))
    return endWith(`The tool ${entry.wireName} cannot be called: ${problem}. Do without it.`, "failure");
  return endWith(
    `The arguments do not fit the tool ${entry.wireName}: ${problem}. Correct them and call it again.`,
    "failure",
  );
}

interface FoundTool {
  readonly entry: Entry;
  readonly tool: Tool;
  readonly source: Source;
}

/** Checked again right before a call runs: a tool that was hidden or removed in the meantime must not run. */
export function findTool(name: string, request: Request): Step<FoundTool> {
  const found = request.find(name);
  if (found.kind === "found") return go({ entry: found.placement.entry, tool: found.tool, source: found.source });
  return refuse(name, found, request);
}

const MOST_NAMES = 100;

function refuse(name: string, found: Exclude<Found, { kind: "found" }>, { toolset }: Request): Ended {
  const shown = JSON.stringify(name.slice(0, 100));
  switch (found.kind) {
    case "unknown": {
      if (found.server !== undefined)
        return endWith(
          `Tool '${name.slice(0, 100)}' is not there: its server ${JSON.stringify(found.server.slice(0, 100))} has listed no tools yet. It is starting, or it could not be started.`,
          "failure",
          `unknown tool ${shown}`,
        );
      const names = toolset.placements
        .filter(({ standing }) => standing === "visible")
        .map(({ entry }) => entry.wireName);
      const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
      const nearest = found.nearest.length === 0 ? "" : ` Did you mean ${found.nearest.join(", ")}?`;
      return endWith(
        `Tool '${name.slice(0, 100)}' does not exist.${nearest} Available tools that can be called are ${names.slice(0, MOST_NAMES).join(", ")}${rest}.`,
        "failure",
        `unknown tool ${shown}`,
      );
    }
    case "deferred":
      return endWith(adviseSearch(found.placement.entry.wireName, toolset), "failure");
    case "tool_gone":
      return endGone(`The tool ${shown} is not there any more. Do without it.`, "failure", found.kind, name);
    case "tool_changed":
      if (found.held !== undefined)
        return endGone(
          `The tool ${shown} is not what was approved any more, so it may not be used until a person has approved the change. Do without it.`,
          "denied",
          found.kind,
          name,
        );
      return endGone(
        `The tool ${shown} has changed since it was offered. Look at its new definition before calling it again.`,
        "failure",
        found.kind,
        name,
      );
    case "hidden": {
      const why = found.reasons.map(({ text }) => text).join("; ");
      return endWith(`The tool ${shown} may not be used now: it is ${why || "hidden"}.`, "denied");
    }
  }
}
