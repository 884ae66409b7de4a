import { map, placed, record, text } from "../../core/shape/shape.ts";

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
      },
      { merge: "replace", trust: { what: "prompt command" } },
    ),
  ),
  { about: "prompts for `/name`; also read from `.claude/commands`, `.github/prompts` and plugins", default: {} },
);
