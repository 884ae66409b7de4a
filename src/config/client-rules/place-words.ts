import type { RuleList, RuleTaker, Words } from "./client-rule.ts";

type FileTool = "Read" | "Edit";

const EVERYWHERE = /^(?:\*\*?\/?)+$/;

/** All files that a client lets its tool touch without a further question: those below the working folder. */
export function allFiles(tool: FileTool, list: RuleList): Words {
  return list === "allow"
    ? { rules: [`${tool}(./**)`], change: "narrower: files below the working folder" }
    : { rules: [tool] };
}

/** A path in which `*` goes through folders, from the top of the repository. */
export function crossingPath(tool: FileTool, pattern: string, list: RuleList, side: RuleTaker["side"]): Words {
  if (EVERYWHERE.test(pattern)) return allFiles(tool, list);
  const home = pattern.replace(/^\$HOME(?=\/|$)/, "~");
  return list === "allow" ? allowedPath(tool, home, side) : { rules: closedPaths(tool, home) };
}

function allowedPath(tool: FileTool, pattern: string, side: RuleTaker["side"]): Words {
  if (/[[\]{}()!]/.test(pattern)) return "brackets and braces stand for themselves there, and not here";
  if (/^[~/]|\.\./.test(pattern)) return "it leads out of the repository, where another setting of the client counts";
  const [, name] = /^(?:\*\*\/|\*)([^/]*)$/.exec(pattern) ?? [];
  if (name !== undefined) return { rules: [`${tool}(./**/${pattern.startsWith("**/") ? "" : "*"}${name})`] };
  const change = pattern.includes("*") ? { change: 'narrower: here "*" stays in a folder' } : {};
  if (side === "project") return { rules: [`${tool}(/${pattern.replace(/^\.\//, "")})`], ...change };
  return "it starts at the top of each repository there, and at the working folder here";
}

/** At least what it means: wherever it may start, and through all folders. */
function closedPaths(tool: FileTool, pattern: string): readonly string[] {
  const plain = pattern.replace(/[[\]{}()!\\]+/g, "*").replace(/^\.\//, "");
  const segments = plain.split("/").map((segment) => (/^\*+$/.test(segment) ? "**" : segment.replace(/\*+/g, "*")));
  const start = plain.startsWith("~") ? "" : plain.startsWith("/") ? "/" : segments[0] === "**" ? "" : "**/";
  const whole = `${tool}(${start}${segments.join("/")})`;
  const open = segments.findIndex((segment) => segment !== "**" && segment.includes("*"));
  const isLast = open === segments.length - 1 && /^\*[^*]*$/.test(segments[open] ?? "");
  if (open === -1 || isLast) return [whole];
  return [whole, `${tool}(${start}${segments.slice(0, open + 1).join("/")}/**)`];
}

/** A path in which `*` stays in a folder, somewhere in the workspace. */
export function globPath(tool: FileTool, glob: string, list: RuleList): Words {
  if (EVERYWHERE.test(glob)) return allFiles(tool, list);
  if (/[()]/.test(glob)) return "no rule here can hold its brackets";
  if (glob.startsWith("**/")) return { rules: [`${tool}(${list === "allow" ? "./" : ""}${glob})`] };
  if (list === "allow") return "where it starts depends on the workspace there";
  return { rules: [glob.startsWith("/") ? `${tool}(/${glob})` : `${tool}(**/${glob})`] };
}

const ADDRESS = /^(https?):\/\/([\w.*-]+(?::\d+)?)(\/[^*?#()]*\*?)?$/i;

/** An address in which `*` stands for anything. */
export function addressRule(pattern: string, list: RuleList): Words {
  if (/^\*+$/.test(pattern)) return { rules: ["WebFetch"] };
  const [, scheme, host = "", path] = ADDRESS.exec(pattern) ?? [];
  if (list === "allow") {
    const isPlain = scheme !== undefined && (!host.includes("*") || /^\*\.[^*]+$/.test(host));
    return isPlain
      ? { rules: [`WebFetch(${pattern})`] }
      : 'an address that is allowed has to begin with "https://HOST"';
  }
  const isHost = scheme !== undefined && !host.includes(":") && (path === undefined || path === "/" || path === "/*");
  if (isHost) return { rules: [`WebFetch(domain:${host})`], change: "stricter: the whole host" };
  if (/^[\w-]+(?:\.[\w-]+)+$/.test(pattern)) return { rules: [`WebFetch(domain:${pattern})`] };
  const source = pattern.replace(/[\\^$.|?+()[\]{}/]/g, "\\$&").replace(/\*+/g, ".*");
  return { rules: [`WebFetch(/${source}/)`], change: "stricter: anywhere in the address" };
}

/** Tools of a server; null means all of them. */
export function serverRule(server: string, tool: string | null): Words {
  const isNamed = /^[\w.-]+$/.test(server) && (tool === null || /^[\w.*-]+$/.test(tool));
  if (!isNamed) return `no rule here can name the tool ${JSON.stringify(tool)} of ${JSON.stringify(server)}`;
  return { rules: [`${server}/${tool ?? "*"}`] };
}

/** A server's tool whose name is glued to that of the server: each way to part them that fits a known server, else each way. */
export function gluedTool(name: string, mark: string, servers: readonly string[], list: RuleList): Words {
  const known = servers.filter((server) => name.startsWith(server + mark));
  const starts = known.length > 0 ? known : partings(name, mark);
  const [only] = starts;
  if (only === undefined) return "no tool here has that name";
  if (list === "allow" && starts.length > 1) return `nobody can tell which server it is of: ${starts.join(", ")}`;
  const all = starts.map((server) => serverRule(server, name.slice(server.length + mark.length)));
  const broken = all.find((words) => typeof words === "string");
  if (typeof broken === "string") return broken;
  return { rules: all.flatMap((words) => (typeof words === "string" ? [] : words.rules)) };
}

function partings(name: string, mark: string): readonly string[] {
  const found: string[] = [];
  for (let at = name.indexOf(mark, 1); at > 0 && at + mark.length < name.length; at = name.indexOf(mark, at + 1))
    found.push(name.slice(0, at));
  return found;
}
