import { choice, either, flag, list, map, number, record, type Shape, text } from "./shape.ts";

const names = (about: string) => list(text(), { about });

/** `PORT: 8080` is what people write, though an environment holds text only. */
const secretText = either([
  text({ expands: true, secret: "all", blank: true }),
  number(Number.NEGATIVE_INFINITY),
  flag(),
]);

/** How a process is started: servers, extensions. */
export const processFields: Readonly<Record<string, Shape>> = {
  command: text({ about: "program to start", expands: true }),
  args: list(text({ expands: true, secret: "option", blank: true }), { about: "its arguments" }),
  env: map(secretText, { about: "variables added to its environment" }),
  cwd: text({ about: "folder it starts in, relative to this file" }),
};

/** An MCP server as `.mcp.json` has it, and what Toolcrib adds. */
export const serverShape = record(
  {
    type: choice(["stdio", "local", "http", "sse"], {
      about: "how to reach it; follows from `command` or `url` when left out; `local` is `stdio`",
    }),
    ...processFields,
    url: text({ about: "address of a remote server", expands: true, secret: "url" }),
    headers: map(secretText, { about: "HTTP headers" }),
    oauth: record(
      {
        clientId: text({
          about: "client that is registered there, or the https address of a document about one",
          expands: true,
        }),
        clientSecret: text({ about: "its secret, if it has one", expands: true, secret: "all" }),
        scope: text({ about: "scopes to ask for, separated by spaces, in place of those that the server names" }),
        callbackPort: number(1, {
          about: "port on this machine to which the browser returns; any free one when left out",
        }),
      },
      { about: "how `toolcrib servers login` logs in; mostly nothing of it is needed" },
    ),
    tools: names('which of its tools exist for this run; `["*"]` or nothing is all, `[]` none'),
    timeout: number(1, { about: "milliseconds a call may take" }),
    startTimeout: number(1, { about: "milliseconds it may take to start" }),
    inheritEnv: either([flag(), list(text())], {
      about:
        "what it gets of your environment: all but what looks like a secret when left out; a list names secrets to pass on, `true` passes on all, `false` a short list",
    }),
    envFile: text({ about: "file of variables for it, relative to the workspace and inside it; `env` beats it" }),
    feature: text({ about: "the feature flag without which its tools are not offered" }),
    defer: choice(["auto", "never"], { about: "whether its tools may wait behind `tool_search`", default: "auto" }),
    group: text({ about: "group of all its tools, for `toolGroups`", nullable: true }),
    trustAnnotations: flag({ about: "believe its hints about what its tools do", default: "false" }),
    isolation: choice(["shared", "client"], {
      about: "one connection for all clients of a gateway, or one for each",
      default: "shared",
    }),
    enabled: flag({ about: "false keeps it configured and unstarted", default: "true" }),
  },
  { merge: "replace", oneOf: ["command", "url"], trust: { what: "server" } },
);
