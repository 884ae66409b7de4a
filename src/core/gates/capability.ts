import { HOST_NEEDS, type HostNeed } from "../scene/scene.ts";
import { type Gate, hideFor, pass } from "./gate.ts";

const MISSING = {
  userInput: {
    text: "nobody can be asked: there is no user-input handler",
    fix: "give the session a user-input handler",
  },
  elicitation: {
    text: "the client has no elicitation handler",
    fix: "connect with a client that supports elicitation",
  },
  workspace: { text: "there is no workspace", fix: "start it inside a workspace folder" },
  memory: { text: "memory is off", fix: "turn memory on" },
  skills: { text: "no skill is loaded", fix: "add a folder with skills to skillDirectories" },
  schedule: { text: "scheduling is off", fix: "turn scheduling on" },
} as const satisfies Record<HostNeed, { text: string; fix: string }>;

/** Some tools need a host or client that can do something: ask, remember, schedule (G2). */
export const capabilityGate: Gate = {
  name: "capability",
  judge({ tool }, { host }) {
    if (tool.requires.length === 0) return pass;
    const missing = HOST_NEEDS.filter((need) => tool.requires.includes(need) && !host[need].value);
    if (missing.length === 0) return pass;
    return hideFor(
      missing.map((need) => ({ code: "capability.missing" as const, ...MISSING[need], origin: host[need].origin })),
    );
  },
};
