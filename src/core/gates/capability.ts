import { formatOrigin } from "../codes/origin.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { HOST_NEEDS, type HostNeed } from "../scene/scene.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

interface Lack {
  readonly text: string;
  readonly fix: string;
}

const MISSING = {
  userInput: {
    text: "nobody is there to answer questions",
    fix: "use toolcrib run or chat in a terminal, or give createSession an onUserInputRequest",
  },
  elicitation: {
    text: "the client has no elicitation handler",
    fix: "use it in a client that can show forms, or give createSession an onElicitationRequest",
  },
  workspace: {
    text: "there is no workspace",
    fix: "start it inside a workspace folder, or give createSession a workspace",
  },
  memory: { text: "memory is off", fix: "set features.memory: true" },
  skills: { text: "no skill is loaded", fix: "add a folder with skills to skillDirectories" },
  schedule: { text: "scheduling is off", fix: "set features.schedule: true" },
  webSearch: { text: "no search engine is configured", fix: "set search.web.url" },
  store: {
    text: "the session is not stored",
    fix: "give createSession a store, or use toolcrib run --keep",
  },
  instructions: {
    text: "the project has no instructions for some of its files",
    fix: "add .github/instructions/NAME.instructions.md with applyTo",
  },
  agents: { text: "only a run can start agents", fix: "use it in toolcrib run, toolcrib chat or session.run()" },
  agentModel: {
    text: "there is no model that agents could be run with",
    fix: 'set model, such as "anthropic/claude-sonnet-4-5", or give createSession a modelClient',
  },
} as const satisfies Record<HostNeed, Lack>;

/** Some tools need a host or client with a capability: ask, remember, schedule (G2). */
export const capabilityGate = {
  name: "capability",
  judge({ tool }, scene) {
    if (tool.requires.length === 0) return pass;
    const missing = HOST_NEEDS.filter((need) => tool.requires.includes(need) && !scene.host[need].value);
    if (missing.length === 0) return pass;
    return hideFor(
      missing.map((need) => ({
        code: "capability.missing" as const,
        ...toLack(need, scene),
        origin: scene.host[need].origin,
      })),
    );
  },
} as const satisfies AnyGate;

function toLack(need: HostNeed, { host, features }: ResolvedScene): Lack {
  if (need !== "memory" && need !== "schedule") return MISSING[need];
  // A session derives these from its features; a world file states them or leaves them out.
  const { kind } = host[need].origin;
  if (kind === "world" || kind === "default") return { ...MISSING[need], fix: `set options.host.${need}: true` };
  const flag = features.get(need);
  if (flag === undefined) return MISSING[need];
  if (flag.value) return { text: `${need} is on, and there is no workspace to keep it in`, fix: MISSING.workspace.fix };
  return { ...MISSING[need], fix: `${MISSING[need].fix} (${formatOrigin(flag.origin)})` };
}
