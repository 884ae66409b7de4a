import { stat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { type ServerEntry, serversIn, withServer } from "../../../config/edit/edit-servers.ts";
import { isLikelySecret } from "../../../config/import/refer-secrets.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { expandVariables } from "../../../core/shape/expand-variables.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import { escapeLines, escapeText, toJson } from "../../../system/text/escape-text.ts";
import { type Arguments, parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { SERVER_TYPES } from "../command-line/options.ts";
import { checkText, findEditTarget, trustAdded } from "./edit-target.ts";
import { formatLineDiff } from "./line-diff.ts";

/** `toolcrib add SERVER URL` or `SERVER -- COMMAND ARGS…`: writes a server into the configuration, keeping the rest. */
export async function runAdd(input: CommandInput): Promise<number> {
  const { args } = input;
  const [name = ""] = args.operands;
  const entry = readEntry(name, args);
  const { path } = await findEditTarget(input);
  const placed = args.has("openapi") ? await placeDocument(entry, input.io.cwd, dirname(path)) : entry;
  return args.has("dry-run") ? change(input, name, placed) : oneAtATime(path, () => change(input, name, placed));
}

/** A document is named from where a person stands, and kept as seen from the file that names it. */
async function placeDocument(entry: ServerEntry, cwd: string, folder: string): Promise<ServerEntry> {
  const spec = String(entry.spec);
  if (isAddress(spec) || spec.includes("${")) return entry;
  const path = resolve(cwd, spec);
  if (
    !(await stat(path).then(
      (found) => found.isFile(),
      () => false,
    ))
  )
    throw usage(`--openapi takes a file or an address; there is no file ${JSON.stringify(spec)} here`);
  return { ...entry, spec: relative(folder, path).replaceAll(sep, "/") };
}

async function change(input: CommandInput, name: string, entry: ServerEntry): Promise<number> {
  const section = input.args.has("openapi") ? "openapi" : "mcpServers";
  const { io, args } = input;
  const target = await findEditTarget(input);
  const before = target.text ?? "";
  const isThere = (await serversIn(before, target.file)).includes(name);
  if (isThere && !args.has("force"))
    throw new ToolcribError("file.exists", `${target.file} has a server "${name}" already; --force replaces it`, {
      names: [name],
    });
  const after = await withServer(before, target.file, name, entry, section);
  await checkText(after, target.file);
  const isDry = args.has("dry-run");
  if (!isDry) await writeWhole(target.path, after);
  const done = { file: target.file, server: name, action: isThere ? "replaced" : "added", written: !isDry };
  const diff = formatLineDiff(before, after);
  const trust = isDry ? null : await trustAdded(input, `${section}.${name}`);
  const variables = [...new Set(expandVariables(JSON.stringify(entry), io.env).unset)];
  const secrets = secretKeys(entry);
  if (args.has("json")) {
    io.out(toJson({ ...done, diff, trust, unsetVariables: variables, inlineSecrets: secrets }, io.isTTY));
    return 0;
  }
  io.out(`${isDry ? "Would change" : target.text === null ? "Wrote" : "Changed"} ${escapeText(target.file)}:\n`);
  io.out(escapeLines(diff));
  if (target.beside.length > 0)
    io.out(
      `The servers of ${target.beside.map(escapeText).join(", ")} stay: this file adds to them. A toolcrib.yaml would take their place ("toolcrib init" writes one with them in it).\n`,
    );
  if (secrets.length > 0)
    io.err(
      `toolcrib: warning: the file now holds what looks like a secret (${secrets.map(escapeText).join(", ")}); write \${VARIABLE} there and set the variable instead\n`,
    );
  if (variables.length > 0)
    io.out(`Set ${variables.join(" and ")} in the environment; until then it is not started.\n`);
  io.out(nextStep(trust, name, isDry));
  return 0;
}

/** Without trust the new entry has no effect, which nobody should have to find out. */
function nextStep(trust: string | null, name: string, isDry: boolean): string {
  if (isDry) return "Nothing was written.\n";
  if (trust === "trusted")
    return `Trusted this entry, as it is now, and nothing else. Next: toolcrib servers restart ${escapeText(name)}\n`;
  if (trust === "untrusted")
    return 'The server starts once you trust it. Next: "toolcrib trust" shows what it runs, and asks.\n';
  return `Next: toolcrib servers restart ${escapeText(name)}\n`;
}

function readEntry(name: string, args: Arguments): ServerEntry {
  if (isAddress(name)) throw usage(`a server needs a name in front of its address: toolcrib add NAME ${name}`);
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name))
    throw usage(`a server's name has letters, digits, "_", "-" and "."; found ${JSON.stringify(name)}`);
  if (args.has("openapi")) return readApi(name, args);
  const [command, ...rest] = args.behindDashes;
  const url = readAddress(name, args);
  if ((command === undefined) === (url === null))
    throw usage(
      `say how to reach it, in one way: toolcrib add ${name} -- COMMAND ARGS, or toolcrib add ${name} https://HOST/mcp`,
    );
  const tools = args.list("tools");
  const shared = tools === null ? {} : { tools };
  if (url === null) {
    const misfit = (["type", "header"] as const).find((option) => args.has(option));
    if (misfit !== undefined) throw usage(`--${misfit} is for a server with an address`);
    const env = readPairs(args, "env");
    return { command, ...(rest.length === 0 ? {} : { args: rest }), ...(env === null ? {} : { env }), ...shared };
  }
  if (args.has("env")) throw usage("--env is for a server with a command; a remote one takes --header");
  const type = parseWord("--type", args.value("type") ?? "http", SERVER_TYPES);
  const headers = readPairs(args, "header");
  return { type, url, ...(headers === null ? {} : { headers }), ...shared };
}

/** `toolcrib add NAME --openapi FILE [URL]`: an API, whose address is that of the document if none is given. */
function readApi(name: string, args: Arguments): ServerEntry {
  const misfit = (["type", "env"] as const).find((option) => args.has(option));
  if (misfit !== undefined || args.behindDashes.length > 0)
    throw usage(`--openapi takes a document, and no ${misfit === undefined ? "command" : `--${misfit}`}`);
  const baseUrl = readAddress(name, args);
  const headers = readPairs(args, "header");
  if (headers !== null && baseUrl === null)
    throw usage("--header needs the address of the API, so that no document can say where it is sent: --url URL");
  const tools = args.list("tools");
  return {
    spec: args.value("openapi") ?? "",
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(headers === null ? {} : { headers }),
    ...(tools === null ? {} : { tools }),
  };
}

/** The operand behind the name, or `--url`; null where neither is there. */
function readAddress(name: string, args: Arguments): string | null {
  const [, operand, extra] = args.operands.slice(0, args.operands.length - args.behindDashes.length);
  const option = args.value("url");
  if (operand !== undefined && !isAddress(operand)) {
    const words = args.operands.slice(1).join(" ");
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(operand))
      throw usage(`an address starts with http:// or https://; found ${JSON.stringify(operand)}`);
    const isHost = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?\//.test(operand);
    const remote = isHost ? `; for an address: toolcrib add ${name} https://${operand}` : "";
    throw usage(`put "--" in front of the command: toolcrib add ${name} -- ${words}${remote}`);
  }
  if (operand !== undefined && option !== null) throw usage("the address is given twice; leave --url out");
  if (extra !== undefined) throw usage(`there is no use for ${JSON.stringify(extra)} behind the address`);
  const url = operand ?? option;
  if (url === null) return null;
  if (!isAddress(url) && !url.includes("${"))
    throw usage(`--url takes an http or https address; found ${JSON.stringify(url)}`);
  if (!url.includes("${") && !URL.canParse(url)) throw usage(`${JSON.stringify(url)} is not a valid address`);
  return url;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function readPairs(args: Arguments, option: "env" | "header"): Readonly<Record<string, string>> | null {
  const values = args.values(option);
  if (values.length === 0) return null;
  const pairs = values.map((text) => {
    const at = text.search(/[=:]/);
    if (at < 1) throw usage(`--${option} takes NAME=VALUE; found ${JSON.stringify(text)}`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

function secretKeys({ env, headers, url }: ServerEntry): readonly string[] {
  const named = [env, headers].flatMap((map) =>
    Object.entries(typeof map === "object" && map !== null ? map : {})
      .filter(([key, value]) => isLikelySecret(key, String(value)))
      .map(([key]) => key),
  );
  return typeof url === "string" && hidesSecret(url) ? [...named, "url"] : named;
}

function hidesSecret(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { password, searchParams } = new URL(url);
  const isOpen = (value: string): boolean => !decodeURIComponent(value).includes("${");
  return (
    (password !== "" && isOpen(password)) ||
    [...searchParams].some(([key, value]) => /token|key|secret|pass|auth|sig/i.test(key) && isOpen(value))
  );
}
