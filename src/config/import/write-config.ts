import { formatOrigin } from "../../core/codes/origin.ts";
import type { Imported } from "./import-foreign.ts";

const EMPTY = `# What tools a run of an agent gets. All keys: "toolcrib config" and docs/reference/configuration.md.
# mcpServers:
#   files: { command: npx, args: ["-y", "@modelcontextprotocol/server-filesystem", "."] }
# excludeTools: [web]
`;

/** A configuration file with what was imported, and above each entry its source. */
export async function writeConfig({ servers, settings, variables, files }: Imported): Promise<string> {
  if (servers.length === 0 && settings.length === 0) return EMPTY;
  const yaml = await import("yaml");
  const blocks: string[] = [heading(files, variables)];
  const block = (value: unknown, indent: string): string =>
    yaml
      .stringify(value, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
      .map((line) => (line === "" ? "" : `${indent}${line}`))
      .join("\n");
  if (servers.length > 0) {
    const entries = servers.map(
      ({ name, entry, origin }) => `  # from ${oneLine(formatOrigin(origin))}\n${block({ [name]: entry }, "  ")}`,
    );
    blocks.push(`mcpServers:\n${entries.join("\n")}`);
  }
  for (const key of new Set(settings.map(({ path }) => path[0] ?? ""))) {
    const own = settings.filter(({ path }) => path[0] === key);
    const from = [...new Set(own.map(({ origin }) => oneLine(formatOrigin(origin))))].join(", ");
    const isList = LISTS.has(key);
    const value = isList ? own.map((setting) => setting.value) : toValue(own, 1);
    blocks.push(`# from ${from}\n${block(new Map([[key, value]]), "")}`);
  }
  return `${blocks.join("\n\n")}\n`;
}

const LISTS = new Set(["agents", "disabledSkills", "excludeTools", "skillDirectories"]);

function heading(files: readonly string[], variables: Imported["variables"]): string {
  const needs = variables.map(({ name, about }) => `#   ${name}${about === null ? "" : `: ${oneLine(about)}`}`);
  return [
    `# Written by "toolcrib init" from ${files.map(oneLine).join(", ")}.`,
    ...(needs.length === 0
      ? []
      : [
          "# It refers to these variables, which each person has in the environment or among their own keys:",
          ...needs,
        ]),
  ].join("\n");
}

/** Settings that share the keys up to `depth` as one value; of two for the same keys the first counts. */
function toValue(settings: Imported["settings"], depth: number): unknown {
  const [first] = settings;
  if (first === undefined || first.path.length <= depth) return first?.value;
  const keys = new Set(settings.map(({ path }) => path[depth] ?? ""));
  return new Map(
    [...keys].map((key) => [
      key,
      toValue(
        settings.filter(({ path }) => path[depth] === key),
        depth + 1,
      ),
    ]),
  );
}

/** Text of other files in a comment, which it must not end. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}
