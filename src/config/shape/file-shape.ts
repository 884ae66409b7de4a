import { WIRE_STYLES } from "../../core/catalog/wire-name.ts";
import { sceneSettings } from "../../core/scene/scene-settings.ts";
import { defaultAgent, filterFields, modelFields, unionOf } from "../../core/scene/scene-shapes.ts";
import {
  choice,
  either,
  type FieldsOf,
  flag,
  list,
  map,
  number,
  type PresentOf,
  partial,
  record,
  sourcedShape,
  text,
  to,
} from "../../core/shape/shape.ts";
import { frees, isNoneOf, isOneOf, strictestFirst } from "../../core/shape/trust-marks.ts";
import { agentEntry } from "./agent-shape.ts";
import { apiEntry } from "./api-shape.ts";
import { audit } from "./audit-shape.ts";
import { commands } from "./command-shape.ts";
import { filters } from "./filter-shape.ts";
import { builtins, gateway } from "./gateway-shape.ts";
import { hooks } from "./hook-shape.ts";
import { permissions } from "./permission-shape.ts";
import { policy } from "./policy-shape.ts";
import { providers } from "./provider-shape.ts";
import { extensionEntry, path, serverEntry } from "./server-shape.ts";
import { memoryServer, search } from "./service-shape.ts";
import { store } from "./store-shape.ts";
import { toolOverrides, tools, toolsets } from "./tool-shape.ts";

const modelFacts = sourcedShape(partial(record(modelFields, { trust: { what: "facts about a model" } })));
/** What is known about models whose id matches a pattern; unset values are left to less specific patterns. */
export type ModelFacts = PresentOf<typeof modelFacts>["value"];

/** Everything a configuration file may contain. */
export const fileShape = record({
  $schema: text({
    about: "address of the JSON Schema, for editors",
    trust: { narrows: true, atOnce: "all of it: nothing here reads it" },
  }),
  tools,
  toolsets,
  toolOverrides,
  /** Null if not set: each program has its own default. */
  builtins: builtins("which built-in tools to offer; the default depends on the program"),
  mcpServers: map(serverEntry, { about: "MCP servers, in the shape of `.mcp.json`", default: {} }),
  openapi: map(apiEntry, {
    about: "APIs whose operations are tools, by an OpenAPI document each; they share names with `mcpServers`",
    default: {},
  }),
  disabledServers: unionOf("servers and APIs not to start"),
  extensions: list(extensionEntry, {
    about: "processes that register tools over JSON-RPC",
    merge: "by-name",
    default: [],
  }),
  checks: list(
    record(
      {
        name: text({ about: "its name", required: true }),
        command: list(text(), { about: "the command and its arguments, one item each", required: true }),
        timeout: number(1, { about: "time limit, in milliseconds" }),
      },
      { trust: { what: "check" } },
    ),
    { about: "the project's checks, which the tool `validate` runs", merge: "by-name", default: [] },
  ),
  skillDirectories: list(sourcedShape(path({ trust: { what: "skill folder" } })), {
    about: "folders with skills; of two skills with one name, the later folder wins",
    merge: "append",
    default: [],
  }),
  disabledSkills: unionOf("skills not to load", {
    what: "disabled skills",
    when: frees,
    atOnce: "skills that none of your agents starts with: it takes them away",
  }),
  agents: to(
    list(agentEntry, { about: "custom agents; also read from agent files", merge: "by-name", default: [] }),
    (agents) => new Map(agents.map((agent) => [agent.name, agent])),
  ),
  agent: sourcedShape(
    text({ about: "the selected agent", nullable: true, default: null, trust: { what: "selected agent" } }),
  ),
  sidekick: text({
    about: "an agent that looks on in runs: after each request it may add a note to the next one",
    nullable: true,
    default: null,
    trust: { what: "sidekick" },
  }),
  defaultAgent,
  ...filterFields,
  ...sceneSettings,
  permissions,
  hooks,
  filters: filters("what may not pass into tools or out of them, such as card numbers"),
  commands,
  search,
  memoryServer,
  sandbox: record(
    {
      shell: sourcedShape(
        choice(["auto", "on", "off"], {
          about: "run shell tools in a sandbox",
          default: "auto",
          narrow: strictestFirst("on", "auto"),
          // A person may allow the host's shell for want of a sandbox; a project must not remove the sandbox.
          trust: {
            what: "sandbox setting",
            when: isNoneOf("on"),
            atOnce: "`on`: commands run in a sandbox or not at all",
          },
        }),
      ),
      backend: sourcedShape(
        choice(["auto", "bubblewrap", "sandbox-runtime"], {
          about: "what the sandbox uses; `auto` tries bubblewrap, then the package `@anthropic-ai/sandbox-runtime`",
          default: "auto",
          // A backend that is missing would leave commands to the host's shell, if a person allows that.
          trust: { what: "sandbox backend" },
        }),
      ),
      allowHostShell: sourcedShape(
        flag({
          about: "let shell tools run without a sandbox",
          default: false,
          narrow: strictestFirst(false, true),
          trust: { what: "host shell", when: isOneOf(true), atOnce: "`false`: it takes away" },
        }),
      ),
      hideDenied: sourcedShape(
        flag({
          about: "hide files that `Read` rules deny from commands, instead of asking about commands that may read them",
          default: true,
          // On asks less, and off leaves denied files where an allowed command can read them.
          trust: { what: "covered files" },
        }),
      ),
    },
    { about: "where shell tools run", default: {} },
  ),
  model: sourcedShape(
    to(
      either(
        [
          text(),
          record({
            provider: text({ about: "the provider that serves it" }),
            id: text({ about: "its id", required: true }),
          }),
        ],
        {
          about: "the model that the tools are for",
          merge: "replace",
          nullable: true,
          default: null,
          // The choice decides who answers, and where the conversation goes.
          trust: { what: "model" },
        },
      ),
      (model) => (typeof model === "string" ? { provider: null, id: model } : model),
    ),
  ),
  providers,
  models: map(modelFacts, {
    about: "facts about models, by id (`*` matches anything); they override the built-in table",
    default: {},
  }),
  wireNames: sourcedShape(
    choice(WIRE_STYLES, {
      about: "how names of MCP tools are built",
      default: "server__tool",
      trust: { what: "names of tools" },
    }),
  ),
  store,
  gateway,
  audit,
  policy,
});

type Written = FieldsOf<typeof fileShape.fields>;
/** Keys that are spelt differently here, or have no meaning for the product. */
type Respelt = "$schema" | "mcpServers" | "openapi" | "availableTools" | "excludedTools";

/** What the shape of a file is read as. */
export interface Settings extends Omit<Written, Respelt> {
  /** The servers of `mcpServers`, and the APIs of `openapi`. */
  readonly servers: Written["mcpServers"];
}
