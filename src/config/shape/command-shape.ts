import { map, names, placed, record, sourcedShape, text } from "../../core/shape/shape.ts";

/** Prompts with a name, for `/name` in a conversation; also read from files of other products. */
export const commands = map(
  placed(
    record(
      {
        description: text({ about: "what it is for", blank: true }),
        argumentHint: text({ about: "what may follow its name, for people", blank: true }),
        prompt: text({
          about: "the prompt; `$ARGUMENTS` is what follows the name, `$1` its first word",
          required: true,
        }),
        tools: names({
          about: "the only tools while it is worked on; it takes away, and adds none",
          nullable: true,
          default: null,
        }),
        agent: sourcedShape(
          text({ about: "the agent that works on it; the selected one if absent", nullable: true, default: null }),
        ),
      },
      { merge: "replace", trust: { what: "prompt command" } },
    ),
  ),
  { about: "prompts for `/name`; also read from `.claude/commands`, `.github/prompts` and plugins", default: {} },
);
