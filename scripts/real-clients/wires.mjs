// What the requests of each wire say: the tools that are offered, what came of calls, and what the user wrote.
import { findWire } from "../../examples/providers/loopback.mjs";

/**
 * @typedef {{ name: string, type?: string, namespace?: string }} Offered a tool that the client offers to its model
 * @typedef {{ offered: (body: any) => Offered[], results: (body: any) => string[], said: (body: any) => string }} Reader
 */

/** @type {(content: any) => string} */
const textOf = (content) =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : []).map(({ text, content: inner }) => text ?? textOf(inner ?? "")).join("\n");

/** @param {any} message */
const isUser = ({ role }) => role === "user";

/** @type {Reader} */
const anthropic = {
  offered: ({ tools = [] }) => tools,
  results: ({ messages = [] }) => blocksOf(messages, "tool_result").map(({ content }) => textOf(content)),
  said: ({ messages = [] }) =>
    messages
      .filter(isUser)
      .flatMap((/** @type {any} */ { content }) =>
        Array.isArray(content) ? content : [{ type: "text", text: content }],
      )
      .filter((/** @type {any} */ { type }) => type === "text")
      .map((/** @type {any} */ { text }) => text)
      .join("\n"),
};

/** @param {any[]} messages @param {string} type @returns {any[]} */
function blocksOf(messages, type) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.filter((block) => block.type === type);
}

const ANSWERED = new Set(["function_call_output", "custom_tool_call_output", "tool_search_output"]);

/** @type {Reader} */
const responses = {
  // What a search found is offered from then on.
  offered: ({ tools = [], input = [] }) =>
    [
      ...tools,
      ...(Array.isArray(input) ? input : []).flatMap(({ type, tools: found }) =>
        type === "tool_search_output" ? found : [],
      ),
    ].flatMap((/** @type {any} */ tool) =>
      tool.type === "namespace"
        ? tool.tools.map((/** @type {any} */ inner) => ({ ...inner, namespace: tool.name }))
        : [{ ...tool, name: tool.name ?? tool.type }],
    ),
  results: ({ input = [] }) =>
    (Array.isArray(input) ? input : [])
      .filter(({ type }) => ANSWERED.has(type))
      .map(({ output, tools }) => (output === undefined ? JSON.stringify(tools) : textOf(output))),
  said: ({ input = [] }) =>
    (Array.isArray(input) ? input : [])
      .filter(isUser)
      .map(({ content }) => textOf(content))
      .join("\n"),
};

/** @type {Reader} */
const chat = {
  offered: ({ tools = [] }) => tools.map((/** @type {any} */ tool) => tool.function ?? tool.custom ?? tool),
  results: ({ messages = [] }) =>
    messages
      .filter((/** @type {any} */ { role }) => role === "tool")
      .map((/** @type {any} */ { content }) => textOf(content)),
  said: ({ messages = [] }) =>
    messages
      .filter(isUser)
      .map((/** @type {any} */ { content }) => textOf(content))
      .join("\n"),
};

/** @type {Reader} */
const gemini = {
  offered: ({ tools = [] }) =>
    tools.flatMap((/** @type {any} */ { functionDeclarations = [] }) => functionDeclarations),
  results: ({ contents = [] }) =>
    partsOf(contents)
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => JSON.stringify(functionResponse.response)),
  said: ({ contents = [] }) =>
    partsOf(contents.filter(isUser))
      .map(({ text }) => text ?? "")
      .join("\n"),
};

/** @param {any[]} contents @returns {any[]} */
function partsOf(contents) {
  return contents.flatMap(({ parts = [] }) => parts);
}

/** @type {readonly [RegExp, Reader][]} */
const READERS = [
  [/\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:stream)?[gG]enerateContent$/, gemini],
];

/**
 * How to read a request to this path and how to answer it; null where no model answers there.
 * @param {string} path
 */
export function wireOf(path) {
  const reader = READERS.find(([pattern]) => pattern.test(path))?.[1];
  const writer = findWire(path);
  return reader === undefined || writer === undefined ? null : { ...reader, ...writer, results: reader.results };
}
