import { expect } from "vitest";
import type { Behaviour } from "../behaviour.ts";

/** Which model is asked, and how. */
export const MODEL_ROWS: readonly Behaviour[] = [
  {
    name: "a refused request to the model ends the turn with the provider's name, address and words",
    app: { acts: [{ send: "hello" }] },
    replies: [{ status: 401, message: "no such key" }],
    check: ({ replies }) =>
      expect(replies).toEqual([
        { error: expect.stringMatching(/openai at 127\.0\.0\.1:\d+ answered 401: no such key/) },
      ]),
  },
  {
    name: "another model is asked from the next message on",
    app: { model: "claude-sonnet-4.5", acts: [{ send: "one" }, { setModel: "gpt-5" }, { send: "two" }] },
    replies: [{ text: "first" }, { text: "second" }],
    check: ({ replies, requests }) => {
      expect(replies).toEqual(["first", "second"]);
      expect(requests.map(({ model }) => model)).toEqual(["claude-sonnet-4.5", "gpt-5"]);
    },
  },
  {
    name: "a session that is taken up again goes on where it was",
    app: { acts: [{ send: "one" }, { resume: true }, { send: "two" }] },
    replies: [{ text: "first" }, { text: "second" }],
    check: ({ replies, requests }) => {
      expect(replies).toEqual(["first", "second"]);
      expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    },
  },
];
